"""Ways to clear a segment of an actor's motion: corrected, cleaned, or led around by a plan.

Rows are configurations (n, nq) of the whole scene, one per frame; only the actor moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from writhe.animation.motion_correction import MotionCorrection
from writhe.animation.options import AnimateOptions
from writhe.arrays import Floats
from writhe.cleaning.clean import clean
from writhe.cleaning.motion_change import MotionChange, motion_change
from writhe.collision import Certificate, Gate, certify
from writhe.easing import smoothstep
from writhe.errors import WritheError
from writhe.planning import scene_problem
from writhe.planning.connect import timed_paths
from writhe.progress import Progress
from writhe.scene import Scene
from writhe.skeleton import Figure, Motion
from writhe.skeleton.kinematics import difference, integrate
from writhe.topology import linking_vector

# frames over which a correction fades out at the ends of a segment, tried in this order
_TAPERS = (6, 3)
_SPREADS_S = (0.08, 0.2, 0.4)  # over which corrections are smoothed, tried in this order
_BESIDE_S = 0.25  # of motion on both sides of an overlap that is cleaned or led around with it
_LONGEST_DETOUR_S = 6.0  # a planned path replaces the motion: not for longer than this
_WOUND = 0.5  # change of linking between two poses above which a detour is needed
_STAYS_M = 0.005  # a pinned joint that moves less between two poses counts as planted


class KeyOverlapError(WritheError):
    """A keyed pose overlaps, so that no motion through it can be clear."""

    def __init__(self, time_s: float, overlap: str) -> None:
        self.time_s = time_s
        super().__init__(
            f"In the pose at {time_s:.2f} s {overlap}. Keyed poses are not changed unasked: move"
            " the key out, drag these parts apart there, or allow the contact"
        )


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

        Raises if a keyed pose at an end overlaps: no motion between the ends can clear it. An end
        of the motion that is not keyed may overlap: it is free to move.
        """
        first, last = self.extended(rows, first, last)
        for frame in (first, last):
            if frame in self.key_frames and (overlap := self.overlap(rows[frame])):
                raise KeyOverlapError(frame / self.fps, overlap)
        return first, last

    def extended(self, rows: Floats, first: int, last: int) -> tuple[int, int]:
        """The frames from `first` to `last`, extended to clear or keyed ones."""
        while first > 0 and first not in self.key_frames and not self.clear(rows[first]):
            first -= 1
        while last < len(rows) - 1 and last not in self.key_frames and not self.clear(rows[last]):
            last += 1
        return first, last

    def fixed_ends(self, rows: Floats, first: int) -> tuple[int, ...]:
        """Which end frames of the scene rows, that start at frame `first`, must stay.

        Those that are keyed or clear; others are ends of a clip, and free.
        """
        ends = dict.fromkeys((0, len(rows) - 1))
        return tuple(e for e in ends if first + e in self.key_frames or self.clear(rows[e]))

    def moved_out(self, q: Floats) -> Floats | None:
        """The scene configuration (nq) with the actor moved out of its overlaps, or None.

        The nearest pose: pinned joints stay, or, if there is none, only feet do.
        """
        for pins in dict.fromkeys((self.pins, ())):
            correction = MotionCorrection(self.scene, self.actor, pins)
            for near_m in (0.03, 0.12):
                out = correction.moved_out(q, AnimateOptions(near_m=near_m, iterations=60))
                if self.clear(out):
                    return out
        return None

    def detour(self, rows: Floats) -> Motion:
        """A planned motion between the first and the last of the scene rows (n, nq).

        It has no steps: where feet stand in between, as in a walk, it is refused.
        """
        planted = self._still_pins(rows)
        first, last = rows[0, self.own], rows[-1, self.own]
        problem = scene_problem(
            self.scene, self.actor, first, last, planted=planted, around=rows[0]
        )
        reason = ""
        duration_s = (len(rows) - 1) / self.fps
        for _, scene_motion, failure in timed_paths(problem, duration_s, self.fps, self.name_of):
            if scene_motion is None:
                reason = failure
                continue
            q = np.ascontiguousarray(scene_motion.q[:, self.own])
            q[0], q[-1] = first, last
            motion = Motion(self.figure.skeleton, q, scene_motion.fps, "Detour")
            if self.certified(rows, motion.resample(self.fps).q):
                if self.change(rows, motion).feet_slide:
                    raise WritheError(
                        "Cannot go around: feet that stand would slide over the floor"
                    )
                return motion
            reason = "other moving parts block every path that was found"
        raise WritheError(f"Cannot go around: {reason}")

    def corrected(self, rows: Floats, fixed: tuple[int, ...]) -> Motion:
        """The actor's motion in the scene rows (n, nq), each frame corrected as little as possible.

        Feet stay where the motion has them, or are lifted onto the floor. Frames `fixed` stay.
        Corrections are spread over more frames until nothing pops.
        """
        best: tuple[Motion, MotionChange] | None = None
        correction = MotionCorrection(self.scene, self.actor, self._still_pins(rows))
        for smooth_s in _SPREADS_S:
            out = correction.corrected(rows, self.fps, fixed, AnimateOptions(smooth_s=smooth_s))
            q = np.ascontiguousarray(out[:, self.own])
            if not self.certified(rows, q):
                continue
            motion = Motion(self.figure.skeleton, q, self.fps, "Pushed out")
            change = self.change(rows, motion)
            if best is None or change.cost_m < best[1].cost_m:
                best = motion, change
            if change.acceptable:
                break
        if best is None:
            raise WritheError("Small corrections do not clear this segment")
        return best[0]

    def _still_pins(self, rows: Floats) -> tuple[str, ...]:
        """The pinned joints that do not move between the first and the last row."""
        ends = Motion(self.figure.skeleton, rows[[0, -1], self.own], self.fps).frames()
        return tuple(
            joint
            for joint in self.pins
            if np.linalg.norm(np.subtract(*ends.position(joint))) < _STAYS_M
        )

    def pushed_out(
        self,
        rows: Floats,
        progress: Progress | None = None,
        *,
        fixed: tuple[int, ...] | None = None,
    ) -> Motion:
        """The actor's motion in the scene rows (n, nq) with overlaps pushed out.

        Its ends stay, or only the frames `fixed`.
        """
        held = (0, len(rows) - 1) if fixed is None else fixed
        methods: list[Callable[[], Motion]] = [
            lambda: self.corrected(rows, held),
            lambda: self.pieced(rows, held, progress),
            lambda: self.cleaned(rows, held, progress),
        ]
        return self.best(rows, methods)[0]

    def best(
        self, rows: Floats, methods: Sequence[Callable[[], Motion]]
    ) -> tuple[Motion, MotionChange]:
        """The first motion that is acceptable, else the one that costs least."""
        found: list[tuple[Motion, MotionChange]] = []
        reasons: list[str] = []
        for method in methods:
            try:
                motion = method()
            except WritheError as error:
                reasons.append(str(error))
                continue
            found.append((motion, self.change(rows, motion)))
            if found[-1][1].acceptable:
                break
        if not found:
            raise WritheError(reasons[-1])
        return min(found, key=lambda one: one[1].cost_m)

    def compared(
        self,
        rows: Floats,
        progress: Progress | None = None,
        *,
        fixed: tuple[int, ...] | None = None,
    ) -> list[tuple[Motion, MotionChange]]:
        """The segment pushed out and led around, as far as each is possible; the cheaper first."""
        held = (0, len(rows) - 1) if fixed is None else fixed
        found: list[tuple[Motion, MotionChange]] = []
        reasons: list[str] = []
        for method in self._methods(rows, held, progress):
            try:
                motion = method()
            except WritheError as error:
                reasons.append(str(error))
            else:
                found.append((motion, self.change(rows, motion)))
        if not found:
            raise WritheError(reasons[-1])
        return sorted(found, key=lambda one: one[1].cost_m)

    def _methods(
        self, rows: Floats, held: tuple[int, ...], progress: Progress | None
    ) -> list[Callable[[], Motion]]:
        """To push out, and to go around if both ends are held; first what is likely better."""
        out: list[Callable[[], Motion]] = [lambda: self.pushed_out(rows, progress, fixed=held)]
        if {0, len(rows) - 1} <= set(held) and len(rows) <= _LONGEST_DETOUR_S * self.fps + 1:
            out.append(lambda: self.detour(rows))
            if self.linking_changes(rows[0], rows[-1]):
                out.reverse()
        return out

    def pieced(
        self, rows: Floats, fixed: tuple[int, ...], progress: Progress | None = None
    ) -> Motion:
        """The actor's motion corrected, and where that leaves overlaps, cleaned or led around.

        Only short windows are cleaned or led around, so that the rest keeps its feet and timing.
        """
        correction = MotionCorrection(self.scene, self.actor, self._still_pins(rows))
        out = correction.corrected(rows, self.fps, fixed, AnimateOptions())
        inside = replace(self, key_frames=frozenset(fixed))
        for first, last in self._blocked(out):
            begin, end = inside.extended(out, first, last)
            part = out[begin : end + 1]
            held = inside.fixed_ends(part, begin)
            methods: list[Callable[[], Motion]] = [partial(inside.cleaned, part, held, progress)]
            if {0, len(part) - 1} <= set(held) and end - begin <= _LONGEST_DETOUR_S * self.fps:
                methods.append(partial(inside.detour, part))
            found, _ = inside.best(part, methods)
            out[begin : end + 1, self.own] = found.resample(self.fps).q
        out[list(fixed)] = rows[list(fixed)]  # exactly: keys do not change by rounding either
        q = np.ascontiguousarray(out[:, self.own])
        if not self.certified(rows, q):
            raise WritheError("Parts pass through each other too often to push them out")
        return Motion(self.figure.skeleton, q, self.fps, "Pushed out")

    def _blocked(self, rows: Floats) -> list[tuple[int, int]]:
        """Windows of frames that are not clear, with a margin, merged where they meet."""
        gate, beside = Gate(self.scene.layout.table), round(_BESIDE_S * self.fps)
        windows: list[tuple[int, int]] = []
        for t in range(len(rows) - 1):
            if gate.fraction(rows[t], rows[t + 1]) < 1.0:
                begin, end = max(0, t - beside), min(len(rows) - 1, t + 1 + beside)
                if windows and begin <= windows[-1][1]:
                    windows[-1] = (windows[-1][0], end)
                else:
                    windows.append((begin, end))
        return windows

    def cleaned(
        self, rows: Floats, fixed: tuple[int, ...], progress: Progress | None = None
    ) -> Motion:
        """The actor's motion in the scene rows (n, nq), cleaned as a clip; frames `fixed` stay."""
        found = clean(
            self.scene,
            Motion(self.scene.layout.skeleton, rows, self.fps),
            actor=self.actor,
            euler=False,
            progress=progress,
        )
        pushed = np.ascontiguousarray(found.motion.q[:, self.own])
        for frames in _TAPERS:
            q = _tapered(self.figure, rows[:, self.own], pushed, frames, fixed)
            if self.certified(rows, q):
                return Motion(self.figure.skeleton, q, self.fps, "Pushed out")
        raise WritheError(
            "This segment cannot be pushed out without changing the poses at its ends: parts pass"
            " right through each other"
        )

    def change(self, rows: Floats, motion: Motion) -> MotionChange:
        """How a motion of the actor differs from that in the scene rows (n, nq)."""
        q = motion.resample(self.fps).q
        return motion_change(self.figure, np.ascontiguousarray(rows[:, self.own]), q, self.fps)

    def cleared(
        self,
        rows: Floats,
        progress: Progress | None = None,
        *,
        fixed: tuple[int, ...] | None = None,
    ) -> tuple[Motion, MotionChange]:
        """The segment cleared by pushing out or by a detour, whichever costs less.

        The detour is tried first if the linking of the limbs changes, otherwise pushing out. The
        other is compared if the first does not keep joint limits and planted feet, or if it pops
        (`MotionChange.acceptable`). A detour needs both ends: frames `fixed` (default: both) stay.
        """
        held = (0, len(rows) - 1) if fixed is None else fixed
        try:
            return self.best(rows, self._methods(rows, held, progress))
        except WritheError as error:
            raise WritheError(
                f"{self._worst_overlap(rows)}, and neither a small correction nor a detour was"
                " found: add a key between these poses in which the parts are apart, or move one of"
                " the poses."
            ) from error

    def _worst_overlap(self, rows: Floats) -> str:
        """The worst overlap in the scene rows as text."""
        report = certify(self.scene.layout.table, rows, self.fps)
        worst = min(report.worst_pairs, key=lambda pair: pair.clearance_m)
        return f"{self.name_of(worst.a)} and {self.name_of(worst.b)} meet"


def _tapered(
    figure: Figure, before: Floats, after: Floats, frames: int, fixed: tuple[int, ...]
) -> Floats:
    """The correction from `before` to `after` (n, nq), faded out over `frames` at fixed frames."""
    count, share = len(before), np.ones(len(before))
    for frame in fixed:
        away = np.abs(np.arange(count) - frame)
        share *= smoothstep(away / min(frames, max(1, (count - 1) // 2)))
    out = np.stack(
        [
            integrate(figure.skeleton, a, s * difference(figure.skeleton, a, b))
            for a, b, s in zip(before, after, share, strict=True)
        ]
    )
    out[list(fixed)] = before[list(fixed)]  # exactly: keys do not change by rounding either
    return out
