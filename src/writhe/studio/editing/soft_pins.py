"""Parts that were put somewhere by hand: they stay there, softly, while others are dragged."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Vector3, vector3
from writhe.skeleton import Figure, Skeleton, forward
from writhe.solvers.posing import Target

SOFTNESS = 0.85  # keeps a hand within a centimetre, and gives way before the trunk has to twist


class Placed:
    """The joints of one figure that drags have placed since its pose was last given as a whole."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._points: dict[str, Vector3] = {}

    def put(self, targets: list[Target]) -> None:
        """These were let go where they are now; limbs stay, the trunk goes on to follow them."""
        for target in targets:
            if len(unbranched_limb(self._figure.skeleton, target.joint)) > 1:
                self._points[target.joint] = target.point_in_joint

    def forget(self) -> None:
        """The pose is another one: nothing in it was placed by hand."""
        self._points.clear()

    def staying(self, q: Floats, held: set[str]) -> list[Target]:
        """Soft targets that keep the placed parts where they are at q.

        A limb that is held itself is free, and where the root is held the whole body goes along.
        """
        skeleton = self._figure.skeleton
        if not self._points or skeleton.names[0] in held:
            return []
        moved = set[str]().union(*(unbranched_limb(skeleton, joint) for joint in held))
        frames = forward(skeleton, q)
        return [
            Target(joint, vector3(frames.point(joint, point)), point, softness=SOFTNESS)
            for joint, point in self._points.items()
            if joint not in moved
        ]


def unbranched_limb(skeleton: Skeleton, joint: str) -> set[str]:
    """The joints of the unbranched limb that a joint belongs to; in the trunk the joint alone."""
    tree, names = skeleton.tree, skeleton.names
    children = np.bincount(tree.parent[tree.parent >= 0], minlength=len(skeleton))
    top = skeleton.index(joint)
    while tree.parent[top] >= 0 and children[tree.parent[top]] == 1:
        top = int(tree.parent[top])
    limb = range(top, int(tree.subtree_end[top]))
    return {names[j] for j in limb} if (children[limb] <= 1).all() else {joint}
