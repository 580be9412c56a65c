"""Spacetime refinement of any motion: timing, waypoints, held points, momentum.

Wang, Ho and Komura, "An Energy-driven Motion Planning Method for Two Distant Postures", section
6.2, and the speed profiles of its section 8. A segment of a motion is timed again with a
bell-shaped speed between its waypoints, then all its frames are optimised at once
(`planning.spacetime.refine`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from writhe.animation.foot_contacts import detect_contacts
from writhe.arguments import checked
from writhe.arrays import Bools, Floats, vector3
from writhe.collision import Certificate, CollisionTable, certify
from writhe.errors import UnknownNameError, WritheError
from writhe.planning.spacetime import FramePin, FrameSlide, Held, Refined, RefineOptions, refine
from writhe.planning.timing import PROFILES
from writhe.skeleton import Figure, Motion, Skeleton
from writhe.skeleton.configuration_paths import path_rows
from writhe.skeleton.configurations import same_joints
from writhe.skeleton.kinematics import difference
from writhe.skeleton.shape_fitting.capsule_masses import with_masses
from writhe.solvers.posing import Pin

KEEP = "keep"  # the profile that leaves the timing as it is
_MARGINS = (1.0, 2.0, 4.0)  # clearances tried, as multiples of that of the options
_PAUSE_RAD = 1e-4  # length that a frame without motion counts as
MAX_SEGMENT_FRAMES = 2000


@dataclass(frozen=True)
class RefinedMotion:
    """The whole motion with its segment refined, and what changed."""

    motion: Motion
    certificate: Certificate  # of the whole motion
    stretch: tuple[int, int]  # its first and last frame in `motion`
    timed: Motion  # the segment after timing, before the optimisation
    refined: Refined
    held: tuple[Held, ...]  # in frames of the segment

    def as_dict(self) -> dict[str, Any]:
        """The figures as plain data."""
        found = self.refined
        return {
            "frames": len(self.motion),
            "stretch": list(self.stretch),
            "certified": self.certificate.certified,
            "verdict": self.certificate.verdict.value,
            "penetration_m": self.certificate.penetration_upper_bound_m,
            "pass_throughs": len(self.certificate.pass_throughs),
            "angular_energy": list(found.angular_energy),
            "angular_energy_drop_percent": 100.0 * found.angular_energy_drop,
            "slip_m": found.slip_m,
            "held": len(self.held),
            "iterations": found.iterations,
            "seconds": found.seconds,
        }


@checked
def refine_motion(
    figure: Figure,
    motion: Motion,
    *,
    first: int = 0,
    last: int = -1,
    waypoints: Sequence[int] = (),
    profile: str = "bell",
    duration_s: float | None = None,
    held: Sequence[Held] | None = None,
    table: CollisionTable | None = None,
    variable: Bools | None = None,
    options: RefineOptions | None = None,
) -> RefinedMotion:
    """Refine the frames from `first` to `last` of a motion.

    Their ends and the `waypoints` (frames) are kept exactly. Between them the speed follows
    `profile`: "bell" starts and stops at each, "uniform" is constant, "keep" leaves the timing.
    `duration_s` stretches it. `held` are pins and slides in frames of the motion; None holds feet
    where they stand. `table` and `variable` are for a motion of a whole scene.
    """
    given = motion
    first, last = _range(first, last, len(motion))
    anchors = sorted({first, last, *(w % len(motion) for w in waypoints)})
    if anchors[0] < first or anchors[-1] > last:
        raise WritheError(f"waypoints must lie from frame {first} to {last}, not {list(waypoints)}")
    if profile not in (*PROFILES, KEEP):
        raise UnknownNameError("speed profile", profile, [*PROFILES, KEEP])
    if held is None:
        held = standing_feet(figure, motion) if table is None else ()
    table = table or CollisionTable.of_figure(figure)
    if not same_joints(table.skeleton, motion.skeleton, roots=False):
        raise WritheError("the motion and the collision shapes have different skeletons")
    motion = _with_masses(figure, motion)
    old_frames, fixed = _timing(motion, anchors, profile, duration_s)
    timed = replace(motion, q=path_rows(motion.skeleton, motion.q, old_frames))
    holding = tuple(h for one in held for h in _moved(one, old_frames))
    chosen, found = options or RefineOptions(), None
    for factor in _MARGINS:  # a hand that moves far in a frame needs more clearance at the frames
        margin = replace(chosen, margin_m=factor * chosen.margin_m)
        found = refine(timed, table, holding, fixed=fixed, variable=variable, options=margin)
        if found.certificate.certified:
            break
    assert found is not None
    whole = np.concatenate([motion.q[:first], found.motion.q, motion.q[last + 1 :]])
    out = replace(given, q=whole)
    return RefinedMotion(
        out,
        certify(table, whole, motion.fps),
        (first, first + len(timed) - 1),
        timed,
        found,
        holding,
    )


def _with_masses(figure: Figure, motion: Motion) -> Motion:
    """The motion on a skeleton with masses: those of the capsules where the file has none."""
    if float(motion.skeleton.mass.sum()) > 0.0:
        return motion
    if figure.skeleton.names != motion.skeleton.names or not figure.capsules:
        raise WritheError("the body has neither masses nor collision shapes to estimate them from")
    return replace(motion, skeleton=with_masses(motion.skeleton, figure.capsules))


def standing_feet(figure: Figure, motion: Motion) -> tuple[FramePin, ...]:
    """Pins for the feet where they stand still in a motion."""
    out: list[FramePin] = []
    for timed in detect_contacts(figure, motion):
        if isinstance(timed.pin, Pin):
            begin = max(0, int(np.ceil(timed.start_s * motion.fps - 1e-6)))
            end = min(len(motion) - 1, int(np.floor(timed.end_s * motion.fps + 1e-6)))
            if end > begin:
                out.append(FramePin(timed.pin, begin, end))
    return tuple(out)


def _range(first: int, last: int, count: int) -> tuple[int, int]:
    begin = first % count if -count <= first < count else first
    end = last % count if -count <= last < count else last
    if not 0 <= begin < end < count or end - begin < 4:
        raise WritheError(
            f"a segment needs at least five frames within 0 to {count - 1}, not {first} to {last}"
        )
    if end - begin > MAX_SEGMENT_FRAMES:
        raise WritheError(
            f"a segment may have at most {MAX_SEGMENT_FRAMES} frames, not {end - begin}"
        )
    return begin, end


def _timing(
    motion: Motion, anchors: Sequence[int], profile: str, duration_s: float | None
) -> tuple[Floats, list[int]]:
    """For each new frame of the segment its frame in the motion, and the new frames of anchors."""
    begin, end = anchors[0], anchors[-1]
    seconds = (end - begin) / motion.fps
    stretch = 1.0 if duration_s is None else duration_s / seconds
    if not 0.02 <= stretch <= 50.0:
        raise WritheError(
            f"the segment lasts {seconds:.2f} s; its new duration must be 0.02 to 50 times that,"
            f" not {duration_s} s"
        )
    reached = _travelled(motion.skeleton, motion.q[begin : end + 1])
    frames: list[Floats] = []
    fixed = [0]
    for a, b in pairwise(anchors):
        count = max(2, round(stretch * (b - a)))
        u = np.arange(count) / count
        if profile == KEEP:
            old = a + u * (b - a)
        else:
            along = reached[a - begin : b - begin + 1]
            start, travel = float(along[0]), float(along[-1] - along[0])
            wanted = start + PROFILES[profile](u) * travel
            old = np.interp(wanted, along, np.arange(a, b + 1))
        frames.append(old)
        fixed.append(fixed[-1] + count)
    return np.concatenate([*frames, [float(end)]]), fixed


def _travelled(skeleton: Skeleton, q: Floats) -> Floats:
    """(frames,) length of the path up to each frame, strictly increasing."""
    steps = [float(np.linalg.norm(difference(skeleton, a, b))) for a, b in pairwise(q)]
    return np.concatenate([[0.0], np.cumsum(np.array(steps) + _PAUSE_RAD)])


def _moved(one: Held, old_frames: Floats) -> list[Held]:
    """A pin or slide in frames of the segment, if it is active there."""
    inside = np.flatnonzero((old_frames >= one.first - 1e-9) & (old_frames <= one.last + 1e-9))
    if len(inside) == 0:
        return []
    begin, end = int(inside[0]), int(inside[-1])
    if isinstance(one, FramePin):
        return [replace(one, first=begin, last=end)]
    places = one.places()
    at = np.clip(old_frames[[begin, end]] - one.first, 0, len(places) - 1).round().astype(int)
    start, stop = (vector3(places[k]) for k in at)
    return [FrameSlide(one.joint, one.on, begin, end, start, stop, one.point_in_joint)]
