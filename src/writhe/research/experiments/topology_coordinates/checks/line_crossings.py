"""How often centre lines of bones pass through each other on a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.quantities import WritheMatrix
from writhe.skeleton import Skeleton
from writhe.skeleton.kinematics import interpolate
from writhe.solvers.tangling import TangleStage, Through
from writhe.topology import Strand

_SUSPECT = 0.2  # change of an entry between two frames that is looked at more closely
_DIVISIONS = 24
_SHARE = 0.4871  # where an interval is divided: not at the middle, where symmetric moves cross
_JUMP = 0.9  # of an entry in the last interval; a crossing changes it by 1, anything else by 0


@dataclass(frozen=True)
class LineCrossings:
    """Crossings of pairs of strands: under a bound on their writhe at the time, and others.

    The bound is that of Eqs. 7 and 11, which the published QP has for the pairs of the goals that
    are pursued. It has none for chains and loops (Eq. 10), nor for pairs of other keys.
    """

    bounded: int
    others: int

    @property
    def total(self) -> int:
        """All crossings."""
        return self.bounded + self.others


def line_crossings(
    skeleton: Skeleton, path: Floats, stages: Sequence[TangleStage]
) -> LineCrossings:
    """Crossings of all pairs of strands in the goals of any stage, on the whole path."""
    pairs: dict[tuple[str, str], tuple[Strand, Strand]] = {}
    bounded: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for stage in stages:
        for goal in stage.goals:
            for first, second in goal.pairs:
                key = (first.name, second.name)
                pairs[key] = first, second
                if not isinstance(goal, Through):
                    bounded.setdefault(key, []).append((stage.first, stage.last))
    counted = [0, 0]
    for key, pair in pairs.items():
        matrix = WritheMatrix(*pair)
        spans = bounded.get(key, [])
        for frame, number in _crossed(skeleton, matrix, path):
            under = any(first <= frame < last for first, last in spans)
            counted[0 if under else 1] += number
    return LineCrossings(*counted)


def _crossed(skeleton: Skeleton, matrix: WritheMatrix, path: Floats) -> list[tuple[int, int]]:
    """Frames after which entries of the matrix jump, with the number of entries."""
    values = np.array([matrix.value(skeleton, q) for q in path])
    out: list[tuple[int, int]] = []
    for frame, entry in np.argwhere(np.abs(np.diff(values, axis=0)) > _SUSPECT):
        if _jumps(skeleton, matrix, path[frame], path[frame + 1], int(entry)):
            out.append((int(frame), 1))
    return out


def _jumps(skeleton: Skeleton, matrix: WritheMatrix, a: Floats, b: Floats, entry: int) -> bool:
    """Whether an entry jumps on the way from a to b: the interval is divided around its change."""
    low, high = 0.0, 1.0
    at_low, at_high = (float(matrix.value(skeleton, q)[entry]) for q in (a, b))
    for _ in range(_DIVISIONS):
        middle = low + _SHARE * (high - low)
        value = float(matrix.value(skeleton, interpolate(skeleton, a, b, middle))[entry])
        if abs(value - at_low) > abs(at_high - value):
            high, at_high = middle, value
        else:
            low, at_low = middle, value
    return abs(at_high - at_low) > _JUMP
