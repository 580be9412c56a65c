"""Joints that bend beyond their fold limit at some time of a motion.

Let b and d be bend and direction at a sample. Until the end of an interval in which the joint turns
by an arc w, the bend is at most b + w, and the direction differs by at
most asin(sin w / sin b). An interval is proven if b + w is within the smallest limit of these
directions; otherwise it is halved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.collision.collision_table import CollisionTable
from writhe.collision.interpolated_motion import InterpolatedMotion
from writhe.kernels.skeleton.kinematics import HINGE
from writhe.skeleton import Skeleton, quaternions
from writhe.skeleton.fold_limits import DIRECTIONS, FoldLimit

TOLERANCE_RAD = float(np.radians(2.0))  # a joint may bend this much beyond its limit
_HALVINGS = 16


@dataclass(frozen=True, slots=True)
class FoldedJoint:
    """A joint that bends beyond its fold limit, where it exceeds it most."""

    joint: str
    time_s: float
    bend_rad: float
    limit_rad: float

    @property
    def beyond_rad(self) -> float:
        """By how much the bend exceeds its limit."""
        return self.bend_rad - self.limit_rad

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON, in degrees."""
        return {
            "joint": self.joint,
            "time_s": self.time_s,
            "bend_deg": float(np.degrees(self.bend_rad)),
            "limit_deg": float(np.degrees(self.limit_rad)),
        }


def find_folds(
    table: CollisionTable, interpolated: InterpolatedMotion, unknown: Bools
) -> tuple[tuple[FoldedJoint, ...], int]:
    """The joints that are folded at some time, and the number of intervals that are undecided.

    unknown (rows - 1,): intervals in which the motion is not known; only their ends are tested.
    """
    found: list[FoldedJoint] = []
    undecided = 0
    for limit in table.folds:
        joint = table.skeleton.index(limit.joint)
        error = (
            0.0
            if interpolated.rotation_error_rad is None
            else interpolated.rotation_error_rad[joint]
        )
        turning = _Turning(table.skeleton, interpolated, joint)
        folded, left = _folded(limit, turning, interpolated, unknown, float(error))
        undecided += left
        if folded is not None:
            found.append(folded)
    return tuple(found), undecided


class _Turning:
    """The rotation of one joint over an interpolated motion."""

    def __init__(self, skeleton: Skeleton, interpolated: InterpolatedMotion, joint: int) -> None:
        tree, rows = skeleton.tree, interpolated.q
        end = int(tree.q_start[joint + 1])
        self._euler = interpolated.euler
        self._joint, self._axis = joint, tree.axis[joint]
        self.angles: Floats | None = None  # (rows, k) of a hinge or of Euler channels
        self.turns: Floats | None = None  # (rows, 4)
        if interpolated.euler is not None and interpolated.euler.order[joint, 0] >= 0:
            self.angles = interpolated.euler.angles[:, joint]
            self.change = np.diff(self.angles, axis=0)
            self.change -= 2 * np.pi * np.rint(self.change / (2 * np.pi))
        elif tree.kind[joint] == HINGE:
            self._euler = None
            self.angles = rows[:, end - 1 : end]
            self.change = np.diff(self.angles, axis=0)
            if interpolated.short_hinges:
                self.change -= 2 * np.pi * np.rint(self.change / (2 * np.pi))
        else:
            self.turns = rows[:, end - 4 : end]
            self.change = quaternions.shortest_arcs(self.turns)
        self.arc = (
            np.abs(self.change).sum(axis=1)
            if self.turns is None
            else np.linalg.norm(self.change, axis=1)
        )

    def at(self, row: Ints, share: Floats) -> Floats:
        """(k, 4) rotations at a share (k,) of the way from rows (k,) to the next ones."""
        # the last row has no next one
        change = np.concatenate([self.change, np.zeros_like(self.change[:1])])
        if not len(change):
            change = np.zeros((1, self.change.shape[1]))
        moved = share[:, None] * change[np.minimum(row, len(change) - 1)]
        if self.turns is not None:
            return quaternions.multiply(self.turns[row], quaternions.from_rotation_vectors(moved))
        assert self.angles is not None
        angles = self.angles[row] + moved
        if self._euler is None:
            return quaternions.from_rotation_vectors(angles * self._axis)
        out = np.tile([1.0, 0.0, 0.0, 0.0], (len(row), 1))
        for slot, axis in enumerate(self._euler.order[self._joint]):
            out = quaternions.multiply(
                out, quaternions.from_rotation_vectors(angles[:, slot, None] * np.eye(3)[axis])
            )
        return out


def _min_limits(limit: FoldLimit, direction: Floats, spread: Floats) -> Floats:
    """(k,) the smallest limit of the directions that differ by at most `spread` (k,)."""
    out = np.full(len(direction), limit.bend_rad.min())
    degrees, wide = np.degrees(direction), np.degrees(spread)
    for i in np.flatnonzero(wide < 0.5 * DIRECTIONS - 2):
        ends = np.array([degrees[i] - wide[i], degrees[i] + wide[i]])
        first, last = int(np.ceil(ends[0])), int(np.floor(ends[1]))
        inner = limit.bend_rad[np.arange(first, last + 1, dtype=np.int64) % DIRECTIONS]
        out[i] = min(
            float(limit.largest(np.radians(ends)).min()),
            float(inner.min(initial=np.pi)),
        )
    return out


def _folded(
    limit: FoldLimit,
    turning: _Turning,
    interpolated: InterpolatedMotion,
    unknown: Bools,
    error: float,
) -> tuple[FoldedJoint | None, int]:
    count = len(interpolated.q)
    bend, direction = limit.bends(turning.at(np.arange(count), np.zeros(count)))
    max_bend = limit.largest(direction)
    over = bend - max_bend - TOLERANCE_RAD
    worst = int(over.argmax())
    best = float(over[worst])
    found = float(worst), float(bend[worst]), float(max_bend[worst])
    # intervals that the bound b + w does not prove
    highest = 0.5 * (bend[:-1] + bend[1:] + turning.arc) + error
    open_rows = highest > limit.bend_rad.min() + TOLERANCE_RAD
    row = np.flatnonzero(open_rows & ~unknown)
    middle, half = np.full(len(row), 0.5), 0.5
    for _ in range(_HALVINGS):
        if not len(row):
            break
        bend, direction = limit.bends(turning.at(row, middle))
        max_bend = limit.largest(direction)
        over = bend - max_bend - TOLERANCE_RAD
        if over.max() > best:
            k = int(over.argmax())
            best, found = float(over[k]), (row[k] + middle[k], float(bend[k]), float(max_bend[k]))
        w = turning.arc[row] * half + error
        inside = (np.sin(np.minimum(w, 0.5 * np.pi)) < np.sin(bend)) & (w < 0.5 * np.pi)
        ratio = np.sin(np.minimum(w, 0.5 * np.pi)) / np.maximum(np.sin(bend), 1e-12)
        spread = np.where(inside, np.arcsin(np.minimum(ratio, 1.0)), np.pi)
        proven = bend + w <= _min_limits(limit, direction, spread) + TOLERANCE_RAD
        rest = ~proven & ~np.isin(row, row[over > 0])
        half *= 0.5
        row = np.repeat(row[rest], 2)
        middle = np.repeat(middle[rest], 2) + half * np.tile([-1.0, 1.0], int(rest.sum()))
    undecided = len(np.unique(row))
    if best <= 0:
        return None, undecided
    at, bent, maximum = found
    return FoldedJoint(limit.joint, interpolated.seconds(at), bent, maximum), undecided
