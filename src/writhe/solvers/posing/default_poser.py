"""`default`: a posture prior from a database, collision constraints, certified steps.

Weights and limits are in `options`, the controls in `controls`.

A step solves one small QP per iteration,

    min   1/2 ||M (x + v)||^2 - p . v + 1/2 ||W (r + J v)||^2
    s.t.  the clearance of a near pair shrinks by at most the fraction `approach`,
          joint limits,  |v| <= max_step.

The soft rows r are targets, pins, holds (joints fixed relative to another part), control terms
(`Controls`) and, while targets move, the joint positions predicted by a posture database
(`posture_prior`). x is the step taken since the frame began; the weights M penalise motion of the
root and of idle limbs; p is the pull of habits (`habits`) or of the hinge bias. The gate then
shortens the proposed step to its certified part. `frame_stepper` runs the kernel
(`kernels.posing.step_qp` has the QP in full).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats, floats, identical
from writhe.collision.certificate_slack import SLACK_M
from writhe.database import PostureDatabase, database_on
from writhe.recognition.body_map import BodyMap, has_same_coordinates
from writhe.skeleton import Figure, Frames, JointKind, Skeleton, forward
from writhe.skeleton.configurations import configuration
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.control_terms import ControlTerms
from writhe.solvers.posing.controls import Controls, idle_dofs, locked_dofs
from writhe.solvers.posing.database_query import DatabaseQuery
from writhe.solvers.posing.frame_stepper import FrameOutcome, FrameStepper
from writhe.solvers.posing.habits import Habits
from writhe.solvers.posing.handle_rows import HandleRows, HandleWeights
from writhe.solvers.posing.handles import Handle, Hold, Pin, Target, check_handles
from writhe.solvers.posing.hinge_bias import HingeBias
from writhe.solvers.posing.options import DefaultPoserOptions
from writhe.solvers.posing.poser import GateReport, PoseResult
from writhe.solvers.posing.posture_prior import PosturePrior
from writhe.solvers.posing.retreat import Goals, Retreat
from writhe.solvers.result import Status
from writhe.terms import Term, joint_limits, reach

_STILL = 1e-5  # the body is at rest if a frame changes no entry of q by more than this


class DefaultPoser:
    """The default poser: database prior, contacts, certified steps. Not thread-safe."""

    name = "default"

    @checked
    def __init__(
        self,
        figure: Figure,
        database: PostureDatabase | None = None,
        options: DefaultPoserOptions | None = None,
        *,
        actor: ActorInScene | None = None,
        controls: Controls | None = None,
    ) -> None:
        self.figure = figure
        self.options = (options or DefaultPoserOptions()).scaled_to(figure.skeleton)
        self.actor = actor or ActorInScene.alone(figure)
        self.skeleton = self.actor.skeleton
        self.table = self.actor.table
        self._stepper = FrameStepper(self.actor, self.options)
        self._prior = None
        self._map: BodyMap | None = None
        if database is not None:
            if not has_same_coordinates(figure, database.figure):
                self._map = BodyMap(figure, database.figure)
                database = database_on(self._map, database)
            query = DatabaseQuery(database, self.actor)
            self._prior = PosturePrior(query, self.options.prior, self._map)
        self._hinge_bias = HingeBias(figure.skeleton)
        self._habits = Habits(figure, self.actor, with_database=self._prior is not None)
        self._inertia = _inertia(self.skeleton, self.options)
        guided = self._guided
        self._guides_at = np.array(guided, dtype=np.int64)
        self._guides_on = np.array(
            [figure.skeleton.index(self._own_name(j)) for j in guided], dtype=np.int64
        )
        self._guide_rows = {self._own_name(j): i for i, j in enumerate(guided)}
        self._dof_freedom = np.ones(figure.skeleton.dof_count)  # 0 for firm idle limbs, else 1
        self._joint_freedom = np.ones(len(figure.skeleton))
        self._last_q: Floats = np.zeros(0)
        self._relations: tuple[Term, ...] = ()
        self._related: frozenset[str] = frozenset()  # joints of the relations
        self._still: tuple[object, PoseResult] | None = None  # handles and result at rest
        self._retreat = Retreat(self.actor, self._stepper, self.options)
        self.controls = controls or Controls()

    @property
    def controls(self) -> Controls:
        """Root stay, balance and idle limbs; may be set between steps."""
        return self._controls

    @controls.setter
    def controls(self, controls: Controls) -> None:
        self._control_terms = ControlTerms(self.figure, self.actor, self.options, controls)
        self._controls = controls
        self._compile()

    def set_relations(self, relations: Sequence[Term]) -> None:
        """Replace the relations between parts (relative positions, distances, half-spaces).

        Joint names are those of the whole model ("actor.joint" in a scene). A term with
        equal bounds becomes a soft row of weight `relation_weight`; any other becomes a constraint.
        """
        self._relations = tuple(relations)
        prefix = self.actor.prefix
        codes = [term.quantity.encode(self.skeleton) for term in relations]
        names = (self.skeleton.names[j] for c in codes for j in (c.joint_a, c.joint_b) if j >= 0)
        own = (name.removeprefix(prefix) for name in names if name.startswith(prefix))
        self._related = frozenset(name for name in own if name in self.figure.skeleton)
        self._compile()

    def _compile(self) -> None:
        self._still = None
        options = self.options
        equal = [t for t in self._relations if np.array_equal(t.lower, t.upper)]
        springs = [replace(t, weight=options.relation_weight) if t.hard else t for t in equal]
        intervals = [t for t in self._relations if not np.array_equal(t.lower, t.upper)]
        self._rows = HandleRows(
            self.skeleton,
            HandleWeights(
                options.target_weight,
                options.pin_weight,
                options.turn_weight,
                10.0 * options.turn_weight,
            ),
            prefix=self.actor.prefix,
            soft=(*self._control_terms.terms, *springs),
            guides=self._guides(),
            hard=[*intervals, *joint_limits(self.skeleton, only_under=self.actor.root)],
        )

    def step(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> PoseResult:
        """One frame of a drag: the next configuration from q, with errors, status and gate report.

        Call it once a frame until `result.reached`, or until the status is SETTLED. The step from q
        to `result.q` is certified unless `options.gate` is off; if no part of it can be certified,
        `result.q` equals q. If q penetrates, the step does not penetrate deeper.
        """
        start = time.perf_counter()
        rows, stepper = self._rows, self._stepper
        check_handles(targets, pins)
        own = floats(q, (self.figure.skeleton.configuration_size,), "the configuration")
        if not identical(own, self._last_q):  # q is not the last result
            own = configuration(self.figure.skeleton, own)
        whole, handles = self.actor.full_configuration(own), (*targets, *pins)
        if self._still is not None and handles == self._still[0] and identical(whole, stepper.q):
            elapsed = 1e3 * (time.perf_counter() - start)
            return replace(self._still[1], q=own.copy(), milliseconds=elapsed)
        continued = identical(own, self._last_q)
        if rows.set_handles(targets, pins) or not continued:
            self._begin(targets, pins, whole, continued)
            self._retreat.begin(own)
        self._guide(own, handles)
        stepper.set_state(whole, force=rows.has_orientations)
        support = self._control_terms.anchor(rows, targets, pins)
        if support is not None:
            stepper.set_support(support)
        places = [(t.joint, t.point_in_joint, t.position_in_world) for t in targets]
        goals = Goals(tuple(places), tuple(pins))
        if (ahead := self._retreat.next(goals, whole)) is not None:
            first_error_m = max(rows.point_errors()[: rows.targets])
            stepper.set_state(ahead, force=True)
            outcome = FrameOutcome(first_error_m, 1.0, softened=False)
            result = self._result(targets, pins, outcome, start)
            self._retreat.visit(self._last_q)
            return result if result.reached else replace(result, status=Status.APPROACHING)
        self._add_habits(targets)
        result = self._result(targets, pins, stepper.step(), start)
        self._retreat.visit(self._last_q)
        moved = float(np.abs(stepper.q - whole).max())
        still = moved < _STILL and not self._prior_active
        if self._habits.give_way(result, self.options, moving=self._prior_active):
            still = False
        if result.status is Status.SETTLED and self._control_terms.give_way(rows):
            still = False
        dragged = [i for i, target in enumerate(targets) if not target.is_soft_pin]
        error_m = max((result.target_error_m[targets[i].joint] for i in dragged), default=0.0)
        stuck = self._retreat.is_stuck(goals, error_m, moved, led=self._prior_active)
        if stuck and self._search_path_back(goals, dragged):
            still, result = False, replace(result, status=Status.APPROACHING)
        self._still = (handles, result) if still else None
        return result

    def set_stance(self, q: Floats) -> None:
        """Set the posture (nq) that trunk and legs return to in this drag, after a step."""
        self._habits.set_stance(self.actor.full_configuration(q))
        self._still = None

    def _search_path_back(self, goals: Goals, moved: Sequence[int]) -> bool:
        """Search a path out of the corner in which the drag is stuck; the trunk is held."""
        stepper = self._stepper
        self._rows.set_guides(None)
        stepper.pull[self.actor.v] = 0.0
        inertia = stepper.inertia.copy()
        self._habits.hold_trunk(stepper.inertia)
        found = self._retreat.search(goals, self._rows, moved)
        stepper.inertia[:] = inertia
        return found

    def warm_up(self, q: Floats) -> None:
        """Load or compile every kernel that a step may need, so that no drag waits for one.

        Takes one step at q towards the current pose, which changes the poser's state like a frame
        without motion.
        """
        joint = self.figure.skeleton.names[0]
        x, y, z = (float(c) for c in forward(self.figure.skeleton, q).position(joint))
        self.step(q, [Target(joint, (x, y, z))])
        stepper, frames = self._stepper, (self._rows.terms.positions, self._rows.terms.rotations)
        self._habits.warm_up(frames, stepper.q, stepper.inertia, stepper.pull)
        self._retreat.warm_up(stepper.q)
        self._still = None

    def _begin(
        self, targets: Sequence[Target], pins: Sequence[Pin | Hold], whole: Floats, continued: bool
    ) -> None:
        """Compile rows, and set the weights of idle limbs, when the set of handles changes."""
        self._control_terms.begin()
        held = {handle.joint for handle in (*targets, *pins)}
        others = {handle.on for handle in pins if isinstance(handle, Hold)}
        held |= {name for name in others if name in self.figure.skeleton}
        locked = locked_dofs(self.figure, frozenset(held) | self._related)
        balance = self._control_terms.first_balance_row(self._rows)
        self._stepper.set_rows(self._rows, balance, locked)
        idle = idle_dofs(self.figure, frozenset(held))
        idle_weight = (self.options.idle_weight * self.controls.idle) ** 2
        self._stepper.inertia[:] = self._inertia
        self._stepper.inertia[self.actor.v] += np.where(idle, idle_weight, 0.0)
        inertia, rhythm = self._stepper.inertia, self.controls.rhythm
        self._habits.begin(targets, pins, whole, inertia, rhythm, continued=continued)
        self._dof_freedom[:] = np.where(idle, 1.0 - self.controls.idle, 1.0)
        first_dof = self.figure.skeleton.tree.v_start[:-1]
        self._joint_freedom[:] = self._dof_freedom[
            np.minimum(first_dof, len(self._dof_freedom) - 1)
        ]

    def _guides(self) -> list[Term]:
        """Terms for the predicted joint positions; `_set_prediction` fills in their goals."""
        if self._prior is None:
            return []
        prefix = self.actor.prefix
        return [reach(prefix + self._own_name(j), np.zeros(3)) for j in self._guided]

    @property
    def _guided(self) -> list[int]:
        """Joints of the database's figure whose predicted positions become soft terms."""
        if self._map is None:
            return list(range(len(self.figure.skeleton)))
        return [j for j, own in enumerate(self._map.joint) if own >= 0]

    def _own_name(self, joint: int) -> str:
        """The name of the figure's joint that corresponds to a joint of the database's figure."""
        own = joint if self._map is None else int(self._map.joint[joint])
        return self.figure.skeleton.names[own]

    @property
    def _prior_active(self) -> bool:
        """Whether the database prior has weight in this frame."""
        return self._prior is not None and self._prior.share > 0.0

    def _guide(self, q: Floats, handles: Sequence[Handle]) -> None:
        """Set the goals of the database prior or, without a database, the hinge bias."""
        pull = self._stepper.pull
        if self._prior is not None:
            self._set_prediction(self._prior, q, handles)
            pull[self.actor.v] = 0.0
        else:
            bias = self._hinge_bias.pull(q, handles)
            pull[self.actor.v] = self.options.relax_pull * self._dof_freedom * bias

    def _add_habits(self, targets: Sequence[Target]) -> None:
        """Set the inertia of the trunk and where idle arms rest; add the pulls of the habits.

        The pull of the shoulder girdle is scaled by the share of the posture prior, so it acts only
        while targets move and there is a database.
        """
        stepper, terms = self._stepper, self._rows.terms
        share = 0.0 if self._prior is None else self._prior.share
        frames = terms.positions, terms.rotations
        if share > 0.0 and self.controls.rhythm > 0.0:
            self._habits.rest_arms(frames[0], self._rows, self._guide_rows)
        self._habits.add_pulls(
            self.controls, share, targets, frames, stepper.q, stepper.inertia, stepper.pull
        )

    def _set_prediction(self, prior: PosturePrior, q: Floats, handles: Sequence[Handle]) -> None:
        """Set the goals and weights of the rows for the predicted joint positions."""
        actor, rows = self.actor, self._rows
        if not identical(q, self._last_q):
            prior.reset()  # q is not the last result: a new drag
        prior.update(q, handles, actor.rotation, actor.position_m)
        if prior.share == 0.0:
            rows.set_guides(None)
            return
        expected = prior.expected[self._guides_at] @ actor.rotation.T + actor.position_m
        weight = self.options.prior_weight * prior.share * self._joint_freedom[self._guides_on]
        rows.set_guides(expected.ravel(), np.repeat(weight, 3))

    def _result(
        self,
        targets: Sequence[Target],
        pins: Sequence[Pin | Hold],
        outcome: FrameOutcome,
        start: float,
    ) -> PoseResult:
        options, stepper, fraction = self.options, self._stepper, outcome.fraction
        self._last_q = stepper.q[self.actor.q].copy()
        errors = self._rows.point_errors()
        clearance = stepper.clearances()
        lowest = float(clearance.min()) if len(clearance) else None
        parts: set[str] = set()
        if lowest is not None and lowest < -SLACK_M:
            for pair in np.flatnonzero(clearance < -SLACK_M):
                parts.update(stepper.parts_of(int(pair)))
        worst = max(errors[: len(targets)], default=0.0)
        if worst <= options.target_tolerance_m:
            status = Status.REACHED
        elif outcome.softened:
            status = Status.REGULARISED
        elif worst < 0.98 * outcome.first_error_m:
            status = Status.APPROACHING
        else:
            status = Status.SETTLED
        return PoseResult(
            q=self._last_q.copy(),
            status=status,
            target_error_m={t.joint: e for t, e in zip(targets, errors, strict=False)},
            pin_error_m={p.joint: e for p, e in zip(pins, errors[len(targets) :], strict=True)},
            milliseconds=1e3 * (time.perf_counter() - start),
            gate=GateReport(options.gate, fraction, 0.0 < fraction < 1.0, fraction <= 0.0),
            clearance_m=lowest,
            violating_parts=tuple(sorted(parts)),
            unfamiliar=None if self._prior is None else self._prior.unfamiliar,
            turn_error_rad=self._rows.turn_errors(),
            off_balance_m=self._control_terms.off_balance_m(self._rows),
            centre_of_mass_m=self._control_terms.centre_of_mass_m(self._rows),
            support=self._control_terms.support,
            frames=Frames(
                self.skeleton, self._rows.terms.positions.copy(), self._rows.terms.rotations.copy()
            ),
        )


def _inertia(skeleton: Skeleton, options: DefaultPoserOptions) -> Floats:
    """(nv,) squared weights of the step: larger for translations of free joints."""
    out = np.full(skeleton.dof_count, options.base_weight**2)
    for joint in skeleton.joints:
        if joint.kind is JointKind.FREE:
            at = skeleton.v_slice(joint.name)
            out[at.start : at.start + 3] = options.root_weight**2
    return out
