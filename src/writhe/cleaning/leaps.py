"""How far joints move in a frame, compared with the source; leaps spread over more frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.cleaning.window_options import WindowOptions
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import Skeleton, forward
from writhe.skeleton.kinematics import difference, integrate
from writhe.time_filters import running_maximum

_AROUND_S = 0.07  # the speed of the source is the largest within this time
LEAP_M = 0.02  # beyond its own largest step in the source
_BESIDE_FRAMES = (4, 8, 16, 32)  # on either side of a leap, from which it takes its time
_FINE = 8  # instants per frame at which a motion is sampled to measure how fast it is
_MAX_HASTE = 0.7  # share of the time beside a leap that it may take


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


def leap_frames(positions: Floats, source: Floats) -> Ints:
    """The frames after which a joint leaps: positions and source (frames, joints, 3)."""
    if len(positions) < 2:
        return np.zeros(0, dtype=np.int64)
    moved, given = (np.linalg.norm(np.diff(p, axis=0), axis=2) for p in (positions, source))
    return np.flatnonzero((moved - given.max(axis=0)).max(axis=1) > LEAP_M)


def spread_leaps(
    skeleton: Skeleton,
    q: Floats,
    source: Floats,
    extra_m: float,
    may_change: Bools,
    passes: Callable[[Floats, int, int], bool],
) -> Floats:
    """(frames, nq) q with its leaps spread over more frames, where the result passes.

    The frames beside a leap are taken sooner before it and later after it, so that the leap gets
    the time that it needs. The body passes the same postures, so that little changes but the time.

    source (frames, joints, 3): positions of the joints in the source. extra_m: how much farther a
    joint may move in a frame than anywhere in the source. may_change (nv,): degrees of freedom that
    may change. passes: whether the frames from the first number up to before the second are
    certified.
    """
    step = np.linalg.norm(np.diff(source, axis=0), axis=2)
    max_step = step.max(axis=0, initial=0.0) + extra_m
    for leap in leap_frames(forward(skeleton, q).positions, source):
        for beside in _BESIDE_FRAMES:
            first, last = max(0, int(leap) - beside), min(len(q) - 1, int(leap) + 1 + beside)
            times = _calmer_times(skeleton, q[first : last + 1], max_step)
            if times is None:
                continue
            found = q.copy()
            for t in range(first + 1, last):
                found[t] = _at(skeleton, q, first + times[t - first], q[t], may_change)
            part = slice(first, last + 1)
            before, after = (
                len(leap_frames(forward(skeleton, rows[part]).positions, source))
                for rows in (q, found)
            )
            if after < before and passes(found, first, last + 1):
                q = found
                break
    return q


def _calmer_times(skeleton: Skeleton, q: Floats, max_step: Floats) -> Floats | None:
    """(frames,) at which times of q (frames, nq) to be in each frame; None if time is too short."""
    count = _FINE * (len(q) - 1)
    fine = np.array([_between(skeleton, q, i / _FINE) for i in range(count + 1)])
    step = np.linalg.norm(np.diff(forward(skeleton, fine).positions, axis=0), axis=2)
    needed: Floats = (step / np.maximum(max_step, 1e-6)).max(axis=1)
    given = 1.0 / _FINE
    lacking = np.maximum(needed - given, 0.0).sum()
    free = np.maximum(given - needed, 0.0).sum()
    if lacking > _MAX_HASTE * free:
        return None
    haste = lacking / max(free, 1e-9)
    taken: Floats = np.where(needed > given, needed, given - haste * (given - needed))
    arrived = np.concatenate([[0.0], np.cumsum(taken)])
    return np.interp(np.arange(len(q)), arrived, np.arange(count + 1) / _FINE)


def _between(skeleton: Skeleton, q: Floats, time: float) -> Floats:
    """(nq,) the posture of q (frames, nq) at a time in frames."""
    frame = min(int(time), len(q) - 2)
    out = np.empty(q.shape[1])
    kinematics.interpolate(skeleton.tree, q[frame], q[frame + 1], time - frame, out)
    return out


def _at(skeleton: Skeleton, q: Floats, time: float, here: Floats, may_change: Bools) -> Floats:
    """(nq,) the posture of q at a time in frames; what may not change stays as `here` (nq,)."""
    there = _between(skeleton, q, time)
    if may_change.all():
        return there
    return integrate(skeleton, here, np.where(may_change, difference(skeleton, here, there), 0.0))
