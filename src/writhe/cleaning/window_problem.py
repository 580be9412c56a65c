"""The corrections of a window of frames as one problem.

With p the joint positions of a frame, p* those of the source, x the tangent step from the source to
the corrected posture and v the step sought, all frames of a window are solved together:

    min   1/2 sum_t sum_j w_j^2 ||p_j - p*_j + J_j v||^2 + 1/2 a^2 ||M (x + v)||^2
          + 1/2 s^2 ||M (x + v)'||^2 + 1/2 c^2 ||M (x + v)''||^2
    s.t.  near pairs keep their margin, at frames and at given instants between them,
          joints exceed their limits no further than the source does,
          no joint moves much farther in a frame than in the source.

' and '' are differences of successive frames. Further terms keep planted feet in place. The frames
beside the window are fixed; the ends of the clip are free. Violated inequalities are quadratic
penalties, so every solve is one banded Cholesky factorisation.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from scipy.linalg import lapack as _lapack

from writhe.arrays import Bools, Floats, Ints
from writhe.cleaning.feet_of_source import FeetOfSource
from writhe.cleaning.free_dofs import (
    changing_pairs,
    free_columns,
    independent_dofs,
    minor_joints,
    position_weights,
)
from writhe.cleaning.leaps import allowed_steps
from writhe.cleaning.window_arrays import WindowArrays
from writhe.cleaning.window_options import Instant, WindowOptions
from writhe.collision import NearPairs
from writhe.kernels.cleaning import window_band
from writhe.kernels.cleaning.frame_pair_rows import (
    Instants,
    instant_inequalities,
    instant_offsets,
    speed_inequalities,
)
from writhe.kernels.cleaning.frame_rows import (
    FreeColumns,
    Obstacles,
    WindowRows,
    colliding_dofs,
    frame_clearances,
    largest_moves,
    limit_inequalities,
    linearise_window,
)
from writhe.kernels.cleaning.planted_feet import add_planted_feet
from writhe.kernels.cleaning.window_steps import joint_positions, steps_between, take_steps
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.limit_rows import limit_values
from writhe.planning.compiled_problem import compile_limits
from writhe.skeleton import forward
from writhe.solvers.posture_tracking import PostureTracker, angle_weights
from writhe.terms import CompiledTerms, joint_limits
from writhe.time_filters import box, running_minimum, within

lapack = cast(Any, _lapack)

_DISPLACED_M = 1e-4
_LIMIT_METRES = 0.3  # metres per radian of a joint limit
_LIMIT_INSET = 0.005  # rad that corrections stay inside a limit
_NEAR_BOUND = 0.7  # share of a speed bound from which it becomes an inequality


def spans(chosen: Bools, beside: int) -> list[tuple[int, int]]:
    """Ranges (first, stop) of the frames within `beside` frames of a chosen one."""
    wide = within(chosen, beside).astype(np.int8)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], wide, [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


class ClipProblem:
    """Solves the windows of one clip; keeps its arrays between windows. Not thread-safe.

    source (frames, nq); targets (frames, joints, 3): the positions that joints stay near to, by
    default those of the source. The tracker's `variables` (nv) mark the degrees of freedom that may
    change.
    """

    def __init__(
        self,
        tracker: PostureTracker,
        source: Floats,
        fps: float,
        options: WindowOptions | None = None,
        targets: Floats | None = None,
    ) -> None:
        self.options = options or WindowOptions()
        self.source, self.fps = source, fps
        figure, table = tracker.figure, tracker.table
        self.skeleton = skeleton = figure.skeleton
        positions = forward(skeleton, source).positions
        self.source_positions = positions if targets is None else targets
        # frames in which the source itself is away from what its joints should stay near to
        away = np.linalg.norm(positions - self.source_positions, axis=2)
        self.displaced: Bools = away.max(axis=1, initial=0.0) > _DISPLACED_M
        self._metres = tracker.metres
        self._angle_weight = angle_weights(
            figure, table, tracker.metres, self.options.angle_weight, self.options.ankle_weight
        )
        self._smooth_metres = np.maximum(tracker.metres, self.options.min_metres)
        self.may_change = tracker.may_change
        self._instants = self._offsets([], source)
        self._feet = FeetOfSource(figure, self.source_positions, fps)
        self._minor = minor_joints(figure, table)
        self._weight = position_weights(skeleton, self._minor, self.options.hand_weight)
        self._weight[self._feet.joints] = self.options.foot_weight
        self.allowed_step = allowed_steps(self.source_positions, fps, self.options)
        # the fingers of a hand move with it: those that hold its orientation are bounded
        self._bounded_step = np.where(self._weight > 0.0, self.allowed_step, np.inf)
        near, nv = NearPairs(table), skeleton.dof_count
        self.pairs = changing_pairs(table, self.may_change)
        self._obstacles = Obstacles(
            table.shapes,
            table.bodies,
            self.pairs,
            near.placed,
            near.out,
            near.last_normals,
            near.rows,
            np.empty((len(skeleton), 3)),
            np.empty((len(skeleton), 3, 3)),
            np.empty((nv, 3)),
        )
        self._table = table
        self._windows: dict[bytes, tuple[FreeColumns, Ints, Obstacles]] = {}
        self._free, self._column_of, self._moved = self._window(np.flatnonzero(self.may_change))
        self._arrays = WindowArrays(len(skeleton), nv)
        terms = CompiledTerms(skeleton, joint_limits(skeleton))
        self._limits = compile_limits(skeleton.tree, terms.program)
        m = len(self._limits.kind)
        values, scratch = np.zeros((len(source), m)), (np.zeros((m, 3)), np.zeros(3))
        for row, out in zip(source, values, strict=True):
            limit_values(self._limits, row, *scratch, out)
        self._lower = np.minimum(terms.lower + _LIMIT_INSET, values)
        self._upper = np.maximum(terms.upper - _LIMIT_INSET, values)

    def solve(
        self,
        q: Floats,
        first: int,
        stop: int,
        margin: Floats,
        instants: list[Instant],
        free: Ints,
        iterations: int,
        feet: float = 1.0,
    ) -> Floats:
        """(frames, nq) q with the frames first .. stop - 1 solved, starting at q.

        margin (frames,): clearance to keep at contacts, m. free: indices of the degrees of freedom
        to solve for. feet: share of the weights of planted feet.
        """
        options, out, tree = self.options, q.copy(), self.skeleton.tree
        self._free, self._column_of, self._moved = self._window(free)
        self._arrays.reserve(stop - first)
        chosen = [i for i in instants if first - 1 <= i.frame < stop]
        self._instants = self._offsets(chosen, out)
        ranges, bound = [(first, stop)], options.max_move_m
        extra = np.zeros(len(q))
        for number in range(iterations):
            moving = np.zeros(len(q), dtype=np.bool_)
            for a, b in ranges:
                step, moved = self._step(out, a, b, margin + extra, feet)
                if number >= options.yields_from:
                    # penalties yield: ask for as much more as contacts lack of their margin
                    lacking = -self._arrays.least(b - a) - options.yield_m
                    extra[a:b] = np.clip(lacking, 0.0, options.max_yield_m)
                # bound the motion per frame, by a factor that varies smoothly over time
                factor = np.minimum(1.0, bound / np.maximum(moved, 1e-9))
                if factor.min() < 1.0:
                    factor = box(running_minimum(factor, 9), 9)
                take_steps(tree, out[a:b], self._free.dof, step, factor)
                moving[a:b] = moved > options.close_m
            bound *= options.shrink
            ranges = [(max(a, first), min(b, stop)) for a, b in spans(moving, options.beside)]
            if not ranges:
                break
        return out

    def _window(self, free: Ints) -> tuple[FreeColumns, Ints, Obstacles]:
        """The columns of the free degrees of freedom, and the shapes that they can separate.

        The pairs within a hand are left out unless its own joints are free.
        """
        key = free.tobytes()
        if key not in self._windows:
            may_change = np.zeros(self.skeleton.dof_count, dtype=np.bool_)
            minor = self._minor[self.skeleton.tree.dof_joint[free]].all()
            may_change[free if minor else np.union1d(free, self.main_dofs)] = True
            moved = self._obstacles._replace(pairs=changing_pairs(self._table, may_change))
            self._windows[key] = (*free_columns(self.skeleton, free), moved)
        return self._windows[key]

    def _step(
        self, q: Floats, first: int, stop: int, margin: Floats, feet: float
    ) -> tuple[Floats, Floats]:
        """The step (F, n) of every frame of the window, and how far it moves a joint (F,), m."""
        options, part, free = self.options, slice(first, stop), self._free
        tree, frames, n = self.skeleton.tree, stop - first, len(free.dof)
        rows = self._arrays.rows(frames, n)
        band, tried = self._arrays.band(frames, n)
        right = np.zeros(frames * n)
        band[:] = 0.0
        linearise_window(
            tree,
            self._moved,
            q[part],
            self.source_positions[part],
            self._weight,
            free,
            margin[part],
            options.near_m,
            rows,
            band,
            right,
        )
        limit_inequalities(
            self._limits,
            q[part],
            self._lower[part],
            self._upper[part],
            self._column_of,
            _LIMIT_METRES,
            options.near_m,
            rows,
        )
        x = self.corrections(q, first - 2, stop + 2)[:, free.dof]
        angles = self._angle_weight[free.dof] ** 2
        metric = self._smooth_metres[free.dof] ** 2
        right -= (angles * x[2:-2]).ravel()
        band[:, 0] += np.tile(angles + options.damping**2 * metric, frames)
        rate = self.fps / 30.0
        smooth = window_band.Smoothness(
            x,
            metric,
            (options.velocity_weight * rate) ** 2,
            (options.acceleration_weight * rate * rate) ** 2,
            min(2, first),
            min(2, len(q) - stop),
        )
        window_band.add_smoothness(smooth, band, right)
        a, b = max(first - 1, 0), min(stop + 1, len(q))
        add_planted_feet(
            tree,
            rows,
            free,
            self._feet.around(self.positions(q[a:b]), a, first),
            (feet * options.planted_weight) ** 2,
            (feet * options.height_weight) ** 2,
            band,
            right,
        )
        pairs = self._pair_rows(q, first, stop, rows, margin)
        step, penalty, violated = np.zeros((frames, n)), options.penalty**2, -1
        for _ in range(options.active_sets):
            constants = right.copy()
            np.copyto(tried, band)
            count = window_band.add_violated(
                rows.used, rows.value, rows.row, step, penalty, tried, constants
            )
            count += window_band.add_violated_pairs(pairs, step, penalty, tried, constants)
            if count == violated:
                break
            violated = count
            # single precision: the next linearisation starts from what was reached
            factor, failed = lapack.spbtrf(tried.T, lower=1, overwrite_ab=1)
            if failed:
                break
            solution, _ = lapack.spbtrs(factor, constants.astype(np.float32), lower=1)
            step = solution.astype(np.float64).reshape(frames, n)
        moved = np.empty(frames)
        largest_moves(tree, rows, free, step, moved)
        return step, moved

    def displacements(self, q: Floats, first: int, stop: int) -> Floats:
        """(stop - first,) mean displacement of the joints of q, m, without minor ones."""
        return np.linalg.norm(self.offsets(self.positions(q[first:stop]), first), axis=2).mean(1)

    def offsets(self, positions: Floats, first: int) -> Floats:
        """(frames, n, 3) the displacements of all but minor joints, from the frame `first` on."""
        return (positions - self.source_positions[first : first + len(positions)])[:, ~self._minor]

    def slides(self, q: Floats, first: int, stop: int) -> Floats:
        """(stop - first - 1,) how far a planted foot moves in a frame beyond the source, m."""
        return self._feet.slides(self.positions(q[first:stop]), first)

    @property
    def main_dofs(self) -> Ints:
        """The degrees of freedom that may change, without those of minor joints."""
        return np.flatnonzero(self.may_change & ~self._minor[self.skeleton.tree.dof_joint])

    def independent(self, free: Ints) -> list[Ints]:
        """Degrees of freedom in groups that are solved one after the other."""
        return independent_dofs(self.skeleton.tree, self._minor, free)

    def main_corrections(self, q: Floats, first: int, stop: int) -> Ints:
        """Degrees of freedom of the joints that q corrects noticeably (`min_correction_m`).

        Corrections of all other joints are removed from q, in place.
        """
        x = self.corrections(q, first, stop)
        maximum = np.abs(self._metres * x).max(axis=0)
        joints = np.zeros(len(self.skeleton), dtype=np.bool_)
        joints[self.skeleton.tree.dof_joint[maximum > self.options.min_correction_m]] = True
        main = joints[self.skeleton.tree.dof_joint] & self.may_change
        if not main.any():
            return self.main_dofs
        x[:, ~main & self.may_change] = 0.0
        for t in range(first, stop):
            kinematics.integrate(self.skeleton.tree, self.source[t], x[t - first], q[t])
        return np.flatnonzero(main)

    def _pair_rows(
        self, q: Floats, first: int, stop: int, rows: WindowRows, margin: Floats
    ) -> window_band.PairRows:
        """Rows between neighbouring frames: speed bounds, and contacts at instants."""
        tree, out = self.skeleton.tree, self._arrays.pair_rows(len(self._free.dof))
        before, after = min(1, first), min(1, len(q) - stop)
        count = speed_inequalities(
            tree,
            rows,
            self._free,
            self.positions(q[first - before : first]),
            self.positions(q[stop : stop + after]),
            self._bounded_step[first - before : stop + after - 1],
            _NEAR_BOUND,
            out,
        )
        instants = self._instants
        here = (instants.frame >= first - 1) & (instants.frame < stop)
        if here.any():
            count = instant_inequalities(
                tree,
                self._moved,
                q,
                Instants(instants.frame[here], instants.share[here], instants.offset[here]),
                self._free,
                margin,
                self.options.near_m,
                (first, stop),
                out,
                count,
            )
        return window_band.PairRows(out.frame[:count], out.value[:count], out.row[:count])

    def _offsets(self, instants: list[Instant], q: Floats) -> Instants:
        """The instants with the tangent steps from the slerp to their postures.

        The steps are kept constant while the frames change, which approximates interpolations other
        than slerp.
        """
        offsets = np.empty((len(instants), self.skeleton.dof_count))
        frames = np.array([i.frame for i in instants], dtype=np.int64)
        shares = np.array([i.u for i in instants], dtype=np.float64)
        if instants:
            postures = np.array([i.q for i in instants])
            instant_offsets(self.skeleton.tree, q, frames, shares, postures, offsets)
        return Instants(frames, shares, offsets)

    def positions(self, q: Floats) -> Floats:
        """(frames, joints, 3) joint positions of the frames q (frames, nq)."""
        out = np.empty((len(q), len(self.skeleton), 3))
        joint_positions(self.skeleton.tree, q, self._obstacles.rotations, out)
        return out

    def clearances(self, q: Floats, within_m: float) -> Floats:
        """(frames,) the smallest clearance of the frames q (frames, nq); infinite if farther."""
        out = np.empty(len(q))
        frame_clearances(self.skeleton.tree, self._obstacles, q, within_m, out)
        return out

    def colliding_dofs(self, q: Floats, margin_m: float) -> Ints:
        """Degrees of freedom that can separate a pair which is nearer than its margin."""
        tree = self.skeleton.tree
        used = np.zeros(self.skeleton.dof_count, dtype=np.bool_)
        colliding_dofs(tree, self._obstacles, q, margin_m, self._minor, used)
        # the rest of an unbranched limb too, so that its end can stay in place
        children = np.bincount(tree.parent[tree.parent >= 0], minlength=len(self.skeleton))
        for j in range(len(self.skeleton)):
            p = int(tree.parent[j])
            if p >= 0 and children[p] == 1 and used[tree.v_start[p] : tree.v_start[p + 1]].any():
                used[tree.v_start[j] : tree.v_start[j + 1]] = True
        return np.flatnonzero(used & self.may_change)

    def corrections(self, q: Floats, first: int, stop: int) -> Floats:
        """(stop - first, nv) steps from the source; zero for frames outside the clip."""
        out = np.zeros((stop - first, self.skeleton.dof_count))
        a, b = max(first, 0), min(stop, len(q))
        steps_between(self.skeleton.tree, self.source[a:b], q[a:b], out[a - first : b - first])
        return out
