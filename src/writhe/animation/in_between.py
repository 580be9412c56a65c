"""Solves the frames between keys: the blend of the keys, corrected to keep pins, limits, contacts.

Frames are solved one by one (`kernels.animation.frame_solve`), so that any window of frames, such
as that around a playhead, can be solved first. Where contacts push, corrections are smoothed over
time and the frames solved once more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.animation.collision_world import World
from writhe.animation.key_interpolation import KeyBlend
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import PinTargets, TimedPin, pin_errors, pin_targets
from writhe.arrays import Floats, Ints
from writhe.collision import NearPairs
from writhe.database.posture import metres_per_radian
from writhe.easing import smoothstep
from writhe.kernels.animation.frame_solve import (
    FrameModel,
    FrameTargets,
    InBetweenWorkspace,
    solve_frames,
)
from writhe.kernels.qp.dual_active_set import make_constraint_rows, make_dual_workspace
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.limit_rows import limit_values
from writhe.planning.compiled_problem import compile_limits
from writhe.skeleton import forward
from writhe.solvers.posing import Hold
from writhe.terms import CompiledTerms, joint_limits

_MAX_CONTACTS = 64  # rows of contacts in a frame
_ROOT_METRES = 1.5  # cost of moving the root by a metre
_LIMIT_INSET = 0.002  # rad that solved poses stay inside their limits
_OTHER_SIDE = 0.5  # rad or m from a key: not the same solution of its pins
_KEPT = 1e-4  # m or rad by which a key may miss a pin
_SAME_TIME_S = 1e-6  # a frame this near to a key is that key
_REACHED = 0.01  # rad from a limit that counts as reached


class BodyModel:
    """Data shared by all animations of one body in one world: limits, metric, workspace."""

    def __init__(self, world: World) -> None:
        self.world = world
        skeleton = world.skeleton
        terms = CompiledTerms(skeleton, joint_limits(skeleton, only_under=world.limited_under))
        self.limits = compile_limits(skeleton.tree, terms.program)
        self.lower, self.upper = terms.lower + _LIMIT_INSET, terms.upper - _LIMIT_INSET
        self.inverse_metric = _inverse_metric(world)
        self.near = NearPairs(world.table)
        self._workspaces: dict[int, InBetweenWorkspace] = {}

    def workspace(self, pins: int) -> InBetweenWorkspace:
        """Arrays for so many pins."""
        if pins not in self._workspaces:
            self._workspaces[pins] = _workspace(self.world, pins, len(self.limits.kind))
        return self._workspaces[pins]

    def widened_limits(self, rows: Floats) -> tuple[Floats, Floats]:
        """(k, m) lower and upper joint limits, widened to those that rows (k, nq) exceed."""
        values = np.array([self.limit_values(q) for q in rows]).reshape(len(rows), -1)
        return np.minimum(self.lower, values), np.maximum(self.upper, values)

    def limit_values(self, q: Floats) -> Floats:
        """(m,) values of the joint limits at a configuration (nq)."""
        m = len(self.limits.kind)
        values = np.zeros(m)
        limit_values(self.limits, q, np.zeros((m, 3)), np.zeros(3), values)
        return values


class InBetween:
    """The frames of one animation. Not thread-safe.

    keys (k, nq) of the actor at key_times_s; times_s (F,) those of the frames; slopes (k, nv) as in
    `KeyBlend`. With `move_keys` False the keys stay as they are, even if they miss a pin.
    After construction `q` (F, nq) holds the blend; `solve` corrects a range of frames.
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
        self._model = _model(body, self.pins)
        self._work = body.workspace(len(self.pins))
        # the keys themselves, with every pin that holds at them
        self.min_clearance = self._min_clearance(rows)
        self.keys = self._solved_keys(rows) if move_keys else rows
        self.key_rows = rows
        if move_keys:
            self.min_clearance = self._min_clearance(self.keys)
        actor_rows = np.ascontiguousarray(self.keys[:, world.actor_q])
        blend = KeyBlend(world.figure.skeleton, key_times_s, actor_rows, ease, slopes)
        self.blend = world.rows(times_s, blend.sample(times_s))
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
        self._retarget()
        self.q = self.blend.copy()

    def _frames_of_keys(self) -> list[tuple[int, int]]:
        """Frames at the times of keys, with the keys; without keys that miss a pin."""
        near = np.abs(self.times_s[:, None] - self.key_times_s[None]) < _SAME_TIME_S
        kept = np.ones(len(self.keys), dtype=np.bool_)
        if self.pins:
            targets = self._targets_at_keys(self.keys)
            errors = pin_errors(self.world.skeleton, self.pins, targets, self.keys)
            kept = np.maximum(*errors).max(axis=1) < _KEPT
        return [(int(f), int(k)) for f, k in np.argwhere(near & kept)]

    def _retarget(self) -> None:
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
        self._retarget()

    def follow(self, rows: Floats, targets: PinTargets, fixed: Sequence[int]) -> None:
        """Follow sampled configurations (F, nq) instead of the blend, pins with given targets.

        `fixed`: frames whose poses must not change; overlaps in them are tolerated in the frames
        beside them, which are not smoothed. Limits are widened to the rows.
        """
        self.blend, self.q, self.targets = rows.copy(), rows.copy(), targets
        self._key_frames = []
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

        Without `smooth` corrections are left as they are where contacts push.
        """
        stop = len(self.times_s) if last is None else last
        used = self._run(self.blend, first, stop, carry=True, contacts=contacts)
        if contacts and smooth and self.options.smooth_s > 0 and stop - first > 3:
            used += self._smooth(first, stop)
        return used

    def _run(self, blend: Floats, first: int, stop: int, *, carry: bool, contacts: bool) -> int:
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
        # a frame that starts beside the one before it may end on the other side of an obstacle;
        # with pins a key has many solutions, and a near one is as good
        step = np.zeros(self._skeleton.dof_count)
        for f, k in self._key_frames:
            if first <= f < stop:
                kinematics.difference(self._skeleton.tree, self.keys[k], self.q[f], step)
                if not self.pins or np.abs(step).max() > _OTHER_SIDE:
                    self.q[f] = self.keys[k]
        return int(used)

    def corrections(self, first: int, stop: int) -> Floats:
        """(stop - first, nv) tangent steps from the blend to the solved frames."""
        out = np.empty((stop - first, self._skeleton.dof_count))
        for t in range(first, stop):
            kinematics.difference(self._skeleton.tree, self.blend[t], self.q[t], out[t - first])
        return out

    def _smooth(self, first: int, stop: int) -> int:
        """Smooth the corrections where they have kinks, and solve again from there."""
        from scipy.ndimage import gaussian_filter1d

        x = self.corrections(first, stop)
        if np.abs(x).max() < 1e-6:
            return 0
        fps = 1.0 / max(float(np.diff(self.times_s).min()), 1e-6)
        width = max(1.0, self.options.smooth_s * fps)
        soft = gaussian_filter1d(x, width, axis=0, mode="nearest")
        times = self.times_s[first:stop]
        away = np.abs(times[:, None] - self.key_times_s[None]).min(axis=1) * fps
        share = smoothstep(away / (2.0 * width))[:, None]
        moved = (1.0 - share) * x + share * soft
        aim = self.blend.copy()
        for t in range(first, stop):
            kinematics.integrate(self._skeleton.tree, self.blend[t], moved[t - first], aim[t])
        self.q[first:stop] = aim[first:stop]
        return self._run(aim, first, stop, carry=False, contacts=True)

    def beyond_limits(self, first: int, stop: int) -> float:
        """The largest excess of a joint limit in the frames first .. stop - 1, rad."""
        values = np.array([self.body.limit_values(q) for q in self.q[first:stop]])
        low, high = self._lower[first:stop] - values, values - self._upper[first:stop]
        return float(np.maximum(low, high).max(initial=0.0)) - _LIMIT_INSET

    def limits_reached(self, q: Floats) -> tuple[str, ...]:
        """Names of the joints that are at a limit in a configuration (nq)."""
        body, values = self.body, self.body.limit_values(q)
        at = (values < body.lower + _REACHED) | (values > body.upper - _REACHED)
        tree = self._skeleton.tree
        joints = tree.dof_joint[body.limits.v_at[at]]
        return tuple(dict.fromkeys(self._skeleton.names[j] for j in joints))

    # ---- keys ----

    def _solved_keys(self, rows: Floats) -> Floats:
        """The keys (k, nq), each moved as little as its pins, limits and contacts need."""
        pins, options = self.pins, self.options
        if not pins:
            return rows.copy()
        targets = self._targets_at_keys(rows)
        packed = FrameTargets(
            targets.active,
            targets.position,
            targets.rotation,
            np.zeros(len(rows), dtype=np.int64),
            # a pin may come from another key, with what is in contact there
            self.min_clearance.min(axis=0)[None],
            np.zeros(len(rows)),
            *self.body.widened_limits(rows),
        )
        out = rows.copy()
        distance, angle = pin_errors(self.world.skeleton, pins, targets, rows)
        near_m = options.near_m if len(self.world.table.pairs.a) else -1.0
        for k in range(len(rows)):
            if max(distance[k].max(), angle[k].max()) > 1e-6:
                solve_frames(
                    self._model, packed, rows, k, k + 1, False, near_m, 40, self._work, out
                )
        return out

    def _targets_at_keys(self, rows: Floats) -> PinTargets:
        """Where the pins hold the keys (k, nq)."""
        times = self.key_times_s
        return pin_targets(self.world.skeleton, self.pins, times, rows, times, 0.0)

    def _min_clearance(self, rows: Floats) -> Floats:
        """(spans, K) clearance that pairs keep: the margin, or what they have at the keys."""
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


def _model(body: BodyModel, pins: Sequence[TimedPin]) -> FrameModel:
    table = body.world.table
    skeleton = table.skeleton
    fixed = [timed.pin for timed in pins if not isinstance(timed.pin, str)]
    turns = [
        (pin.orientation_in_other if isinstance(pin, Hold) else pin.orientation_in_world)
        is not None
        for pin in fixed
    ]
    return FrameModel(
        skeleton.tree,
        table.shapes,
        table.bodies,
        table.pairs,
        body.limits,
        body.inverse_metric,
        np.array([skeleton.index(pin.joint) for pin in fixed], dtype=np.int64),
        np.array([pin.point_in_joint for pin in fixed]).reshape(-1, 3),
        np.array(
            [skeleton.index(pin.on) if isinstance(pin, Hold) else -1 for pin in fixed],
            dtype=np.int64,
        ),
        np.array(turns, dtype=np.int64),
        _still_joints(body.world),
    )


def _still_joints(world: World) -> Ints:
    """(n,) 1 for joints that no coordinate of the actor moves."""
    tree = world.skeleton.tree
    moves = np.zeros(len(world.skeleton), dtype=np.bool_)
    moves[tree.dof_joint[world.variables]] = True
    for j, parent in enumerate(tree.parent):
        moves[j] |= parent >= 0 and moves[parent]
    return (~moves).astype(np.int64)


def _inverse_metric(world: World) -> Floats:
    """(nv,) 1 / M^2: what it costs to move away from the blend."""
    metres = metres_per_radian(world.skeleton, _ROOT_METRES)
    return np.where(world.variables, 1.0 / metres**2, 0.0)


def _workspace(world: World, pins: int, limits: int) -> InBetweenWorkspace:
    skeleton = world.skeleton
    n, nv = len(skeleton), skeleton.dof_count
    near, capacity = NearPairs(world.table), 6 * pins + limits + _MAX_CONTACTS
    return InBetweenWorkspace(
        near.placed,
        near.out,
        near.last_normals,
        near.rows,
        np.zeros((n, 3)),
        np.zeros((n, 3, 3)),
        np.zeros((nv, 3)),
        np.zeros((2, 3, nv)),
        np.zeros(3),
        np.zeros(3),
        np.zeros((3, 3)),
        np.zeros((limits, 3)),
        np.zeros(limits),
        np.zeros(3),
        make_constraint_rows(capacity, nv),
        make_dual_workspace(min(capacity, 6 * pins + 64), nv),
        np.zeros(nv),
        np.zeros(nv),
    )
