"""Soft pins: parts placed by an earlier drag tend to stay in place while others are dragged."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Vector3, vector3
from writhe.hands import hands_of
from writhe.skeleton import Figure, Skeleton, forward
from writhe.solvers.posing import Target

PELVIS_SOFTNESS = 0.78  # a body that was set down stays down while its hands reach
SOFTNESS = 0.6  # keeps a hand near its place, but yields before the trunk twists far


class SoftPins:
    """The joints of one figure placed by drags since its whole pose was last set."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._wrists = frozenset(hand.wrist for hand in hands_of(figure).values())
        self._pelvis = dict(figure.roles).get("hips")
        self._points: dict[str, Vector3] = {}

    def add(self, targets: list[Target]) -> None:
        """Add the joints released at these targets; of the trunk, only the pelvis is added."""
        for target in targets:
            if len(self._limb(target.joint)) > 1 or target.joint == self._pelvis:
                self._points[target.joint] = target.point_in_joint

    def clear(self) -> None:
        """Remove all soft pins, because the whole pose was replaced."""
        self._points.clear()

    def targets(self, q: Floats, held: set[str]) -> list[Target]:
        """Soft targets that keep the placed parts where they are at q.

        A limb with a dragged joint gets none; while the root is dragged, no limb does.
        """
        skeleton = self._figure.skeleton
        if not self._points or skeleton.names[0] in held:
            return []
        moved = set[str]().union(*(self._limb(joint) for joint in held))
        frames = forward(skeleton, q)
        return [
            Target(
                joint,
                vector3(frames.point(joint, point)),
                point,
                softness=PELVIS_SOFTNESS if joint == self._pelvis else SOFTNESS,
            )
            for joint, point in self._points.items()
            if joint not in moved
        ]

    def _limb(self, joint: str) -> set[str]:
        return unbranched_limb(self._figure.skeleton, joint, self._wrists)


def unbranched_limb(
    skeleton: Skeleton, joint: str, wrists: frozenset[str] = frozenset()
) -> set[str]:
    """The joints of the limb that contains a joint; for the trunk, the joint itself.

    A limb has no branches but the fingers of a hand, below one of the wrists.
    """
    tree, names = skeleton.tree, skeleton.names
    children = np.bincount(tree.parent[tree.parent >= 0], minlength=len(skeleton))
    children[[skeleton.index(wrist) for wrist in wrists]] = 1
    top = skeleton.index(joint)
    while tree.parent[top] >= 0 and children[tree.parent[top]] == 1:
        top = int(tree.parent[top])
    limb = range(top, int(tree.subtree_end[top]))
    return {names[j] for j in limb} if (children[limb] <= 1).all() else {joint}
