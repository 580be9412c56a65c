"""Closes fingers from one hand pose (by default flat) to another, until they touch something.

Fingers bend together in small steps, the thumb after them. When a phalanx touches the palm, another
finger or an object, the joints from the knuckle to that phalanx stop and those nearer to the
fingertip go on bending, so that the finger wraps around the obstacle. The start of the contact is
found by bisection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, NearPairs
from writhe.hands.hand import Hand, set_finger
from writhe.hands.poses import finger_goal
from writhe.kernels.skeleton.kinematics import forward

_STEPS = 40  # number of steps in which a finger bends from one pose to the other
_HALVINGS = 6
_OVERLAP_M = 2e-4  # a finger stops when it overlaps by this much more than allowed
FINGER_TOUCHES_M = 0.001  # shapes this near touch
_SetFinger = Callable[[int, Floats], None]


@dataclass(frozen=True)
class Touch:
    """Where a hand touches something else; position and normal are in the world."""

    joint: str
    other: str  # a part
    gap_m: float
    position: Floats
    normal: Floats  # out of the other's surface


@dataclass(frozen=True)
class ClosedHand:
    """The configuration with closed fingers, and where the hand touches other parts."""

    q: Floats
    touches: tuple[Touch, ...]


def close_fingers(
    table: CollisionTable,
    q: Floats,
    hand: Hand,
    pose: str,
    *,
    prefix: str = "",
    start: str = "flat",
) -> ClosedHand:
    """Close the fingers of a hand from one named pose towards another until they touch something.

    table: the collision table of the figure or of a scene.
    q: a configuration (nq,) of that figure or scene.
    prefix: what the joint names of the actor begin with in a scene, such as "anna.".
    """
    closing = _Closing(table, q.copy(), hand, prefix)
    return closing.run(pose, start)


class _Closing:
    def __init__(self, table: CollisionTable, q: Floats, hand: Hand, prefix: str) -> None:
        self.table, self.q, self.hand, self.prefix = table, q, hand, prefix
        skeleton = table.skeleton
        n = len(skeleton)
        self._near = NearPairs(table)
        self._positions, self._rotations = np.empty((n, 3)), np.empty((n, 3, 3))
        self._phalanx = np.full(n, -1)  # the number of each joint in its finger
        self._finger = np.full(n, -1)
        for i, finger in enumerate(hand.fingers):
            for k, name in enumerate(finger.joints):
                self._phalanx[skeleton.index(prefix + name)] = k
                self._finger[skeleton.index(prefix + name)] = i
        wrist = skeleton.index(prefix + hand.wrist)
        self._of_hand: Bools = np.zeros(n, dtype=np.bool_)
        self._of_hand[wrist : int(skeleton.tree.subtree_end[wrist])] = True
        # (negative) clearance of shape pairs that overlap before closing; they may stay that deep
        self._start_clearance: dict[int, float] = {}

    def run(self, pose: str, start: str) -> ClosedHand:
        fingers = self.hand.fingers
        opened = [finger_goal(f, start) for f in fingers]
        goals = [finger_goal(f, pose) for f in fingers]
        share = [np.zeros(len(f.joints)) for f in fingers]
        stopped = [np.zeros(len(f.joints), dtype=np.bool_) for f in fingers]

        def place(i: int, at: Floats) -> None:
            (bend, spread), (bend_to, spread_to) = opened[i], goals[i]
            aside = spread + float(at[0]) * (spread_to - spread)
            set_finger(
                self.table.skeleton,
                self.q,
                fingers[i],
                bend + at * (bend_to - bend),
                aside,
                prefix=self.prefix,
            )

        for i in range(len(fingers)):
            place(i, share[i])
        self._evaluate()
        rows = self._near.rows
        for row in range(self._near.count):
            clearance = float(rows.gap[row] + rows.allowance[row])
            if clearance < 0.0:
                self._start_clearance[int(rows.shape_pair[row])] = clearance
        thumbs = [i for i, f in enumerate(fingers) if f.name == "thumb"]
        others = [i for i in range(len(fingers)) if i not in thumbs]
        for group in (others, thumbs):
            for _ in range(_STEPS):
                for i in group:
                    if not stopped[i].all():
                        self._advance(i, share[i], stopped[i], place)
        return ClosedHand(self.q, self._touches())

    def _advance(self, i: int, share: Floats, stopped: Bools, place: _SetFinger) -> None:
        """Bend a finger by one step, or by the part of it up to the first contact."""
        step = np.where(stopped, 0.0, np.minimum(1.0 / _STEPS, 1.0 - share))
        if not step.any():
            stopped[:] = True
            return
        place(i, share + step)
        blocked_at = self._first_blocked_phalanx(i)
        if blocked_at is None:
            share += step
            return
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            place(i, share + middle * step)
            found = self._first_blocked_phalanx(i)
            if found is None:
                low = middle
            else:
                high, blocked_at = middle, found
        share += low * step
        place(i, share)
        stopped[: blocked_at + 1] = True

    def _evaluate(self) -> None:
        forward(self.table.skeleton.tree, self.q, self._positions, self._rotations)
        self._near.find(self._positions, self._rotations, 0.0)

    def _first_blocked_phalanx(self, i: int) -> int | None:
        """The first phalanx of finger i that overlaps something by more than is allowed."""
        self._evaluate()
        rows, count = self._near.rows, self._near.count
        low = np.flatnonzero(rows.gap[:count] + rows.allowance[:count] < -_OVERLAP_M)
        first: int | None = None
        for row in low:
            joints = rows.joints[row]
            mine = joints[self._finger[joints] == i]
            if len(mine) == 0:
                continue
            before = self._start_clearance.get(int(rows.shape_pair[row]), 0.0)
            if rows.gap[row] + rows.allowance[row] > before - _OVERLAP_M:
                continue
            k = int(self._phalanx[mine].min())
            first = k if first is None else min(first, k)
        return first

    def _touches(self) -> tuple[Touch, ...]:
        forward(self.table.skeleton.tree, self.q, self._positions, self._rotations)
        self._near.find(self._positions, self._rotations, FINGER_TOUCHES_M)
        rows, names = self._near.rows, self.table.skeleton.names
        best: dict[tuple[int, int], Touch] = {}
        for row in range(self._near.count):
            a, b = (int(j) for j in rows.joints[row])
            if self._of_hand[a] == self._of_hand[b]:
                continue
            mine, side, at = (a, 1, rows.surface_a) if self._of_hand[a] else (b, 0, rows.surface_b)
            shape = int(rows.shapes[row, side])
            gap, key = float(rows.gap[row]), (mine, self.table.shape_parts[shape])
            if key not in best or gap < best[key].gap_m:
                joint = names[mine].removeprefix(self.prefix)
                normal = rows.normal[row] * (1.0 if side == 1 else -1.0)
                part = self.table.part_of_shape(shape)
                best[key] = Touch(joint, part, gap, at[row].copy(), normal)
        return tuple(best.values())
