"""Claims about what a viewer sees: where hands are, on which side, how palms face, what touches.

Linking alone does not say this: an arm outside the upper arm has the linking of one over the
shoulder. A scene passes only with both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.collision import NearPairs
from writhe.research.experiments.topology_coordinates.scene_result import Claim
from writhe.scene import Layout
from writhe.skeleton import Frames, forward

_SEARCH_M = 0.5
PALM = (0.0, -1.0, 0.0)  # where the palm of the human faces, in the frame of the wrist


class PoseView:
    """Measures of one configuration of a scene."""

    def __init__(self, layout: Layout, q: Floats) -> None:
        self.layout = layout
        self.frames: Frames = forward(layout.skeleton, q)

    def seen_from(
        self, joint: str, other: str, point_in_joint: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> Floats:
        """(3,) a joint, or a point of it, in the frame of another: x left, y up, z forwards."""
        away = self.frames.point(joint, np.array(point_in_joint)) - self.frames.position(other)
        return self.frames.rotation(other).T @ away

    def apart(self, joint: str, other: str) -> float:
        """Distance of two joints."""
        return float(np.linalg.norm(self.frames.position(joint) - self.frames.position(other)))

    def palm_towards(self, wrist: str, other: str) -> float:
        """Cosine of the angle between where a palm faces and the direction to another joint."""
        facing = self.frames.rotation(wrist) @ np.array(PALM)
        way = self.frames.position(other) - self.frames.position(wrist)
        return float(facing @ way / np.linalg.norm(way))

    def clearance(self, parts: Sequence[str], others: Sequence[str]) -> float:
        """The smallest distance of shapes of two groups of parts, at most half a metre."""
        table = self.layout.table
        near = NearPairs(table)
        near.find(self.frames.positions, self.frames.rotations, _SEARCH_M)
        best = _SEARCH_M
        for k in range(near.count):
            a, b = (table.part_of_shape(int(s)) for s in near.rows.shapes[k])
            if (a in parts and b in others) or (b in parts and a in others):
                best = min(best, float(near.rows.gap[k]))
        return best


def behind(view: PoseView, what: str, joint: str, other: str, least_m: float = 0.05) -> Claim:
    """The claim that a joint is behind another one."""
    return Claim.at_least(f"{what}: behind, m", -view.seen_from(joint, other)[2], least_m)


def in_front(view: PoseView, what: str, joint: str, other: str, least_m: float = 0.05) -> Claim:
    """The claim that a joint is in front of another one."""
    return Claim.at_least(f"{what}: in front, m", view.seen_from(joint, other)[2], least_m)


def touches(
    view: PoseView, what: str, parts: Sequence[str], others: Sequence[str], within_m: float = 0.03
) -> Claim:
    """The claim that parts are within a small distance of others: what a hand presses on."""
    return Claim.at_most(f"{what}: distance, m", view.clearance(parts, others), within_m)


def palm_on(view: PoseView, what: str, wrist: str, other: str, least: float = 0.3) -> Claim:
    """The claim that a palm faces a joint."""
    return Claim.at_least(f"{what}: palm towards it", view.palm_towards(wrist, other), least)
