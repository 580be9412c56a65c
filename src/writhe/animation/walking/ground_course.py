"""The course of a walk over the ground: from where the body faces, in an arc, along a path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.quaternions import wrapped_angle

_RADII_M = (0.6, 0.45, 0.3)  # of the arc in which a walk begins, tried in this order
# goals farther from where the body faces are behind it: it turns on the spot until one step of its
# arc is left
_BEHIND_RAD, _ARC_RAD = 2.0, 1.0
_AHEAD_RAD = 0.1  # no arc is needed for less
_EVERY_M, _EVERY_RAD = 0.03, 0.04  # samples of a course
_CORNER_M = 0.2  # the heading at a place is that of the course from so far before to so far after

IsClear = Callable[[Floats], bool]  # of points (n, 2)


@dataclass(frozen=True)
class GroundCourse:
    """Points (n, 2) over the ground (x, z) with headings (n,), rad, without jumps by whole turns.

    turn_rad: turned on the spot before the first point.
    """

    points: Floats
    headings: Floats
    turn_rad: float = 0.0

    def spaced(self, stride_m: float, turn_rad: float) -> GroundCourse:
        """The course at equal steps of at most a length and about a turn; the first point too."""
        lengths = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        turns = np.abs(np.diff(self.headings))
        cost = np.concatenate([[0.0], np.cumsum(np.maximum(lengths / stride_m, turns / turn_rad))])
        at = np.linspace(0.0, float(cost[-1]), int(np.ceil(float(cost[-1]) - 1e-9)) + 1)
        rows = self.points[:, 0], self.points[:, 1], self.headings
        x, z, heading = (np.interp(at, cost, row) for row in rows)
        return GroundCourse(np.stack([x, z], axis=1), heading, self.turn_rad)


def course_along(heading: float, path: Floats, is_clear: IsClear) -> GroundCourse:
    """The course of a body with a heading, rad, that stands at the start of a path (n, 2), n > 1.

    It begins in an arc where there is room for one (`is_clear`), else with a turn on the spot.
    """
    turn = wrapped_angle(heading_of_direction(path[1] - path[0]) - heading)
    if abs(turn) > _AHEAD_RAD:
        spot = 0.0 if abs(turn) < _BEHIND_RAD else turn - np.copysign(_ARC_RAD, turn)
        for radius in _RADII_M:
            # the second corner first: a path that leads ahead to a corner close by is cut short
            for corner in (2, 1) if len(path) > 2 else (1,):
                arc = _arc_to(path[0], heading + spot, path[corner], radius)
                if arc is None:
                    continue
                points = _sampled(np.concatenate([arc, path[corner:]]))
                if is_clear(points):
                    return _with_headings(points, heading + spot, spot)
    return _with_headings(_sampled(path), heading + turn, turn if abs(turn) > _AHEAD_RAD else 0.0)


def heading_of_direction(ahead: Floats) -> float:
    """The heading of a direction (x, z), rad."""
    return float(np.arctan2(ahead[0], ahead[1]))


def _direction(heading: float) -> Floats:
    return np.array([np.sin(heading), np.cos(heading)])


def _arc_to(start: Floats, heading: float, goal: Floats, radius_m: float) -> Floats | None:
    """(n, 2) the arc from a place and heading until it points to a goal; None if it never does."""
    side = np.sign(wrapped_angle(heading_of_direction(goal - start) - heading))
    left = np.array([np.cos(heading), -np.sin(heading)])
    centre, out = start + side * radius_m * left, [start]
    if np.linalg.norm(goal - centre) < radius_m:
        return None
    for turn in np.arange(0.0, np.pi, _EVERY_RAD):
        now = heading + side * turn
        at = centre - side * radius_m * np.array([np.cos(now), -np.sin(now)])
        out.append(at)
        if side * wrapped_angle(heading_of_direction(goal - at) - now) <= 0.0:
            return np.array(out[1:])
    return None


def _sampled(path: Floats) -> Floats:
    """(n, 2) the points of a path at equal distances, with both ends."""
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    length_m = float(along[-1])
    at = np.linspace(0.0, length_m, max(2, int(np.ceil(length_m / _EVERY_M)) + 1))
    return np.stack([np.interp(at, along, path[:, k]) for k in range(2)], axis=1)


def _with_headings(points: Floats, heading: float, turn: float) -> GroundCourse:
    """The course over points (n, 2) that begins with a heading."""
    step = float(np.linalg.norm(points[1] - points[0]))
    beside = max(1, round(_CORNER_M / step))
    ends = [_direction(heading), (points[-1] - points[-2]) / step]
    away = step * np.arange(1, beside + 1)[:, None]
    longer = np.concatenate([points[0] - away[::-1] * ends[0], points, points[-1] + away * ends[1]])
    chords = longer[2 * beside :] - longer[: -2 * beside]
    headings = np.unwrap([heading, *(heading_of_direction(chord) for chord in chords)])[1:]
    return GroundCourse(points, headings, turn)
