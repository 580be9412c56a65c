"""Which part of a body each joint of an unknown skeleton is, from its shape alone.

A person is recognised by two branchings one above the other: hips (two legs and the spine) and
chest (two arms and the head). Joints at the same place (helpers, zero-length bones) count as one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.kinematics import forward
from writhe.skeleton.skeleton import Skeleton

PARTS = (
    "hips", "spine", "chest", "neck", "head", "clavicle", "shoulder", "elbow", "wrist", "finger",
    "hip", "knee", "ankle", "toe",
)  # fmt: skip
_SAME_PLACE = 0.004  # of the stature
_LIMB = 0.09  # a chain longer than this share of the stature is a limb


class Shape:
    """Rest positions, tips and reach of a skeleton's joints, in the world."""

    def __init__(self, skeleton: Skeleton, stature_hint: float | None = None) -> None:
        self.skeleton = skeleton
        frames = forward(skeleton, skeleton.rest_configuration)
        self.positions, self.rotations = frames.positions, frames.rotations
        self.tips: dict[int, list[Floats]] = {}
        for tip in skeleton.tips:
            at = frames.point(tip.joint, tip.offset_in_joint)
            self.tips.setdefault(skeleton.index(tip.joint), []).append(at)
        points = np.concatenate([self.positions, *[np.array(t) for t in self.tips.values()]])
        size = np.ptp(points, axis=0)
        # the height, or the largest side where it lies down or is no person
        extent = float(size[1] if size[1] > 0.6 * size.max() else size.max())
        self.stature = stature_hint or extent
        self.parent = [int(p) for p in skeleton.tree.parent]
        self.children: list[list[int]] = [[] for _ in self.parent]
        for j, p in enumerate(self.parent):
            if p >= 0:
                self.children[p].append(j)
        self.reach = np.zeros(len(self.parent))
        for j in range(len(self.parent) - 1, -1, -1):
            ends = [float(np.linalg.norm(t - self.positions[j])) for t in self.tips.get(j, [])]
            ends += [self.length(c) + self.reach[c] for c in self.children[j]]
            self.reach[j] = max(ends, default=0.0)

    def length(self, joint: int) -> float:
        """The length of the bone from a joint's parent to it."""
        p = self.parent[joint]
        return 0.0 if p < 0 else float(np.linalg.norm(self.positions[joint] - self.positions[p]))

    def at_same_place(self, joint: int) -> list[int]:
        """A joint with the descendants that sit on it."""
        found = [joint]
        for j in found:
            found += [c for c in self.children[j] if self.length(c) < _SAME_PLACE * self.stature]
        return found

    def limbs(self, joint: int) -> list[int]:
        """The children (of a joint and of those at its place) that lead to limbs."""
        here = self.at_same_place(joint)
        below = [c for j in here for c in self.children[j] if c not in here]
        return [c for c in below if self.length(c) + self.reach[c] > _LIMB * self.stature]


def infer_parts(shape: Shape, roles: Mapping[str, str]) -> dict[int, str]:
    """The part of each joint: by `roles` (human joint name: joint) where given, else by shape."""
    parts = _by_shape(shape)
    for role, joint in roles.items():
        part = role.removeprefix("left_").removeprefix("right_")
        if part in PARTS and joint in shape.skeleton:
            parts[shape.skeleton.index(joint)] = part
    if roles:
        _between_roles(shape, roles, parts)
    return parts


def _between_roles(shape: Shape, roles: Mapping[str, str], parts: dict[int, str]) -> None:
    """Twist bones go with the limb they lie in, and all that hangs off a forearm with the hand."""
    skeleton = shape.skeleton
    for side in ("left_", "right_"):
        at = {
            r: skeleton.index(j) for r, j in roles.items() if r.startswith(side) and j in skeleton
        }
        for upper, lower in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee")):
            path = _path_down(shape, at.get(side + upper, -1), at.get(side + lower, -1))
            for j in path[1:-1]:
                parts[j] = upper
            if lower != "wrist" or not path:
                continue
            for j in range(path[0] + 1, int(skeleton.tree.subtree_end[path[0]])):
                if j not in path:
                    parts[j] = "finger"


def _by_shape(shape: Shape) -> dict[int, str]:
    branchings = [j for j in range(len(shape.parent)) if len(shape.limbs(j)) >= 3]
    # of joints at one place only the topmost counts
    branchings = [
        j for j in branchings if not any(j in shape.at_same_place(b) for b in branchings if b < j)
    ]
    for hips in branchings:
        for chest in branchings:
            path = _path_down(shape, hips, chest)
            if chest != hips and path:
                return _person(shape, hips, chest, path)
    return {}


def _path_down(shape: Shape, top: int, bottom: int) -> list[int]:
    """The joints between an ancestor and a descendant; both included; empty if they are not."""
    if top < 0 or bottom < 0:
        return []
    path = [bottom]
    while path[-1] != top:
        if shape.parent[path[-1]] < 0:
            return []
        path.append(shape.parent[path[-1]])
    return path[::-1]


def _person(shape: Shape, hips: int, chest: int, path: list[int]) -> dict[int, str]:
    parts = dict.fromkeys(path, "spine")
    parts |= dict.fromkeys(shape.at_same_place(hips), "hips")
    parts |= dict.fromkeys(shape.at_same_place(chest), "chest")
    for leg in shape.limbs(hips):
        if leg not in path:
            _name_limb(shape, leg, parts, ("hips", "hip", "knee", "ankle", "toe"))
    arms = list(shape.limbs(chest))
    head = max(arms, key=lambda c: _highest(shape, c))
    for arm in arms:
        if arm != head:
            _name_limb(shape, arm, parts, ("clavicle", "shoulder", "elbow", "wrist", "finger"))
    chain = _longest_chain(shape, head)
    parts |= dict.fromkeys(chain, "neck")
    parts[chain[-1]] = "head"
    # joints on the chest that turn an arm or the neck alone go with these
    leads = {"shoulder": "clavicle", "neck": "neck", "head": "neck"}
    for j in shape.at_same_place(chest)[1:]:
        below = {parts.get(c, "") for c in shape.children[j]}
        if len(below) == 1:
            parts[j] = leads.get(below.pop(), parts[j])
    return parts


def _highest(shape: Shape, joint: int) -> float:
    below = range(joint, int(shape.skeleton.tree.subtree_end[joint]))
    points = [shape.positions[j] for j in below]
    points += [t for j in below for t in shape.tips.get(j, [])]
    return max(float(p[1]) for p in points)


def _on_midline(shape: Shape, joint: int) -> bool:
    """Whether a joint lies about as far to the side as the first one, the root."""
    away = shape.positions[joint] - shape.positions[0]
    return float(np.hypot(away[0], away[2])) < 0.06 * shape.stature


def _longest_chain(shape: Shape, joint: int) -> list[int]:
    chain = [joint]
    while shape.children[chain[-1]]:
        chain.append(max(shape.children[chain[-1]], key=lambda c: shape.length(c) + shape.reach[c]))
    return chain


def _name_limb(
    shape: Shape, joint: int, parts: dict[int, str], names: tuple[str, str, str, str, str]
) -> None:
    """Name the joints of an arm or leg: before the upper bone, upper, lower, end, beyond."""
    chain = _longest_chain(shape, joint)
    bones = [shape.length(c) for c in chain[1:]]
    if names[0] == "clavicle" and len(bones) > 2 and _on_midline(shape, joint):
        bones[0] = 0.0  # a clavicle may be longer than a forearm
    long = sorted(range(len(bones)), key=lambda i: -bones[i])[:2]
    if len(long) < 2:
        return
    upper, lower = sorted(long)
    before, first, second, end, beyond = names
    for i, j in enumerate(chain):
        if i < upper:
            name = before
        elif i < lower:
            name = first
        elif i == lower:
            name = second
        elif shape.length(j) < _SAME_PLACE * shape.stature or i == lower + 1:
            name = end
        else:
            name = beyond
        parts[j] = name
    last = chain[min(lower + 1, len(chain) - 1)]
    for j in range(last + 1, int(shape.skeleton.tree.subtree_end[last])):
        parts.setdefault(j, beyond)
