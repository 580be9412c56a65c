"""The rest pose of a skeleton as a tree of points: lengths, reach, partners on the other side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from writhe.arrays import Floats
from writhe.recognition.joint_names import ParsedName, parse_names
from writhe.recognition.roles import RigKind
from writhe.skeleton.quaternions import rotation_matrix
from writhe.skeleton.skeleton import Skeleton

# fraction of the longest path: joints nearer than this coincide
COINCIDENT = 0.002
# fraction of the longest path that a limb exceeds
LIMB_REACH = 0.10
# bones of both sides may differ by this factor (recorded people differ by up to 17 %)
SIDE_RATIO = 1.4


@dataclass(frozen=True)
class RestTree:
    """The joints of a skeleton at rest, with what their names say. Needs no kernels."""

    skeleton: Skeleton
    parent: list[int]
    children: list[list[int]]
    subtree_end: list[int]  # one after the last descendant
    positions: Floats  # (n, 3)
    names: list[ParsedName]
    tips: dict[int, list[Floats]]  # joint to the end points beyond it

    @staticmethod
    def of(skeleton: Skeleton) -> RestTree:
        """The rest tree of a skeleton."""
        parent = [int(p) for p in skeleton.parents]
        children: list[list[int]] = [[] for _ in parent]
        positions, turns = np.zeros((len(parent), 3)), np.zeros((len(parent), 3, 3))
        end = list(range(1, len(parent) + 1))
        for j, (p, joint) in enumerate(zip(parent, skeleton.joints, strict=True)):
            positions[j], turns[j] = joint.offset_in_parent, rotation_matrix(joint.rest)
            if p >= 0:
                positions[j] = positions[p] + turns[p] @ positions[j]
                turns[j] = turns[p] @ turns[j]
                children[p].append(j)
        for j in range(len(parent) - 1, -1, -1):
            if parent[j] >= 0:
                end[parent[j]] = max(end[parent[j]], end[j])
        tips: dict[int, list[Floats]] = {}
        for tip in skeleton.tips:
            j = skeleton.index(tip.joint)
            tips.setdefault(j, []).append(positions[j] + turns[j] @ tip.offset_in_joint)
        names = parse_names(skeleton.names)
        return RestTree(skeleton, parent, children, end, positions, names, tips)

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def bone(self) -> Floats:
        """(n,) distance from each joint's parent; 0 for roots."""
        above = np.array([j if p < 0 else p for j, p in enumerate(self.parent)], dtype=np.int64)
        return np.linalg.norm(self.positions - self.positions[above], axis=1)

    @cached_property
    def reach(self) -> Floats:
        """(n,) length of the longest path of bones below each joint, end points included."""
        reach = np.zeros(len(self))
        for j in range(len(self) - 1, -1, -1):
            ends = [float(np.linalg.norm(t - self.positions[j])) for t in self.tips.get(j, [])]
            ends += [float(self.bone[c] + reach[c]) for c in self.children[j]]
            reach[j] = max(ends, default=0.0)
        return reach

    @cached_property
    def span(self) -> float:
        """The length of the longest path through the bones that belong to a body."""
        longest = 0.0
        for j in range(len(self)):
            below = sorted(
                (float(self.bone[c] + self.reach[c]) for c in self.children[j]), reverse=True
            )
            if len(below) > 1 and below[1] > 0.1 * below[0]:  # not the bone of a container
                longest = max(longest, sum(below[:2]))
        return longest or float(self.reach.max(initial=0.0)) or 1.0

    def distance(self, a: int, b: int) -> float:
        """The distance between two joints."""
        return self._distances[a][b]

    @cached_property
    def _distances(self) -> list[list[float]]:
        apart = self.positions[:, None] - self.positions[None]
        return np.linalg.norm(apart, axis=2).tolist()

    def coincident(self, a: int, b: int) -> bool:
        """Whether two joints coincide."""
        return self.distance(a, b) < COINCIDENT * self.span

    def contains(self, top: int, joint: int) -> bool:
        """Whether `joint` is `top` or one of its descendants."""
        return top <= joint < self.subtree_end[top]

    def below(self, joint: int) -> range:
        """The descendants of a joint, itself excluded."""
        return range(joint + 1, self.subtree_end[joint])

    def path_down(self, top: int, joint: int) -> list[int]:
        """The joints from `top` to its descendant `joint`, both included."""
        path = [joint]
        while path[-1] != top:
            path.append(self.parent[path[-1]])
        return path[::-1]

    def common_ancestor(self, a: int, b: int) -> int:
        """The lowest joint that contains both; -1 if they have different roots."""
        while a >= 0 and not self.contains(a, b):
            a = self.parent[a]
        return a

    def is_off_body(self, joint: int) -> bool:
        """Whether a joint is, by its name, not part of the chains of the body."""
        kind = self.names[joint].kind
        return kind is not None and kind is not RigKind.FINGER

    def main_child(self, joint: int) -> int:
        """The child that continues a limb: not a helper, then the one that reaches farthest."""
        below = self.children[joint]
        if not below:
            return -1

        def rank(c: int) -> tuple[bool, bool, float]:
            thumb = self.names[c].finger == "thumb"
            return (not self.is_off_body(c), not thumb, float(self.bone[c] + self.reach[c]))

        return max(below, key=rank)

    def chain(self, joint: int) -> list[int]:
        """The joints from `joint` along the main children to the end of the limb."""
        chain = [joint]
        while (child := self.main_child(chain[-1])) >= 0:
            chain.append(child)
        return chain

    def names_mirrored(self, a: int, b: int) -> bool:
        """Whether two names differ in the side only."""
        x, y = self.names[a], self.names[b]
        return {x.side, y.side} == {"left", "right"} and x.plain == y.plain

    def alike(self, a: int, b: int) -> bool:
        """Whether two limbs have bones of the same lengths."""
        first, second = self._profile(a), self._profile(b)
        if abs(len(first) - len(second)) > 1:
            return False
        count = min(len(first), len(second))
        if count == 0:
            return False
        floor = 0.01 * self.span
        ratio = np.log((first[:count] + floor) / (second[:count] + floor))
        return bool(np.abs(ratio).max() < np.log(SIDE_RATIO))

    def _profile(self, joint: int) -> Floats:
        """Lengths of the bones of the first joints of a limb, from its root."""
        chain = self.chain(joint)[:4]
        lengths = [float(self.bone[j]) for j in chain]
        end = self.tips.get(chain[-1])
        if end and len(chain) < 4:
            lengths.append(float(np.linalg.norm(end[0] - self.positions[chain[-1]])))
        return np.array(lengths)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of children of one joint that are similar limbs, or are named left and right."""
        found: list[tuple[float, int, int]] = []
        minimum = LIMB_REACH * self.span
        for joint in range(len(self)):
            limbs = [
                c
                for c in self.children[joint]
                if self.bone[c] + self.reach[c] > minimum and not self.is_off_body(c)
            ]
            for i, a in enumerate(limbs):
                for b in limbs[i + 1 :]:
                    sides = {self.names[a].side, self.names[b].side}
                    one_side = sides in ({"left"}, {"right"})
                    if self.names_mirrored(a, b) or (not one_side and self.alike(a, b)):
                        found.append((float(self.reach[a] + self.reach[b]), a, b))
        found.sort(reverse=True)
        return [(a, b) for _, a, b in found[:24]]
