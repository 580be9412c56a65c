"""Prove intervals of a motion clear: all pairs are bounded on the device, in single precision.

Rotations are computed in double precision and passed on in single precision. Intervals that are not
proven are divided and bounded again, as often as `PARTS` says; those with a penetration at one of
their rows (frames) are left to the exact sweep. Needs only NumPy and JAX.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from writhe.accelerator.clear_bounds import Bounds
from writhe.arrays import Bools, Floats, Ints
from writhe.skeleton import quaternions

PARTS = (1, 4)  # parts of an interval in each round; with more, the exact sweep is cheaper
TOLERANCE_M = 9e-5  # as in `kernels.collision.clip_sweep`
# gaps farther than this from a deep overlap are none; larger than in the exact sweep (1e-5), since
# bounds are in single precision
DEEP_MARGIN_M = 1e-4
_ROUND_UP = 1 + 1e-6  # keeps angles an upper bound after rounding to single precision


class JointRotations(NamedTuple):
    """Local rotations of n joints at F rows, and how they are interpolated.

    At fraction t of interval i, joint j has the rotation turns[i, j] exp(t change[i, j]), or that
    of its Euler angles, which change linearly, each by the shorter way round.
    """

    turns: Any  # (F, n, 4) unit quaternions
    change: Any  # (F - 1, n, 3) rotation vectors
    order: Any  # (n, 3) axes of Euler angles, outermost first; -1: none
    angles: Any  # (F, n, 3) Euler angles; (1, n, 3) if there are none

    def between(self, intervals: Ints, parts: int) -> tuple[Any, Any]:
        """Rows (n, 4, R) of intervals (k,) divided into parts, and angles turned (n, R - 1).

        Each interval has parts + 1 rows, R = k (parts + 1). Between the last row of one and the
        first of the next, nothing turns.
        """
        share = np.tile(np.arange(parts + 1) / parts, len(intervals))[:, None, None]
        whole = np.repeat(intervals, parts + 1)
        step = quaternions.from_rotation_vectors(share * self.change[whole])
        rotations = quaternions.multiply(self.turns[whole], step)
        change = self._angle_changes()
        for j in np.flatnonzero(np.asarray(self.order)[:, 0] >= 0):
            here = self.angles[whole, j] + share[:, 0] * change[whole, j]
            rotations[:, j] = from_euler(self.order[j], here)
        arc = self._arcs()
        turned = _ROUND_UP / parts * arc[whole[:-1]]
        turned[parts :: parts + 1] = 0.0
        return _joint_major_float32(rotations), _joint_major_float32(turned)

    def rows(self) -> tuple[Any, Any]:
        """All rows (n, 4, F) and the angles turned between them (n, F - 1)."""
        return _joint_major_float32(self.turns), _joint_major_float32(_ROUND_UP * self._arcs())

    def _angle_changes(self) -> Floats:
        """(F - 1, n, 3) of the Euler angles, by the shorter way round."""
        change = np.diff(self.angles, axis=0)
        return change - 2 * np.pi * np.rint(change / (2 * np.pi))

    def _arcs(self) -> Floats:
        """(F - 1, n) bounds of the angles that joints turn by."""
        by_angles = np.asarray(self.order)[:, 0] >= 0
        arc = np.linalg.norm(self.change, axis=2)
        if by_angles.any():
            arc[:, by_angles] = np.abs(self._angle_changes()).sum(axis=2)[:, by_angles]
        return arc


def _joint_major_float32(values: Floats) -> Any:
    return np.ascontiguousarray(np.moveaxis(values, 0, -1), dtype=np.float32)


def from_euler(order: Ints, angles: Floats) -> Floats:
    """(rows, 4) rotations R_order0 R_order1 R_order2 by angles (rows, 3)."""
    out = np.tile([1.0, 0.0, 0.0, 0.0], (len(angles), 1))
    for slot, axis in enumerate(order):
        turn = quaternions.from_rotation_vectors(angles[:, slot, None] * np.eye(3)[axis])
        out = quaternions.multiply(out, turn)
    return out


def prove_clear(
    bound: Callable[..., Bounds], motion: JointRotations, slack: float
) -> tuple[Bools, float]:
    """Which intervals (F - 1,) are clear, and a lower bound of the clearance in these, metres.

    bound: `clear_bounds` of the body. An interval is clear if
    no pair overlaps deeply, and every clearance is at least -slack and at least the smallest
    clearance at the rows less `TOLERANCE_M`.
    """
    found = bound(*motion.rows())
    min_clearance_m = max(float(found.witnessed.min(initial=np.inf)) - TOLERANCE_M, -slack)
    clear, lowest = _proven(found, min_clearance_m), found.clearance.copy()
    penetrates = found.witnessed < -slack
    for parts in PARTS[1:]:
        left = np.flatnonzero(~clear & ~penetrates[:-1] & ~penetrates[1:])
        if not len(left):
            break
        found = bound(*motion.between(left, parts))
        # without what lies between two intervals
        shape = len(left), parts + 1
        each = np.append(_proven(found, min_clearance_m), True).reshape(shape)[:, :parts]
        low = np.append(found.clearance, np.inf).reshape(shape)[:, :parts]
        clear[left], lowest[left] = each.all(axis=1), low.min(axis=1)
    return clear, float(lowest[clear].min(initial=np.inf))


def _proven(bounds: Bounds, min_clearance_m: float) -> Bools:
    return (bounds.clearance >= min_clearance_m) & (bounds.deep >= DEEP_MARGIN_M)
