"""The corrections of a window of frames as one problem.

With p the joint positions of a frame, p* those of the source, x the tangent step from the source to
the corrected posture and v the step sought, all frames of a window are solved together:

    min   1/2 sum_t sum_j w_j^2 ||p_j - p*_j + J_j v||^2 + 1/2 a^2 ||M (x + v)||^2
          + 1/2 s^2 ||M (x + v)'||^2 + 1/2 c^2 ||M (x + v)''||^2
    s.t.  near pairs keep their margin, at frames and at given instants between them,
          joints keep their limits, or how far the source exceeds them,
          no joint moves much farther in a frame than in the source.

' and '' are differences of successive frames. The frames on both sides of the window are given; at
the ends of the clip nothing is. Inequalities are quadratic penalties on those that the solution
violates, so that every solve is one banded Cholesky factorisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy.linalg import lapack as _lapack
from scipy.ndimage import maximum_filter1d, minimum_filter1d, uniform_filter1d

from writhe.arrays import Bools, Floats, Ints
from writhe.collision import NearPairs
from writhe.kernels.cleaning import window_band
from writhe.kernels.cleaning.frame_rows import (
    Obstacles,
    WindowRows,
    contact_inequalities,
    limit_inequalities,
)
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.limit_rows import limit_values
from writhe.planning.compiled_problem import compile_limits
from writhe.skeleton import forward
from writhe.solvers.tracking import FEET, PostureTracker
from writhe.terms import CompiledTerms, joint_limits

lapack = cast(Any, _lapack)


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """Weights and bounds of the corrections of a window. Lengths in metres, angles in radians.

    The weights of velocity and acceleration are those at 30 frames a second.
    """

    iterations: int = 6  # linearisations of a window
    iterations_again: int = 10  # linearisations when a window is solved again
    active_sets: int = 3  # solves per linearisation, to find the inequalities that are violated
    foot_weight: float = 4.0  # position weight of feet; other joints have 1
    planted_weight: float = 8.0  # position weight of feet that stand still in the source
    angle_weight: float = 0.15  # a: weight of joint angles, scaled to metres by M
    velocity_weight: float = 2.0  # s: of the change of a correction from frame to frame
    acceleration_weight: float = 4.0  # c: of the change of that change
    # lower bound of M in the terms of s and c: hands must not turn suddenly
    least_metres: float = 0.15
    penalty: float = 30.0  # weight of a violated inequality, relative to a joint position
    near_m: float = 0.04  # pairs nearer than this become inequalities
    max_move_m: float = 0.05  # farthest that a joint moves in the first linearisation
    shrink: float = 0.75  # factor of that bound from one linearisation to the next
    beside: int = 8  # frames solved on either side of those that still move
    least_correction_m: float = 0.01  # joints that the path corrects less stay as in the source
    damping: float = 1.0  # weight of the step itself, scaled to metres by M
    close_m: float = 5e-4  # a step that moves no joint farther than this ends the iteration
    local_speed_m_s: float = 1.0  # a joint may be this much faster than in the source at that time
    speed_m_s: float = 0.45  # ... and this much faster than its top speed in the whole source


@dataclass(frozen=True, eq=False)
class Instant:
    """A posture between two frames, at fraction u from `frame` to `frame + 1`.

    `q` is the posture there in the interpolation that is not certified.
    """

    frame: int
    u: float
    q: Floats


_STANDING_M_S = 0.15  # a foot slower than this in the source is planted
_LIMIT_METRES = 0.3  # metres per radian of a joint limit
_LIMIT_INSET = 0.005  # rad: corrections stay this far inside a limit
_MOST_ROWS = 72  # most inequalities of a frame
_AROUND_S = 0.07  # the speed of the source at a time is its largest within this distance in time


def spans(chosen: Bools, beside: int) -> list[tuple[int, int]]:
    """Ranges (first, stop) of the frames within `beside` frames of a chosen one."""
    wide = maximum_filter1d(chosen.astype(np.int8), 2 * beside + 1, mode="constant")
    edges = np.flatnonzero(np.diff(np.concatenate([[0], wide, [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


class ClipProblem:
    """Solves the windows of one clip; keeps its arrays between windows. Not thread-safe.

    source (frames, nq). The tracker's `variables` (nv) mark the degrees of freedom that may change.
    """

    def __init__(
        self,
        tracker: PostureTracker,
        source: Floats,
        fps: float,
        options: WindowOptions | None = None,
    ) -> None:
        self.options = options or WindowOptions()
        self.source, self.fps = source, fps
        figure, table = tracker.figure, tracker.table
        self.skeleton = skeleton = figure.skeleton
        self.source_positions = forward(skeleton, source).positions
        self._metres = tracker.metres
        self._smooth_metres = np.maximum(tracker.metres, self.options.least_metres)
        self.may_change = np.ones(skeleton.dof_count, dtype=np.bool_)
        self.may_change[tracker.prescribed] = False
        # degrees of freedom of the window being solved
        self._free = np.flatnonzero(self.may_change)
        self._weight = self._position_weights(
            [skeleton.index(joint) for role, joint in figure.roles if role in FEET]
        )
        self.allowed_step = self._allowed_steps()
        near, nv = NearPairs(table), skeleton.dof_count
        self._obstacles = Obstacles(
            table.shapes,
            table.bodies,
            table.pairs,
            near.placed,
            near.out,
            near.last_normals,
            near.rows,
            np.empty((len(near.rows.gap), nv)),
            np.empty(len(near.rows.gap)),
        )
        self._rows, self._bands = self._empty_rows(0), np.empty((2, 0))
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
    ) -> Floats:
        """(frames, nq) q with the frames first .. stop - 1 solved, starting at q.

        margin (frames,): clearance to keep at contacts, m. free: indices of the degrees of freedom
        to solve for.
        """
        options, out, tree = self.options, q.copy(), self.skeleton.tree
        self._free = free
        self._reserve(stop - first)
        offsets = {i: self._offset(i, out) for i in instants if first - 1 <= i.frame < stop}
        ranges, bound = [(first, stop)], options.max_move_m
        for _ in range(iterations):
            moving = np.zeros(len(q), dtype=np.bool_)
            for a, b in ranges:
                step, moved = self._step(out, a, b, margin, offsets)
                # bound the motion per frame, by a factor that varies smoothly over time
                factor = np.minimum(1.0, bound / np.maximum(moved, 1e-9))
                factor = uniform_filter1d(minimum_filter1d(factor, 9), 9, mode="nearest")
                for row, v in zip(out[a:b], step * factor[:, None], strict=True):
                    kinematics.integrate(tree, row, v, row)
                moving[a:b] = moved > options.close_m
            bound *= options.shrink
            ranges = [(max(a, first), min(b, stop)) for a, b in spans(moving, options.beside)]
            if not ranges:
                break
        return out

    def _step(
        self,
        q: Floats,
        first: int,
        stop: int,
        margin: Floats,
        offsets: dict[Instant, Floats],
    ) -> tuple[Floats, Floats]:
        """The step (F, nv) of every frame of the window, and how far it moves a joint (F,), m."""
        options, part = self.options, slice(first, stop)
        rows = self._inequalities(q[part], margin[part], self._rows)
        limit_inequalities(
            self._limits,
            q[part],
            self._lower[part],
            self._upper[part],
            _LIMIT_METRES,
            options.near_m,
            rows,
        )
        free, frames = self._free, stop - first
        n, used = len(free), int(rows.used.max())
        x = self.corrections(q, first - 2, stop + 2)[:, free]
        jacobian = rows.jacobians.reshape(frames, -1, self.skeleton.dof_count)[:, :, free]
        inequalities = np.ascontiguousarray(rows.row[:, :used, free])
        weight = np.repeat(self._weight[part], 3, axis=1)
        weighted = weight[:, :, None] * jacobian
        hessian = weighted.swapaxes(1, 2) @ weighted
        apart = (rows.positions - self.source_positions[part]).reshape(frames, -1)
        angles = (options.angle_weight * self._metres[free]) ** 2
        metric = self._smooth_metres[free] ** 2
        gradient = np.einsum("fkn,fk->fn", weighted, weight * apart) + angles * x[2:-2]
        band, tried = (b[: 3 * frames * n * n].reshape(frames * n, 3 * n) for b in self._bands)
        right = np.empty(frames * n)
        window_band.fill_band(hessian, angles + options.damping**2 * metric, band, right)
        rate = self.fps / 30.0
        smooth = window_band.Smoothness(
            np.ascontiguousarray(x),
            metric,
            (options.velocity_weight * rate) ** 2,
            (options.acceleration_weight * rate * rate) ** 2,
            min(2, first),
            min(2, len(q) - stop),
        )
        window_band.add_smoothness(smooth, band, right)
        right -= gradient.ravel()
        pairs = self._pair_rows(q, first, stop, rows, offsets, margin)
        step, penalty, violated = np.zeros((frames, n)), options.penalty**2, -1
        for _ in range(options.active_sets):
            constants = right.copy()
            np.copyto(tried, band)
            count = window_band.add_violated(
                rows.used, rows.value, inequalities, step, penalty, tried, constants
            )
            count += window_band.add_violated_pairs(pairs, step, penalty, tried, constants)
            if count == violated:
                break
            violated = count
            factor, failed = lapack.dpbtrf(tried.T, lower=1, overwrite_ab=1)
            if failed:
                break
            solution, _ = lapack.dpbtrs(factor, constants, lower=1)
            step = solution.reshape(frames, n)
        moves = np.einsum("fkn,fn->fk", jacobian, step).reshape(frames, -1, 3)
        whole = np.zeros((frames, self.skeleton.dof_count))
        whole[:, free] = step
        return whole, np.sqrt((moves * moves).sum(axis=2)).max(axis=1)

    def main_corrections(self, q: Floats, first: int, stop: int) -> Ints:
        """Degrees of freedom of the joints that q corrects noticeably (`least_correction_m`).

        Corrections of all other joints are removed from q, in place.
        """
        x = self.corrections(q, first, stop)
        most = np.abs(self._metres * x).max(axis=0)
        joints = np.zeros(len(self.skeleton), dtype=np.bool_)
        joints[self.skeleton.tree.dof_joint[most > self.options.least_correction_m]] = True
        main = joints[self.skeleton.tree.dof_joint] & self.may_change
        if not main.any():
            return np.flatnonzero(self.may_change)
        x[:, ~main & self.may_change] = 0.0
        for t in range(first, stop):
            kinematics.integrate(self.skeleton.tree, self.source[t], x[t - first], q[t])
        return np.flatnonzero(main)

    def _reserve(self, frames: int) -> None:
        """Enlarge the workspace to a window of `frames` frames; it is kept between windows."""
        if len(self._rows.used) < frames:
            self._rows = self._empty_rows(frames)
            self._bands = np.empty((2, 3 * frames * self.skeleton.dof_count**2))

    def _empty_rows(self, frames: int) -> WindowRows:
        n, nv = len(self.skeleton), self.skeleton.dof_count
        return WindowRows(
            np.empty((frames, n, 3)),
            np.empty((frames, n, 3, nv)),
            np.zeros(frames, dtype=np.int64),
            np.empty((frames, _MOST_ROWS)),
            np.empty((frames, _MOST_ROWS, nv)),
        )

    def _inequalities(self, q: Floats, margin: Floats, workspace: WindowRows) -> WindowRows:
        """The inequalities of the frames q (F, nq), in the first F entries of the workspace."""
        at = slice(len(q))
        rows = WindowRows(
            workspace.positions[at],
            workspace.jacobians[at],
            workspace.used[at],
            workspace.value[at],
            workspace.row[at],
        )
        contact_inequalities(
            self.skeleton.tree, self._obstacles, q, margin, self.options.near_m, rows
        )
        return rows

    def _pair_rows(
        self,
        q: Floats,
        first: int,
        stop: int,
        rows: WindowRows,
        offsets: dict[Instant, Floats],
        margin: Floats,
    ) -> window_band.PairRows:
        """Rows between neighbouring frames: speed bounds, and contacts at instants."""
        nv, frames = self.skeleton.dof_count, stop - first
        # transitions t to t + 1 that touch the window, t counted from its first frame
        before, after = min(1, first), min(1, len(q) - stop)
        positions = rows.positions
        if before:
            positions = np.concatenate([self._positions(q, first - 1), positions])
        if after:
            positions = np.concatenate([positions, self._positions(q, stop)])
        step = np.diff(positions, axis=0)
        length = np.sqrt((step * step).sum(axis=2))
        allowed = self.allowed_step[first - before : stop + after - 1]
        at, joint = np.nonzero(length > 0.7 * allowed)
        direction = step[at, joint] / length[at, joint][:, None]
        row = np.zeros((len(at), 2, nv))
        for k in range(2):
            frame = at - before + k
            inside = (frame >= 0) & (frame < frames)
            column = rows.jacobians[frame[inside], joint[inside]]
            sign = 1.0 if k == 0 else -1.0
            row[inside, k] = sign * np.einsum("pc,pcn->pn", direction[inside], column)
        value = (allowed - length)[at, joint]
        parts = [(at - before, value, row)]
        instants = [i for i in offsets if first - 1 <= i.frame < stop]
        if instants:
            poses = np.array([self._pose(i, q, offsets[i]) for i in instants])
            near = self._inequalities(
                poses,
                np.array([max(margin[i.frame : i.frame + 2]) for i in instants]),
                self._empty_rows(len(poses)),
            )
            for k, instant in enumerate(instants):
                count = int(near.used[k])
                both = np.stack(
                    [(1 - instant.u) * near.row[k, :count], instant.u * near.row[k, :count]], axis=1
                )
                frame = np.full(count, instant.frame - first, dtype=np.int64)
                both[:, 0] *= instant.frame >= first
                both[:, 1] *= instant.frame + 1 < stop
                parts.append((frame, near.value[k, :count], both))
        return window_band.PairRows(
            np.concatenate([p[0] for p in parts]),
            np.concatenate([p[1] for p in parts]),
            np.ascontiguousarray(np.concatenate([p[2] for p in parts])[:, :, self._free]),
        )

    def _offset(self, instant: Instant, q: Floats) -> Floats:
        """(nv,) the tangent step from the slerp between the two frames to the instant's posture.

        It is kept constant while the frames change: an approximation of other interpolations.
        """
        middle, out = np.empty(q.shape[1]), np.empty(self.skeleton.dof_count)
        tree, t = self.skeleton.tree, instant.frame
        kinematics.interpolate(tree, q[t], q[t + 1], instant.u, middle)
        kinematics.difference(tree, middle, instant.q, out)
        return out

    def _pose(self, instant: Instant, q: Floats, offset: Floats) -> Floats:
        out, tree, t = np.empty(q.shape[1]), self.skeleton.tree, instant.frame
        kinematics.interpolate(tree, q[t], q[t + 1], instant.u, out)
        kinematics.integrate(tree, out, offset, out)
        return out

    def _positions(self, q: Floats, frame: int) -> Floats:
        return forward(self.skeleton, q[frame : frame + 1]).positions

    def corrections(self, q: Floats, first: int, stop: int) -> Floats:
        """(stop - first, nv) steps from the source; zero for frames outside the clip."""
        out = np.zeros((stop - first, self.skeleton.dof_count))
        for t in range(max(first, 0), min(stop, len(q))):
            kinematics.difference(self.skeleton.tree, self.source[t], q[t], out[t - first])
        return out

    def _position_weights(self, feet: list[int]) -> Floats:
        """(frames, joints) weights of joint positions."""
        options = self.options
        weight = np.ones(self.source_positions.shape[:2])
        if feet:
            speed = np.zeros((len(weight), len(feet)))
            if len(weight) > 1:
                moved = np.diff(self.source_positions[:, feet], axis=0)
                speed[:-1] = np.linalg.norm(moved, axis=2) * self.fps
                speed[1:] = np.maximum(speed[1:], speed[:-1])
            planted = speed < _STANDING_M_S
            weight[:, feet] = np.where(planted, options.planted_weight, options.foot_weight)
        return weight

    def _allowed_steps(self) -> Floats:
        """(frames - 1, joints) the farthest that each joint may move in each frame, m."""
        options = self.options
        step = np.linalg.norm(np.diff(self.source_positions, axis=0), axis=2)
        if len(step) == 0:
            return step
        around = 2 * round(_AROUND_S * self.fps) + 1
        local = maximum_filter1d(step, around, axis=0, mode="nearest")
        anywhere = step.max(axis=0, keepdims=True)
        return np.minimum(
            local + options.local_speed_m_s / self.fps, anywhere + options.speed_m_s / self.fps
        )
