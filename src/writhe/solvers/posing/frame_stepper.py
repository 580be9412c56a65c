"""The frame step of the default poser: one kernel call, and the arrays it keeps between calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from writhe.arrays import Bools, Floats, identical
from writhe.collision import NearPairs
from writhe.collision.certificate_slack import GATE_SLACK_M
from writhe.collision.gate import gate_workspace
from writhe.kernels.collision.shape_gaps import HALF_SPACE
from writhe.kernels.jit import machine_code
from writhe.kernels.posing import body_state, frame_step
from writhe.kernels.posing.frame_step import FIRST_ERROR, FRACTION, SOFTENED
from writhe.kernels.posing.step_workspace import StepBounds, StepSettings, make_step_workspace
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.handle_rows import HandleRows
from writhe.solvers.posing.options import DefaultPoserOptions

_MAX_CONTACTS = 400  # most near pairs in the QP; the gate checks all pairs


class FrameOutcome(NamedTuple):
    """Measures of one frame."""

    first_error_m: float  # the largest target error at the start of the frame
    fraction: float  # certified fraction of the proposed step
    softened: bool  # whether constraints had to be softened


class FrameStepper:
    """Steps an actor from its current state; not thread-safe."""

    def __init__(self, actor: ActorInScene, options: DefaultPoserOptions) -> None:
        skeleton, self.table = actor.skeleton, actor.table
        self._actor, self._options = actor, options
        nq, self._nv = skeleton.configuration_size, skeleton.dof_count
        self._environment = body_state.Environment(
            skeleton.tree,
            skeleton.mass,
            skeleton.centre_of_mass,
            self.table.shapes,
            self.table.bodies,
            self.table.pairs,
        )
        self._near, self._near_count = NearPairs(self.table), np.zeros(1, dtype=np.int64)
        self._gate = gate_workspace(self.table)
        shapes = self.table.shapes
        root = skeleton.index(actor.root)
        end = int(skeleton.tree.subtree_end[root])
        self._own = (shapes.joint >= root) & (shapes.joint < end)
        self._foreign = ~self._own & (shapes.core != HALF_SPACE)
        self._frame_options = frame_step.FrameOptions(
            options.iterations,
            options.target_tolerance_m,
            options.pin_tolerance_m,
        )
        self._measure_only = self._frame_options._replace(iterations=0)
        self.q = np.full(nq, np.nan)  # (nq,) the current state, NaN if unknown
        self._frame = frame_step.make_frame_workspace(nq, self._nv)
        self._slack_m = GATE_SLACK_M if options.gate else np.inf
        self.inertia = np.ones(self._nv)  # squared weights M^2 of `step_qp`
        self.pull = np.zeros(self._nv)  # linear term p of `step_qp`
        self._bounds = StepBounds(
            options.max_step_rad,
            options.reach_m,
            options.near_m,
            options.margin_m,
            options.approach,
            options.recovery_m,
        )
        self._code: Callable[..., Any] | None = None

    def set_rows(self, rows: HandleRows, balance: int, locked: Bools | None = None) -> None:
        """Use these rows from now on; `balance` is the index of the first balance row, or -1.

        locked: (nv of the actor,) degrees of freedom that keep their values.
        """
        terms = rows.terms
        dofs = np.arange(self._actor.v.start, self._actor.v.stop, dtype=np.int64)
        self._free_dofs = dofs if locked is None else np.ascontiguousarray(dofs[~locked])
        near = self._near
        self._term_rows = body_state.TermRows(
            terms.program,
            terms.target_lower,
            terms.lower,
            terms.upper,
            terms.weight,
            np.zeros((0, 2)),
            np.array([rows.targets, rows.handles, rows.first_guide, rows.first_hard, balance]),
        )
        self._body_state = body_state.BodyState(
            self.q,
            terms.positions,
            terms.rotations,
            terms.axes,
            terms.values,
            terms.jacobian,
            near.rows,
            self._near_count,
            near.placed,
            near.out,
            near.last_normals,
        )
        self._workspace = make_step_workspace(
            terms.rows,
            self._nv,
            len(self._free_dofs),
            _MAX_CONTACTS,
            len(self.table.pairs.allowance),
        )
        self.q[:] = np.nan  # the new rows have not been evaluated

    def set_support(self, polygon: Floats) -> None:
        """Set the support polygon (k, 2) over which the centre of mass is to stay."""
        self._term_rows = self._term_rows._replace(support=np.ascontiguousarray(polygon))

    def set_state(self, q: Floats, *, force: bool) -> None:
        """Begin a frame at q; rows are evaluated only if q is new, or with `force`."""
        if force or not identical(q, self.q):
            self.q[:] = q
            self._run_kernel(self._measure_only, update=True)

    def step(self) -> FrameOutcome:
        """Move by one certified frame towards the goals."""
        self._run_kernel(self._frame_options, update=False)
        measured: list[float] = self._frame.measured.tolist()
        return FrameOutcome(measured[FIRST_ERROR], measured[FRACTION], measured[SOFTENED] > 0.0)

    def _run_kernel(self, frame_options: frame_step.FrameOptions, *, update: bool) -> None:
        settings = StepSettings(
            self.inertia, self.pull, self._free_dofs, self._bounds, self._slack_m
        )
        arguments = (
            self._environment,
            self._body_state,
            self._term_rows,
            settings,
            frame_options,
            update,
            self._gate,
            self._workspace,
            self._frame,
        )
        if self._code is None:
            self._code = machine_code(frame_step.pose, *arguments)
        self._code(*arguments)

    def clearances(self) -> Floats:
        """Gap plus allowed overlap of each near pair, in metres."""
        rows, count = self._near.rows, int(self._near_count[0])
        return rows.gap[:count] + rows.allowance[:count]

    def touches_objects(self, within_m: float) -> bool:
        """Whether the actor, or what it carries, is this near to an object or another actor.

        A floor does not count.
        """
        pairs = self._near.rows.shapes[np.flatnonzero(self.clearances() < within_m)]
        return bool((self._own[pairs].any(axis=1) & self._foreign[pairs].any(axis=1)).any())

    def parts_of(self, pair: int) -> tuple[str, str]:
        """Part names of a near pair."""
        a, b = self._near.rows.shapes[pair]
        return self.table.part_of_shape(int(a)), self.table.part_of_shape(int(b))
