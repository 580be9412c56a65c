"""Clean a whole clip: penetrations gone, style and feet kept, certified.

Two passes push every frame clear, with corrections that swell and fade over time (`correct`).
Then a gated tracker follows these postures from frame to frame, so that the way between frames is
certified too. A source that passes through itself leaves the tracker behind on the side where the
body is, until a way round is found (`detour`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import Certificate, CollisionTable, certify
from writhe.errors import WritheError
from writhe.motion.correct import corrected
from writhe.motion.detour import Detours
from writhe.skeleton import Figure, Motion, forward
from writhe.solvers.tracking import PostureTracker, TrackingOptions

Progress = Callable[[int, int], None]

_BEHIND_M = 0.06  # a joint farther than this from where it is wanted is left behind
_PATIENCE = 3  # frames after which a way round is looked for
_AGAIN = 10  # frames after which it is looked for again
_DETOURS_S = (0.27, 0.45, 0.7)  # how long a way round takes, as tried
_QUICK_M_S = 5.0  # a way round that leaves the source faster is taken only if there is no slower


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
    fade_s: float = 0.4,
    go_round: bool = True,
    progress: Progress | None = None,
    variables: Bools | None = None,
) -> Cleaned:
    """Remove the penetrations of a motion of `figure`'s skeleton.

    Frames more than `fade_s` away from any that penetrates stay exactly as they are. Where the
    source passes through itself the limbs go round, or, without `go_round`, stay on their side.
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
    fade = max(1, round(fade_s * motion.fps))
    wanted = corrected(tracker, motion.q, fade, lambda done: tell(done, total))
    detours = Detours(tracker, _BEHIND_M) if go_round else None
    rows = _followed(
        tracker,
        wanted,
        detours,
        [max(2, round(seconds * motion.fps)) for seconds in _DETOURS_S],
        _QUICK_M_S / motion.fps,
        lambda done: tell(2 * len(motion) + done, total),
    )
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


def _followed(
    tracker: PostureTracker,
    wanted: Floats,
    detours: Detours | None,
    lengths: Sequence[int],
    quick_m: float,
    tell: Callable[[int], None],
) -> Floats:
    """The certified motion that follows these postures; where it is left behind it goes round.

    lengths: of ways round, in frames, in the order in which they are tried until one leaves the
    source by no more than quick_m a frame; else the slowest is taken.
    """
    skeleton = tracker.figure.skeleton
    places = forward(skeleton, wanted).positions
    rows = np.empty_like(wanted)
    rows[0] = wanted[0]
    i = late = 0
    while i + 1 < len(rows):
        i += 1
        rows[i] = tracker.follow(rows[i - 1], wanted[i], gated=True)
        behind = np.linalg.norm(forward(skeleton, rows[i]).positions - places[i], axis=1)
        late = late + 1 if behind.max() > _BEHIND_M else 0
        if detours and (late == _PATIENCE or (late and late % _AGAIN == 0)):
            # round the moment at which it fell behind, or, tried in vain before, from here on
            first = late == _PATIENCE
            best, slowest_m = None, np.inf
            for length in lengths:
                start = max(0, i - _PATIENCE - length // 2) if first else i
                way = detours.find(rows[start], wanted[start : start + length + 1], behind)
                if way is None or start + len(way) <= i:
                    continue
                away = forward(skeleton, way).positions - places[start : start + len(way)]
                speed_m = float(np.linalg.norm(np.diff(away, axis=0), axis=2).max())
                if speed_m < slowest_m:
                    best, slowest_m = (start, way), speed_m
                if speed_m <= quick_m:
                    break
            if best is not None:
                start, way = best
                i = start + len(way) - 1
                rows[start : i + 1] = way
                late = 0
        tell(i + 1)
    return rows


def _silent(done: int, total: int) -> None:
    """Nobody wants to know how far it is."""
