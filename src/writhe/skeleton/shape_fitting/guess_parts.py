"""Guesses the body part of each joint of an unknown skeleton from its geometry alone.

A person has two branching joints, one above the other: hips (two legs and the spine) and chest (two
arms and the head). Coincident joints (helpers, zero-length bones) count as one.
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
_COINCIDENT = 0.004  # of the stature: joints nearer than this are coincident
_LIMB = 0.09  # of the stature: a longer chain is a limb


class RestGeometry:
    """World positions, tips and reach of a skeleton's joints in the rest pose."""

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
        # the height; the largest extent of a body that lies down or is not a person
        extent = float(size[1] if size[1] > 0.6 * size.max() else size.max())
        self.stature = stature_hint or extent
        self.parent = [int(p) for p in skeleton.tree.parent]
        self.children: list[list[int]] = [[] for _ in self.parent]
        for j, p in enumerate(self.parent):
            if p >= 0:
                self.children[p].append(j)
        above = np.maximum(skeleton.tree.parent, 0)
        bones = np.linalg.norm(self.positions - self.positions[above], axis=1)
        self._lengths: list[float] = np.where(skeleton.tree.parent < 0, 0.0, bones).tolist()
        self.bones_to_root: list[int] = []  # bones with length from the root to each joint
        for j, p in enumerate(self.parent):
            count = self.bones_to_root[p] if p >= 0 else 0
            self.bones_to_root.append(count + int(self._lengths[j] > 0.004 * self.stature))
        self.reach = np.zeros(len(self.parent))
        for j in range(len(self.parent) - 1, -1, -1):
            ends = [float(np.linalg.norm(t - self.positions[j])) for t in self.tips.get(j, [])]
            ends += [self.length(c) + self.reach[c] for c in self.children[j]]
            self.reach[j] = max(ends, default=0.0)

    def length(self, joint: int) -> float:
        """The length of the bone from a joint's parent to it."""
        return self._lengths[joint]

    def coincident(self, joint: int) -> list[int]:
        """A joint and the descendants at the same position."""
        found = [joint]
        for j in found:
            found += [c for c in self.children[j] if self.length(c) < _COINCIDENT * self.stature]
        return found

    def limbs(self, joint: int) -> list[int]:
        """The children of a joint and its coincident descendants that lead to limbs."""
        here = self.coincident(joint)
        below = [c for j in here for c in self.children[j] if c not in here]
        return [c for c in below if self.length(c) + self.reach[c] > _LIMB * self.stature]


def infer_parts(geometry: RestGeometry, roles: Mapping[str, str]) -> dict[int, str]:
    """The part of each joint: by `roles` (role to joint name) if given, else by geometry."""
    parts = _by_shape(geometry)
    for role, joint in roles.items():
        part = role.removeprefix("left_").removeprefix("right_")
        if part in PARTS and joint in geometry.skeleton:
            parts[geometry.skeleton.index(joint)] = part
    if roles:
        _between_roles(geometry, roles, parts)
    return parts


def _between_roles(geometry: RestGeometry, roles: Mapping[str, str], parts: dict[int, str]) -> None:
    """Assign twist bones to the limb they lie in, other descendants of a forearm to the hand."""
    skeleton = geometry.skeleton
    for side in ("left_", "right_"):
        at = {
            r: skeleton.index(j) for r, j in roles.items() if r.startswith(side) and j in skeleton
        }
        for upper, lower in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee")):
            path = _path_down(geometry, at.get(side + upper, -1), at.get(side + lower, -1))
            for j in path[1:-1]:
                parts[j] = upper
            if lower != "wrist" or not path:
                continue
            for j in range(path[0] + 1, int(skeleton.tree.subtree_end[path[0]])):
                if j not in path:
                    parts[j] = "finger"


def _by_shape(geometry: RestGeometry) -> dict[int, str]:
    branchings = [j for j in range(len(geometry.parent)) if len(geometry.limbs(j)) >= 3]
    # only the topmost of coincident joints counts
    branchings = [
        j for j in branchings if not any(j in geometry.coincident(b) for b in branchings if b < j)
    ]
    for hips in branchings:
        for chest in branchings:
            path = _path_down(geometry, hips, chest)
            if chest != hips and path:
                return _person(geometry, hips, chest, path)
    return {}


def _path_down(geometry: RestGeometry, top: int, bottom: int) -> list[int]:
    """The joints from `top` to its descendant `bottom`, both included; empty if it is not one."""
    if top < 0 or bottom < 0:
        return []
    path = [bottom]
    while path[-1] != top:
        if geometry.parent[path[-1]] < 0:
            return []
        path.append(geometry.parent[path[-1]])
    return path[::-1]


def _person(geometry: RestGeometry, hips: int, chest: int, path: list[int]) -> dict[int, str]:
    parts = dict.fromkeys(path, "spine")
    parts |= dict.fromkeys(geometry.coincident(hips), "hips")
    parts |= dict.fromkeys(geometry.coincident(chest), "chest")
    for leg in geometry.limbs(hips):
        if leg not in path:
            _name_limb(geometry, leg, parts, ("hips", "hip", "knee", "ankle", "toe"))
    arms = list(geometry.limbs(chest))
    head = max(arms, key=lambda c: _highest(geometry, c))
    for arm in arms:
        if arm != head:
            _name_limb(geometry, arm, parts, ("clavicle", "shoulder", "elbow", "wrist", "finger"))
    chain = _longest_chain(geometry, head)
    parts |= dict.fromkeys(chain, "neck")
    parts[chain[-1]] = "head"
    # joints at the chest that carry only an arm or the neck are part of that limb
    leads = {"shoulder": "clavicle", "neck": "neck", "head": "neck"}
    for j in geometry.coincident(chest)[1:]:
        below = {parts.get(c, "") for c in geometry.children[j]}
        if len(below) == 1:
            parts[j] = leads.get(below.pop(), parts[j])
    return parts


def _highest(geometry: RestGeometry, joint: int) -> float:
    below = range(joint, int(geometry.skeleton.tree.subtree_end[joint]))
    points = [geometry.positions[j] for j in below]
    points += [t for j in below for t in geometry.tips.get(j, [])]
    return max(float(p[1]) for p in points)


def _on_midline(geometry: RestGeometry, joint: int) -> bool:
    """Whether a joint is horizontally near the root."""
    away = geometry.positions[joint] - geometry.positions[0]
    return float(np.hypot(away[0], away[2])) < 0.06 * geometry.stature


def _longest_chain(geometry: RestGeometry, joint: int) -> list[int]:
    chain = [joint]
    while geometry.children[chain[-1]]:
        chain.append(
            max(geometry.children[chain[-1]], key=lambda c: geometry.length(c) + geometry.reach[c])
        )
    return chain


def _name_limb(
    geometry: RestGeometry, joint: int, parts: dict[int, str], names: tuple[str, str, str, str, str]
) -> None:
    """Name the joints of an arm or leg: before the upper bone, upper, lower, end, beyond."""
    chain = _longest_chain(geometry, joint)
    bones = [geometry.length(c) for c in chain[1:]]
    if names[0] == "clavicle" and len(bones) > 2 and _on_midline(geometry, joint):
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
        elif geometry.length(j) < _COINCIDENT * geometry.stature or i == lower + 1:
            name = end
        else:
            name = beyond
        parts[j] = name
    last = chain[min(lower + 1, len(chain) - 1)]
    for j in range(last + 1, int(geometry.skeleton.tree.subtree_end[last])):
        parts.setdefault(j, beyond)
