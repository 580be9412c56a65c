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
        self.layout, self.q = layout, q
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
        towards = self.frames.position(other) - self.frames.position(wrist)
        return float(facing @ towards / np.linalg.norm(towards))

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

    def _nearest(
        self, parts: Sequence[str], object_name: str, segment: Floats
    ) -> tuple[float, Floats, Floats]:
        """The distance of a segment (2, 3) of an object from shapes of parts, and both points."""
        best, points = np.inf, np.zeros((2, 3))
        ends = np.array([self.frames.point(object_name, p) for p in segment])
        along = ends[0] + np.linspace(0.0, 1.0, 41)[:, None] * (ends[1] - ends[0])
        for part in parts:
            who, joint = part.split(".", 1)
            for shape in self.layout.scene.actor(who).figure.capsules:
                if shape.joint != joint:
                    continue
                start = self.frames.point(part, shape.start_in_joint)
                end = self.frames.point(part, shape.end_in_joint)
                line = start + np.linspace(0.0, 1.0, 21)[:, None] * (end - start)
                length = np.linalg.norm(along[:, None] - line[None], axis=2)
                i, j = divmod(int(length.argmin()), length.shape[1])
                if length[i, j] - shape.radius_m < best:
                    best = float(length[i, j] - shape.radius_m)
                    points = np.stack([along[i], line[j]])
        return best, points[0], points[1]

    def segment_clearance(
        self, parts: Sequence[str], object_name: str, segment: Floats, radius_m: float
    ) -> float:
        """The distance of shapes of parts from a thick segment (2, 3) of an object."""
        return self._nearest(parts, object_name, segment)[0] - radius_m

    def support(
        self, parts: Sequence[str], object_name: str, segment: Floats, radius_m: float
    ) -> tuple[float, float]:
        """That distance, and the cosine between the vertical and the direction to the segment."""
        gap, above, below = self._nearest(parts, object_name, segment)
        towards = above - below
        return gap - radius_m, float(towards[1] / np.linalg.norm(towards))


def behind(view: PoseView, what: str, joint: str, other: str, min_m: float = 0.05) -> Claim:
    """The claim that a joint is behind another one."""
    return Claim.at_least(f"{what}: behind, m", -view.seen_from(joint, other)[2], min_m)


def in_front(view: PoseView, what: str, joint: str, other: str, min_m: float = 0.05) -> Claim:
    """The claim that a joint is in front of another one."""
    return Claim.at_least(f"{what}: in front, m", view.seen_from(joint, other)[2], min_m)


def touches(
    view: PoseView, what: str, parts: Sequence[str], others: Sequence[str], within_m: float = 0.03
) -> Claim:
    """The claim that parts are within a small distance of others: what a hand presses on.

    By default 3 cm: shapes lie up to 1 cm inside the skin of both, and a viewer does not see the
    rest as a gap between two bodies.
    """
    return Claim.at_most(f"{what}: distance, m", view.clearance(parts, others), within_m)


def palm_on(view: PoseView, what: str, wrist: str, other: str, minimum: float = 0.3) -> Claim:
    """The claim that a palm faces a joint."""
    return Claim.at_least(f"{what}: palm towards it", view.palm_towards(wrist, other), minimum)


def turns_around(
    view: PoseView, what: str, chain: Sequence[str], start: str, end: str, minimum: float
) -> Claim:
    """The claim that a chain of joints goes round an axis, from one joint to another, in turns."""
    ends = view.frames.position(start), view.frames.position(end)
    axis = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    out = np.array([view.frames.position(joint) for joint in chain]) - ends[0]
    out -= np.outer(out @ axis, axis)
    unit = out / np.linalg.norm(out, axis=1)[:, None]
    cross = np.cross(unit[:-1], unit[1:]) @ axis
    angles = np.arctan2(cross, np.sum(unit[:-1] * unit[1:], axis=1))
    return Claim.at_least(f"{what}: turns", abs(float(angles.sum())) / (2 * np.pi), minimum)
