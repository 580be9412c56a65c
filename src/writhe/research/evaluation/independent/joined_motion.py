"""Motions of several groups of joints on one clock, such as two characters and an object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from writhe.research.evaluation.independent.motions import AnyMotion


@dataclass(frozen=True)
class MotionPart:
    """The joints (of the mechanism) that a motion moves, and the columns of it that they follow.

    start: the time on the common clock at which the motion begins; before it and after its end the
    joints keep the nearest pose.
    """

    joints: tuple[int, ...]
    columns: tuple[int, ...]
    motion: AnyMotion
    start: float = 0.0


@dataclass(frozen=True)
class JoinedMotion:
    """Parts that move different joints; all other joints rest. It lasts as long as `length` says.

    The parts count time in the same unit.
    """

    count: int
    parts: tuple[MotionPart, ...]
    length: float

    @property
    def breaks(self) -> np.ndarray:
        """The breaks of all parts, and both ends."""
        inner = [part.motion.breaks + part.start for part in self.parts]
        ends = [part.start + part.motion.length for part in self.parts]
        times = np.unique(np.concatenate([*inner, ends, [0.0, self.length]]))
        return times[(times >= 0.0) & (times <= self.length)]

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Shifts and rotation matrices of all joints at times."""
        shift = np.zeros((len(times), self.count, 3))
        turn = np.tile(np.eye(3), (len(times), self.count, 1, 1))
        for part in self.parts:
            own = np.clip(times - part.start, 0.0, part.motion.length)
            moved, turned = part.motion.at(own)
            shift[:, part.joints] = moved[:, part.columns]
            turn[:, part.joints] = turned[:, part.columns]
        return shift, turn

    def other_ways(self) -> list[JoinedMotion]:
        """The motion with one part going another way."""
        out: list[JoinedMotion] = []
        for k, part in enumerate(self.parts):
            for other in part.motion.other_ways():
                changed = (*self.parts[:k], replace(part, motion=other), *self.parts[k + 1 :])
                out.append(replace(self, parts=changed))
        return out

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "kind": "joined",
            "count": self.count,
            "length": self.length,
            "parts": [
                [list(p.joints), list(p.columns), p.motion.as_dict(), p.start] for p in self.parts
            ],
        }
