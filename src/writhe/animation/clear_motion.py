"""Clears the motion of a scene: every segment that is not certified, by moving one actor in it.

Rows are configurations (n, nq) of the whole scene, one per frame. Keyed poses stay unchanged unless
`move_keys` is given, and so do the frames at the ends of a segment that are clear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from writhe.animation.clear_actor import ActorMotion, KeyOverlapError
from writhe.arrays import Floats
from writhe.cleaning.motion_change import MotionChange
from writhe.collision import certify
from writhe.errors import WritheError
from writhe.progress import Progress
from writhe.skeleton import Motion, forward


@dataclass(frozen=True)
class MovedOutKey:
    """A keyed pose that overlapped and was moved out: `q` (nq) of the actor, `distance_m` moved."""

    actor: str
    frame: int
    q: Floats
    distance_m: float


@dataclass(frozen=True)
class ClearedMotion:
    """New motions by actor with their first frames, what they change, and what was not cleared.

    `remaining` holds one message per reason, with all the times to which it applies;
    `overlapping_keys` the times of keyed poses that overlap and were not moved.
    """

    motions: list[tuple[str, Motion, int]] = field(default_factory=list[tuple[str, Motion, int]])
    changes: list[MotionChange] = field(default_factory=list[MotionChange])
    moved_keys: list[MovedOutKey] = field(default_factory=list[MovedOutKey])
    overlapping_keys: list[float] = field(default_factory=list[float])
    remaining: list[str] = field(default_factory=list[str])


def clear_scene(
    actors: Mapping[str, ActorMotion],
    rows: Floats,
    edges: Sequence[int],
    *,
    preferred: str = "",
    animated: frozenset[str] = frozenset(),
    move_keys: bool = False,
    progress: Progress | None = None,
) -> ClearedMotion:
    """Clear all segments between `edges` (frame numbers) that are not certified.

    In each segment one actor moves: the `preferred` one if it overlaps, else one that is
    `animated`, else any. Successive segments without a key between them are cleared as one.
    move_keys: keyed poses that overlap are moved out, by the smallest change; else they stay.
    """
    out, rows = ClearedMotion(), rows.copy()
    reasons: dict[str, list[str]] = {}  # to the times at which something was not cleared
    found = _bad_segments(actors, rows, edges, preferred, animated)
    if move_keys:
        for frame in sorted({f for segment in found for f in segment[1:]} & _key_frames(actors)):
            try:
                moved = move_pose_out(actors, rows[frame], preferred=preferred, animated=animated)
            except WritheError:
                continue  # reported below, with the segments that end there
            if moved is not None:
                rows[frame, actors[moved.actor].own] = moved.q
                out.moved_keys.append(replace(moved, frame=frame))
    for done, (name, first, last) in enumerate(found):
        if progress is not None:
            progress(done / len(found))
        mover = actors[name]
        try:
            begin, end = mover.segment(rows, first, last)
            part = rows[begin : end + 1]
            motion, change = mover.cleared(part, progress, fixed=mover.fixed_ends(part, begin))
        except KeyOverlapError as error:
            out.overlapping_keys.append(error.time_s)
            reasons.setdefault(str(error), [])
            continue
        except WritheError as error:
            times = f"{first / mover.fps:.2f} to {last / mover.fps:.2f} s"
            reasons.setdefault(str(error), []).append(times)
            continue
        rows[begin : end + 1, mover.own] = motion.resample(mover.fps).q
        out.motions.append((mover.actor, motion, begin))
        out.changes.append(change)
    out.remaining.extend(
        f"{', '.join(times)}: {reason}" if times else reason for reason, times in reasons.items()
    )
    return out


def move_pose_out(
    actors: Mapping[str, ActorMotion],
    q: Floats,
    *,
    preferred: str = "",
    animated: frozenset[str] = frozenset(),
) -> MovedOutKey | None:
    """The overlapping actor of a scene configuration (nq) moved out; None if nothing overlaps.

    Raises if no pose nearby is clear.
    """
    movable = _overlapping_actors(actors, q[None].repeat(2, axis=0), animated)
    if not movable:
        return None
    mover = actors[preferred if preferred in movable else movable[0]]
    moved = mover.moved_out(q)
    if moved is None:
        raise WritheError(
            f"No pose nearby is clear: {mover.overlap(q)}. Drag the body away, or move the object"
        )
    before, after = (forward(mover.figure.skeleton, row[mover.own]) for row in (q, moved))
    far = float(np.linalg.norm(after.positions - before.positions, axis=1).max())
    return MovedOutKey(mover.actor, 0, np.ascontiguousarray(moved[mover.own]), far)


def _bad_segments(
    actors: Mapping[str, ActorMotion],
    rows: Floats,
    edges: Sequence[int],
    preferred: str,
    animated: frozenset[str],
) -> list[tuple[str, int, int]]:
    """The actor that moves, first and last frame of what is not certified."""
    found: list[tuple[str, int, int]] = []
    for first, last in pairwise(edges):
        movable = _overlapping_actors(actors, rows[first : last + 1], animated)
        if not movable:
            continue
        name = preferred if preferred in movable else movable[0]
        if found and found[-1][::2] == (name, first) and first not in actors[name].key_frames:
            found[-1] = (name, found[-1][1], last)
        else:
            found.append((name, first, last))
    return found


def _key_frames(actors: Mapping[str, ActorMotion]) -> set[int]:
    return {frame for actor in actors.values() for frame in actor.key_frames}


def _overlapping_actors(
    actors: Mapping[str, ActorMotion], rows: Floats, animated: frozenset[str]
) -> list[str]:
    """The actors of the worst overlap in scene rows; only the animated ones, if there are any."""
    one = next(iter(actors.values()), None)
    if one is None:
        return []
    report = certify(one.scene.layout.table, rows, one.fps)
    if report.certified:
        return []
    worst = min(report.worst_pairs, key=lambda pair: pair.clearance_m)
    owners = dict.fromkeys(part.partition(".")[0] for part in (worst.a, worst.b) if "." in part)
    return [name for name in owners if name in animated] or list(owners)
