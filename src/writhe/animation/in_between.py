"""Solves the frames between keys: the blend of the keys, corrected to keep pins, limits, contacts,
and balance.

Frames are solved one by one (`kernels.animation.frame_solve`), so that any window of frames, such
as that around a playhead, can be solved first. Every span starts and ends exactly at its keys:

1. The span is solved forwards from its first key.
2. If that does not end at the second key, the span is also solved backwards from that key, and the
   forward solution is faded into the backward one.
3. Where frames were corrected, the corrections are smoothed over time, and the frames are solved
   once more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe import time_filters
from writhe.animation.body.balance import Balance
from writhe.animation.body.body_model import LIMIT_INSET, SUPPORT_DIRECTIONS, BodyModel, frame_model
from writhe.animation.body.limited_blend import limited_blend
from writhe.animation.body.seat_blend import SeatBlend
from writhe.animation.key_interpolation import KeyBlend
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import PinTargets, TimedPin, pin_errors, pin_targets, posed
from writhe.arrays import Floats
from writhe.easing import smoothstep
from writhe.kernels.animation.frame_solve import FrameTargets, solve_frames
from writhe.kernels.skeleton import kinematics
from writhe.kernels.skeleton.mass import centre_of_mass
from writhe.skeleton import forward

_PIN_TOLERANCE = 1e-4  # m or rad; a key that misses a pin by more does not replace its frame
_SAME_TIME_S = 1e-6  # a frame this near to a key is that key
_POSE_ITERATIONS = 40  # of a single pose
_AT_LIMIT_RAD = 0.01  # a joint nearer than this to a limit is at the limit
# The motion has a kink at a key if its last step is larger than _KINK times the step before it plus
# _MIN_KINK (rad or m).
_KINK, _MIN_KINK = 2.0, 0.01


class InBetween:
    """The frames of one animation. Not thread-safe.

    keys (k, nq) are the actor's configurations at key_times_s, times_s (F,) the frame times, and
    slopes (k, nv) the tangents at the keys, as in `KeyBlend`. If `move_keys` is False, the keys are
    not changed, even if they miss a pin. After construction `q` (F, nq) is the blend; `solve`
    corrects a range of frames.
    """

    def __init__(
        self,
        body: BodyModel,
        key_times_s: Floats,
        keys: Floats,
        ease: Sequence[str],
        pins: Sequence[TimedPin],
        times_s: Floats,
        options: AnimateOptions,
        *,
        slopes: Sequence[Floats] | None = None,
        move_keys: bool = True,
    ) -> None:
        world = body.world
        self.world, self.body, self.options, self.pins = world, body, options, tuple(pins)
        self.times_s, self.key_times_s = times_s, key_times_s
        self._skeleton = world.skeleton
        rows = world.rows(key_times_s, keys)
        self._model = frame_model(body, self.pins)
        self._work = body.workspace(len(self.pins))
        self.min_clearance = self._min_clearance(rows[:1] if options.clear_keys else rows)
        # the keys, moved to meet every pin that holds at them
        self.keys = self._solved_keys(rows) if move_keys else rows
        self.key_rows = rows
        if options.clear_keys or not np.array_equal(self.keys, rows):
            self.min_clearance = self._min_clearance(self.keys)
        actor_rows = np.ascontiguousarray(self.keys[:, world.actor_q])
        blend = KeyBlend(world.figure.skeleton, key_times_s, actor_rows, ease, slopes)
        self.support = np.full((len(times_s), SUPPORT_DIRECTIONS), np.inf)
        self.blend = (
            self._balanced(blend) if options.balance else limited_blend(body, blend, times_s)
        )
        after = np.searchsorted(key_times_s, times_s, side="right")
        self.span = np.clip(after - 1, 0, max(len(keys) - 2, 0)).astype(np.int64)
        self.raised = np.zeros(len(times_s))
        self._key_frames = self._frames_of_keys()
        # a key beyond a joint limit widens it in the spans on both sides
        lower, upper = body.widened_limits(rows)
        after = np.minimum(self.span + 1, len(keys) - 1)
        self._lower = np.minimum(lower[self.span], lower[after])
        self._upper = np.maximum(upper[self.span], upper[after])
        self.targets: PinTargets
        self._update_pin_targets()
        self.q = self.blend.copy()

    def _balanced(self, blend: KeyBlend) -> Floats:
        """(F, nq) the blend, led through touch poses; bounds the centre of mass of its frames."""
        balance = Balance(self.body, self.keys, self.key_times_s)
        seats = SeatBlend(self.body, blend, self.keys, balance, self._solved_pose)
        times = seats.eased(self.times_s)
        self.support = balance.bounds(times)
        return limited_blend(self.body, seats.blend, times)

    def _solved_pose(self, q: Floats, time_s: float) -> Floats:
        """The pose (nq) at a time, moved as little as its pins, limits and contacts need."""
        times, rows = np.array([time_s]), q[None].copy()
        targets = pin_targets(self._skeleton, self.pins, times, rows, self.key_times_s, 0.0)
        span = int(np.searchsorted(self.key_times_s, time_s)) - 1
        packed = FrameTargets(
            targets.active,
            targets.position,
            targets.rotation,
            np.array([span]),
            self.min_clearance,
            np.zeros(1),
            *self.body.widened_limits(rows),
            np.full((1, SUPPORT_DIRECTIONS), np.inf),
        )
        out = rows.copy()
        self._solve_pose(packed, rows, 0, out)
        return out[0]

    def _frames_of_keys(self) -> list[tuple[int, int]]:
        """(frame, key) for frames at the times of keys, except keys that miss a pin."""
        near = np.abs(self.times_s[:, None] - self.key_times_s[None]) < _SAME_TIME_S
        kept = np.ones(len(self.keys), dtype=np.bool_)
        if self.pins:
            targets = self._targets_at_keys(self.keys)
            errors = pin_errors(self.world.skeleton, self.pins, targets, self.keys)
            kept = np.maximum(*errors).max(axis=1) < _PIN_TOLERANCE
        return [(int(f), int(k)) for f, k in np.argwhere(near & kept)]

    def _update_pin_targets(self) -> None:
        """Compute the targets of the pins for the current blend."""
        self.targets = pin_targets(
            self.world.skeleton,
            self.pins,
            self.times_s,
            self.blend,
            self.key_times_s,
            self.options.fade_s,
        )

    def use_path(self, first: int, last: int, q: Floats) -> None:
        """Follow the configurations q (last - first, nq) instead of the blend in these frames."""
        self.blend[first:last] = q
        self.q[first:last] = q
        self._update_pin_targets()

    def follow(self, rows: Floats, targets: PinTargets, fixed: Sequence[int]) -> None:
        """Follow sampled configurations (F, nq) and pin targets instead of the blend.

        Limits are widened to the rows.

        fixed: frames whose poses must not change. An overlap in a fixed frame is allowed in every
        frame, and frames next to a fixed one are not smoothed.
        """
        self.blend, self.q, self.targets = rows.copy(), rows.copy(), targets
        self._key_frames = []
        self.support[:] = np.inf
        self._lower, self._upper = self.body.widened_limits(rows)
        ends = np.array(sorted({0, len(rows) - 1}))
        held = self._min_clearance(rows[sorted(fixed)]) if fixed else None
        min_clearance = np.full((len(ends), max(1, len(self.world.table.pairs.allowance))), np.inf)
        min_clearance[:] = self.options.margin_m if held is None else held.min(axis=0)
        self.min_clearance = min_clearance
        times = self.times_s[sorted(fixed)]
        self.key_times_s = times if len(times) else np.array([-1e9])

    def solve(
        self,
        first: int = 0,
        last: int | None = None,
        *,
        contacts: bool = True,
        smooth: bool = True,
    ) -> int:
        """Solve the frames first .. last - 1; returns the iterations used.

        If `smooth` is False, spans are solved forwards only, and corrections are not smoothed.
        """
        stop = len(self.times_s) if last is None else last
        used = self._run(self.blend, first, stop, carry=1, contacts=contacts)
        if smooth:
            used += self._meet_keys(first, stop, contacts)
        if contacts and smooth and self.options.smooth_s > 0 and stop - first > 3:
            used += self._smooth(first, stop)
        return used

    def _run(self, blend: Floats, first: int, stop: int, *, carry: int, contacts: bool) -> int:
        """Solve frames near `blend`; returns the iterations used.

        carry: the initial guess of a frame is the blend with the correction of the frame before it
        (1) or after it (-1, solved last to first); with 0 it is the frame of `q`.
        """
        targets, options = self.targets, self.options
        if carry:
            self.q[first:stop] = blend[first:stop]
        packed = FrameTargets(
            targets.active,
            targets.position,
            targets.rotation,
            self.span,
            self.min_clearance,
            self.raised,
            self._lower,
            self._upper,
            self.support,
        )
        near_m = options.near_m if contacts and len(self.world.table.pairs.a) else -1.0
        used = solve_frames(
            self._model,
            packed,
            blend,
            first,
            stop,
            carry,
            near_m,
            options.iterations,
            self._work,
            self.q,
        )
        for f, k in self._key_frames:
            if first <= f < stop:
                self.q[f] = self.keys[k]
        return int(used)

    def _meet_keys(self, first: int, stop: int, contacts: bool) -> int:
        """Solve a span backwards from its second key too, if its forward solution misses that key.

        The forward solution is faded into the backward one, and the result is solved again.
        """
        used, begin = 0, first
        for f, k in self._key_frames:
            if first < f <= stop and f - begin > 2 and self._is_kink(f):
                self.q[f] = self.keys[k]
                ahead = self.corrections(begin, f)
                used += self._run(self.blend, begin, f, carry=-1, contacts=contacts)
                back, weight = (
                    self.corrections(begin, f),
                    smoothstep(np.linspace(0.0, 1.0, f - begin)),
                )
                aim = self._moved(begin, ahead + weight[:, None] * (back - ahead))
                self.q[begin:f] = aim[begin:f]
                used += self._run(aim, begin, f, carry=0, contacts=contacts)
            begin = max(f, first)
        return used

    def _is_kink(self, f: int) -> bool:
        """Whether the frames before the key frame f do not end at its key."""
        before, last = np.diff(self.corrections(f - 2, f + 1), axis=0)
        return float(np.abs(last).max()) > _KINK * float(np.abs(before).max()) + _MIN_KINK

    def _moved(self, first: int, steps: Floats) -> Floats:
        """(F, nq) the blend with the frames from `first` on moved by tangent steps (n, nv)."""
        out = self.blend.copy()
        for t, step in enumerate(steps, first):
            kinematics.integrate(self._skeleton.tree, self.blend[t], step, out[t])
        return out

    def corrections(self, first: int, stop: int) -> Floats:
        """(stop - first, nv) tangent steps from the blend to the solved frames."""
        out = np.empty((stop - first, self._skeleton.dof_count))
        for t in range(first, stop):
            kinematics.difference(self._skeleton.tree, self.blend[t], self.q[t], out[t - first])
        return out

    def _smooth(self, first: int, stop: int) -> int:
        """Smooth the corrections over time, except near keys, and solve again from the result."""
        x = self.corrections(first, stop)
        if np.abs(x).max() < 1e-6:
            return 0
        fps = 1.0 / max(float(np.diff(self.times_s).min()), 1e-6)
        width = max(1.0, self.options.smooth_s * fps)
        soft = time_filters.gaussian(x, width)
        times = self.times_s[first:stop]
        away = np.abs(times[:, None] - self.key_times_s[None]).min(axis=1) * fps
        weight = smoothstep(away / (2.0 * width))[:, None]
        aim = self._moved(first, (1.0 - weight) * x + weight * soft)
        self.q[first:stop] = aim[first:stop]
        return self._run(aim, first, stop, carry=0, contacts=True)

    def beyond_limits(self, first: int, stop: int) -> float:
        """The largest violation of a joint limit in the frames first .. stop - 1, rad."""
        values = np.array([self.body.limit_values(q) for q in self.q[first:stop]])
        low, high = self._lower[first:stop] - values, values - self._upper[first:stop]
        return float(np.maximum(low, high).max(initial=0.0)) - LIMIT_INSET

    def off_balance(self, first: int, stop: int) -> float:
        """The largest distance of the centre of mass from its bounds in some frames, m."""
        mass, rows = self.body.mass, posed(self._skeleton, self.q[first:stop])
        centre = np.zeros((stop - first, 3))
        for at, turns, out in zip(rows.positions, rows.rotations, centre, strict=True):
            centre_of_mass(at, turns, mass.mass, mass.centre, out)
        beyond = centre[:, [0, 2]] @ mass.directions.T - self.support[first:stop]
        return float(np.maximum(beyond, 0.0).max(initial=0.0))

    def limits_reached(self, q: Floats) -> tuple[str, ...]:
        """Names of the joints that are at a limit in a configuration (nq)."""
        body, values = self.body, self.body.limit_values(q)
        at = (values < body.lower + _AT_LIMIT_RAD) | (values > body.upper - _AT_LIMIT_RAD)
        tree = self._skeleton.tree
        joints = tree.dof_joint[body.limits.v_at[at]]
        return tuple(dict.fromkeys(self._skeleton.names[int(j)] for j in joints))

    # ---- keys ----

    def _solved_keys(self, rows: Floats) -> Floats:
        """The keys (k, nq), each moved as little as its pins, limits and contacts need."""
        pins = self.pins
        if not pins:
            return rows.copy()
        targets = self._targets_at_keys(rows)
        packed = FrameTargets(
            targets.active,
            targets.position,
            targets.rotation,
            np.zeros(len(rows), dtype=np.int64),
            # a pin may hold the pose of another key, with the contacts of that key
            self.min_clearance.min(axis=0)[None],
            np.zeros(len(rows)),
            *self.body.widened_limits(rows),
            np.full((len(rows), SUPPORT_DIRECTIONS), np.inf),
        )
        out = rows.copy()
        distance, angle = pin_errors(self.world.skeleton, pins, targets, rows)
        first = 1 if self.options.clear_keys else len(rows)
        for k in range(len(rows)):
            if k >= first or max(distance[k].max(), angle[k].max()) > 1e-6:
                self._solve_pose(packed, rows, k, out)
        return out

    def _solve_pose(self, packed: FrameTargets, rows: Floats, k: int, out: Floats) -> None:
        """Solve row k of out (F, nq) near that of rows, with more iterations than a frame."""
        near_m = self.options.near_m if len(self.world.table.pairs.a) else -1.0
        solve_frames(
            self._model, packed, rows, k, k + 1, 0, near_m, _POSE_ITERATIONS, self._work, out
        )

    def _targets_at_keys(self, rows: Floats) -> PinTargets:
        """The targets of the pins at the times of the keys (k, nq)."""
        times = self.key_times_s
        return pin_targets(self.world.skeleton, self.pins, times, rows, times, 0.0)

    def _min_clearance(self, rows: Floats) -> Floats:
        """(keys, pairs) least clearance of each pair in the span after each key.

        It is the margin, or the clearance at a key of the span if that is smaller. The last row is
        that of the last key.
        """
        margin, near = self.options.margin_m, self.body.near
        pairs = max(1, len(self.world.table.pairs.allowance))
        at_key = np.full((len(rows) + 1, pairs), margin)
        for k, q in enumerate(rows):
            frames = forward(self.world.skeleton, q)
            near.find(frames.positions, frames.rotations, margin + 0.1)
            clear = near.clearance
            found = near.rows.shape_pair[: near.count]
            at_key[k, found] = np.minimum(at_key[k, found], clear - 1e-5)
        return np.minimum(at_key[:-1], at_key[1:])
