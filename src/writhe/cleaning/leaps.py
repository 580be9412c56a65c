"""How far joints move in a frame, compared with the source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.window_options import WindowOptions
from writhe.time_filters import running_maximum

_AROUND_S = 0.07  # the speed of the source is the largest within this time
LEAP_M = 0.02  # beyond its own largest step in the source


@dataclass(frozen=True)
class Leaps:
    """The largest changes from one frame to the next, over all joints, in metres.

    correction_m: largest change of a joint's displacement from the source.
    beyond_source_m: how much farther a joint moves than in the same frame of the source.
    beyond_largest_m: how much farther a joint moves than in any frame of the source.
    frames: number of frames in which beyond_largest_m exceeds 20 mm.
    """

    correction_m: float
    beyond_source_m: float
    beyond_largest_m: float
    frames: int

    def as_dict(self) -> dict[str, float | int]:
        """The values by name, for JSON."""
        return {
            "correction_m": self.correction_m,
            "beyond_source_m": self.beyond_source_m,
            "beyond_largest_m": self.beyond_largest_m,
            "frames": self.frames,
        }


def excess_motion(positions: Floats, source: Floats) -> Floats:
    """(frames - 1,) largest motion of any joint per frame beyond that of the source, m.

    positions, source (frames, joints, 3).
    """
    moved, given = (np.linalg.norm(np.diff(p, axis=0), axis=2) for p in (positions, source))
    return np.maximum(moved - given, 0.0).max(axis=1, initial=0.0)


def leaps(positions: Floats, source: Floats) -> Leaps:
    """The leaps of a motion, from joint positions (frames, joints, 3) of it and of its source."""
    if len(positions) < 2:
        return Leaps(0.0, 0.0, 0.0, 0)
    moved, given = (np.linalg.norm(np.diff(p, axis=0), axis=2) for p in (positions, source))
    beyond = np.maximum(moved - given.max(axis=0), 0.0).max(axis=1)
    change = np.linalg.norm(np.diff(positions - source, axis=0), axis=2)
    return Leaps(
        float(change.max()),
        float(excess_motion(positions, source).max()),
        float(beyond.max()),
        int((beyond > LEAP_M).sum()),
    )


def allowed_steps(source: Floats, fps: float, options: WindowOptions) -> Floats:
    """(frames - 1, joints) maximum displacement of each joint per frame, m.

    source (frames, joints, 3): positions of the joints in the source.
    """
    step = np.linalg.norm(np.diff(source, axis=0), axis=2)
    if len(step) == 0:
        return step
    around = 2 * round(_AROUND_S * fps) + 1
    local = running_maximum(step, around)
    anywhere = step.max(axis=0, keepdims=True)
    return np.minimum(local + options.local_speed_m_s / fps, anywhere + options.speed_m_s / fps)
