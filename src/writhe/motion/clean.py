"""Clean a whole clip: penetrations gone, style and feet kept, certified.

Three passes. First every frame is pushed clear by itself, starting from its neighbour's correction,
forwards and backwards, and the corrections are smoothed over time so that they swell and fade. Then
a gated tracker follows the smoothed postures from frame to frame, so that the way between frames is
certified too. A source that passes through itself leaves the tracker behind on the side where the
body is, until a way round is found (`detour`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from writhe.arrays import Bools, Floats
from writhe.collision import Certificate, CollisionTable, certify
from writhe.errors import WritheError
from writhe.motion.detour import Detours
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.kinematics import difference, integrate
from writhe.solvers.tracking import PostureTracker, TrackingOptions

Progress = Callable[[int, int], None]

_BEHIND_M = 0.06  # a joint farther than this from where it is wanted is left behind
_PATIENCE = 8  # frames after which a way round is looked for
_DETOUR_FRAMES = (10, 16, 24)


@dataclass(frozen=True)
class Cleaned:
    """A cleaned motion with what it was and what it is."""

    motion: Motion
    before: Certificate
    after: Certificate
    mean_displacement_m: float  # of all joints over all frames
    max_displacement_m: float
    changed_frames: int


def clean(
    motion: Motion,
    figure: Figure,
    *,
    table: CollisionTable | None = None,
    options: TrackingOptions | None = None,
    fade_frames: float = 4.0,
    progress: Progress | None = None,
    variables: Bools | None = None,
) -> Cleaned:
    """Remove the penetrations of a motion of `figure`'s skeleton.

    `variables` (nv) marks what may be changed; by default everything.
    """
    if motion.skeleton.names != figure.skeleton.names:
        raise WritheError(
            f"the motion {motion.name!r} is of another skeleton than {figure.name!r}: retarget it"
        )
    shapes = table or CollisionTable.of_figure(figure)
    tracker = PostureTracker(figure, shapes, options, variables=variables)
    total = 3 * len(motion)
    tell = progress or _silent
    wanted = _smoothed(tracker, motion, fade_frames, lambda done: tell(done, total))
    rows = _followed(tracker, wanted, lambda done: tell(2 * len(motion) + done, total))
    moved = np.linalg.norm(
        forward(figure.skeleton, rows).positions - forward(figure.skeleton, motion.q).positions,
        axis=2,
    )
    return Cleaned(
        motion=replace(motion, q=rows),
        before=certify(shapes, motion.q, motion.fps),
        after=certify(shapes, rows, motion.fps),
        mean_displacement_m=float(moved.mean()),
        max_displacement_m=float(moved.max()),
        changed_frames=int((moved.max(axis=1) > 1e-6).sum()),
    )


def _followed(tracker: PostureTracker, wanted: Floats, tell: Callable[[int], None]) -> Floats:
    """The certified motion that follows these postures; where it is left behind it goes round."""
    skeleton = tracker.figure.skeleton
    detours = Detours(tracker.figure, tracker.gate)
    places = forward(skeleton, wanted).positions
    rows = np.empty_like(wanted)
    rows[0] = wanted[0]
    i = behind = 0
    while i + 1 < len(rows):
        i += 1
        rows[i] = tracker.follow(rows[i - 1], wanted[i], gated=True)
        apart = np.linalg.norm(forward(skeleton, rows[i]).positions - places[i], axis=1).max()
        behind = behind + 1 if apart > _BEHIND_M else 0
        if behind and behind % _PATIENCE == 0:
            # from where it fell behind, or, tried in vain before, from where it is now
            start = i - _PATIENCE if behind == _PATIENCE else i
            for length in _DETOUR_FRAMES:
                way = detours.find(rows[start], wanted[start : start + length + 1])
                if way is not None and start + len(way) > i:
                    i = start + len(way) - 1
                    rows[start : i + 1] = way
                    behind = 0
                    break
        tell(i + 1)
    return rows


def _smoothed(
    tracker: PostureTracker, motion: Motion, fade_frames: float, tell: Callable[[int], None]
) -> Floats:
    """The clip with every frame pushed clear and the corrections fading in and out over time."""
    skeleton, q = motion.skeleton, motion.q
    count, margin = len(q), tracker.options.margin_m
    corrections = np.zeros((count, skeleton.dof_count))
    bad = np.array([tracker.clearance(row) < margin for row in q])
    for offset, order in ((0, range(count)), (count, range(count - 1, -1, -1))):
        before = np.zeros(skeleton.dof_count)
        for done, i in enumerate(order):
            tell(offset + done + 1)
            if not bad[i]:
                before = 0.5 * before
                continue
            start = integrate(skeleton, q[i], before)
            clear = tracker.follow(start, q[i], gated=False)
            before = difference(skeleton, q[i], clear)
            corrections[i] += 0.5 * before
    if not bad.any():
        return q.copy()
    width = max(1, round(2 * fade_frames))
    spread = gaussian_filter1d(corrections, fade_frames, axis=0, mode="nearest")
    # a blunt spike keeps its height: what smoothing took off is put back around the peak
    peak = maximum_filter1d(np.abs(corrections), 2 * width + 1, axis=0, mode="nearest")
    left = maximum_filter1d(np.abs(spread), 2 * width + 1, axis=0, mode="nearest")
    gain = np.divide(peak, left, out=np.ones_like(peak), where=left > 1e-9)
    spread *= gaussian_filter1d(np.clip(gain, 1.0, 2.0), fade_frames, axis=0, mode="nearest")
    active = maximum_filter1d(bad.astype(np.int8), 4 * width + 1, mode="constant").astype(bool)
    out = q.copy()
    for i in np.flatnonzero(active):
        shifted = integrate(skeleton, q[i], spread[i])
        out[i] = tracker.follow(shifted, shifted, gated=False)
    return out


def _silent(done: int, total: int) -> None:
    """Nobody wants to know how far it is."""
