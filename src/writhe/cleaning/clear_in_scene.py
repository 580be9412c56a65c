"""Clear segments of an actor's motion in a scene, by a planned detour or by pushing parts out.

Rows are configurations (n, nq) of the whole scene, one per frame. The poses at the ends of a
segment stay unchanged, and only the actor moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.clean import clean
from writhe.cleaning.motion_change import MotionChange, motion_change
from writhe.collision import Certificate, certify
from writhe.easing import smoothstep
from writhe.errors import WritheError
from writhe.planning import scene_problem
from writhe.planning.route_search import CLOSE, WIDE, failure_reason, search, timed_motion
from writhe.progress import Progress
from writhe.scene import Scene
from writhe.skeleton import Figure, Motion
from writhe.skeleton.kinematics import difference, integrate
from writhe.topology import linking_vector

# frames over which a correction fades out at the ends of a segment, tried in this order
_TAPERS = (6, 3)
_WOUND = 0.5  # change of linking between two poses above which a detour is needed
_STAYS_M = 0.005  # a pinned joint that moves less between two poses counts as planted


@dataclass(frozen=True)
class ActorMotion:
    """An actor whose motion is cleared, in its scene.

    `key_frames` are frames whose poses must not change; `name_of` gives the display name of a part
    for messages.
    """

    scene: Scene
    actor: str
    fps: float
    pins: tuple[str, ...] = ()
    key_frames: frozenset[int] = frozenset()
    name_of: Callable[[str], str] = str

    @cached_property
    def figure(self) -> Figure:
        """The actor's figure."""
        return next(a.figure for a in self.scene.actors if a.name == self.actor)

    @property
    def own(self) -> slice:
        """The slice of the actor in a configuration of the scene."""
        return self.scene.layout.actor_q[self.actor]

    def certified(self, rows: Floats, q: Floats) -> bool:
        """Whether the scene rows (n, nq) are certified with the actor's postures q."""
        out = rows.copy()
        out[:, self.own] = q
        return certify(self.scene.layout.table, out, self.fps).certified

    def clear(self, q: Floats) -> bool:
        """Whether a configuration of the scene is free of overlaps."""
        return self._certificate_at(q).certified

    def overlap(self, q: Floats) -> str:
        """The worst overlap in a configuration of the scene as text; empty if there is none."""
        report = self._certificate_at(q)
        if report.certified:
            return ""
        worst = min(report.worst_pairs, key=lambda pair: pair.clearance_m)
        depth_mm = math.ceil(-1000 * worst.clearance_m)
        return f"{self.name_of(worst.a)} and {self.name_of(worst.b)} overlap by {depth_mm} mm"

    def _certificate_at(self, q: Floats) -> Certificate:
        return certify(self.scene.layout.table, np.stack([q, q]), self.fps)

    def linking_changes(self, first: Floats, last: Floats) -> bool:
        """Whether the linking of limbs differs between the two poses (over has become under)."""
        if len(self.figure.strands) < 2:
            return False
        before, after = (linking_vector(self.figure, q[self.own]) for q in (first, last))
        return bool(np.abs(after - before).max() > _WOUND)

    def segment(self, rows: Floats, first: int, last: int) -> tuple[int, int]:
        """The frames from `first` to `last`, extended while the end frames overlap.

        Raises if a pose at an end still overlaps: no motion between the ends can clear it.
        """
        while first > 0 and first not in self.key_frames and not self.clear(rows[first]):
            first -= 1
        while last < len(rows) - 1 and last not in self.key_frames and not self.clear(rows[last]):
            last += 1
        for frame in (first, last):
            overlap = self.overlap(rows[frame])
            if overlap:
                raise WritheError(
                    f"In the pose at {frame / self.fps:.2f} s {overlap}. Keyed poses are not"
                    " changed: drag these parts apart there (moving one of them is enough), or"
                    " allow the contact"
                )
        return first, last

    def detour(self, rows: Floats) -> Motion:
        """A planned motion between the first and the last of the scene rows (n, nq)."""
        ends = Motion(self.figure.skeleton, rows[[0, -1], self.own], self.fps).frames()
        planted = tuple(
            joint
            for joint in self.pins
            if np.linalg.norm(np.subtract(*ends.position(joint))) < _STAYS_M
        )
        first, last = rows[0, self.own], rows[-1, self.own]
        problem = scene_problem(
            self.scene, self.actor, first, last, planted=planted, around=rows[0]
        )
        reason = ""
        for falloff in (CLOSE, WIDE):
            found = search(problem, falloff)
            if not found.solved:
                reason = failure_reason(found, self.name_of)
                continue
            try:
                scene_motion = timed_motion(found, (len(rows) - 1) / self.fps, self.fps)
            except WritheError as error:  # the other fall-off may keep more clearance
                reason = str(error)
                continue
            q = np.ascontiguousarray(scene_motion.q[:, self.own])
            q[0], q[-1] = first, last
            motion = Motion(self.figure.skeleton, q, scene_motion.fps, "Detour")
            if self.certified(rows, motion.resample(self.fps).q):
                return motion
            reason = "other moving parts block every path that was found; push out instead"
        raise WritheError(f"Cannot go around: {reason}.")

    def pushed_out(self, rows: Floats, progress: Progress | None = None) -> Motion:
        """The actor's motion in the scene rows (n, nq) with overlaps pushed out; its ends stay."""
        found = clean(
            self.scene,
            Motion(self.scene.layout.skeleton, rows, self.fps),
            actor=self.actor,
            euler=False,
            progress=progress,
        )
        pushed = np.ascontiguousarray(found.motion.q[:, self.own])
        for frames in _TAPERS:
            q = _tapered(self.figure, rows[:, self.own], pushed, frames)
            q[0], q[-1] = rows[0, self.own], rows[-1, self.own]
            if self.certified(rows, q):
                return Motion(self.figure.skeleton, q, self.fps, "Pushed out")
        raise WritheError(
            "This segment cannot be pushed out without changing the poses at its ends: parts pass"
            " right through each other. Go around instead."
        )

    def change(self, rows: Floats, motion: Motion) -> MotionChange:
        """How a motion of the actor differs from that in the scene rows (n, nq)."""
        q = motion.resample(self.fps).q
        return motion_change(self.figure, np.ascontiguousarray(rows[:, self.own]), q, self.fps)

    def cleared(
        self, rows: Floats, progress: Progress | None = None
    ) -> tuple[Motion, MotionChange]:
        """The segment cleared by a detour or by pushing out, whichever costs less.

        The detour is tried first if the linking of the limbs changes, otherwise pushing out. The
        other is compared if the first does not keep joint limits and planted feet, or if it pops
        (`MotionChange.acceptable`).
        """
        ways: list[Callable[[], Motion]] = [
            lambda: self.pushed_out(rows, progress),
            lambda: self.detour(rows),
        ]
        if self.linking_changes(rows[0], rows[-1]):
            ways.reverse()
        found: list[tuple[Motion, MotionChange]] = []
        reasons: list[str] = []
        for way in ways:
            try:
                motion = way()
            except WritheError as error:
                reasons.append(str(error))
                continue
            found.append((motion, self.change(rows, motion)))
            if found[-1][1].acceptable:
                break
        if not found:
            raise WritheError(reasons[-1])
        return min(found, key=lambda one: one[1].cost_m)


@dataclass(frozen=True)
class ClearedMotion:
    """New motions by actor with their first frames, what they change, and what was not cleared.

    `remaining` holds one message per reason, with all the times to which it applies.
    """

    motions: list[tuple[str, Motion, int]] = field(default_factory=list[tuple[str, Motion, int]])
    changes: list[MotionChange] = field(default_factory=list[MotionChange])
    remaining: list[str] = field(default_factory=list[str])


def clear_scene(
    actors: Mapping[str, ActorMotion],
    rows: Floats,
    edges: Sequence[int],
    *,
    preferred: str = "",
    animated: frozenset[str] = frozenset(),
    progress: Progress | None = None,
) -> ClearedMotion:
    """Clear all segments between `edges` (frame numbers) that are not certified.

    In each segment one actor moves: the `preferred` one if it overlaps, else one that is
    `animated`, else any.
    """
    out, rows = ClearedMotion(), rows.copy()
    reasons: dict[str, list[str]] = {}  # to the times at which something was not cleared
    for done, (first, last) in enumerate(pairwise(edges)):
        if progress is not None:
            progress(done / (len(edges) - 1))
        part = rows[first : last + 1]
        movable = _overlapping_actors(actors, part, animated)
        if not movable:
            continue
        mover = actors[preferred if preferred in movable else movable[0]]
        try:
            begin, end = mover.segment(rows, first, last)
            motion, change = mover.cleared(rows[begin : end + 1], progress)
        except WritheError as error:
            times = f"{first / mover.fps:.2f} to {last / mover.fps:.2f} s"
            reasons.setdefault(str(error), []).append(times)
            continue
        rows[begin : end + 1, mover.own] = motion.resample(mover.fps).q
        out.motions.append((mover.actor, motion, begin))
        out.changes.append(change)
    out.remaining.extend(f"{', '.join(times)}: {reason}" for reason, times in reasons.items())
    return out


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


def _tapered(figure: Figure, before: Floats, after: Floats, frames: int) -> Floats:
    """The correction from `before` to `after` (n, nq), faded out over `frames` at both ends."""
    count = len(before)
    away = np.minimum(np.arange(count), np.arange(count)[::-1])
    share = smoothstep(away / min(frames, max(1, (count - 1) // 2)))
    out = np.stack(
        [
            integrate(figure.skeleton, a, s * difference(figure.skeleton, a, b))
            for a, b, s in zip(before, after, share, strict=True)
        ]
    )
    out[0], out[-1] = before[0], before[-1]  # exactly: keys do not change by rounding either
    return out
