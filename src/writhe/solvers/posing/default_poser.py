"""`default`: natural, collision-free posing in real time, every step certified.

A step solves one small quadratic programme per iteration,

    min   1/2 ||M (x + v)||^2 + 1/2 ||W (r + J v)||^2
    s.t.  near pairs keep their clearance:  dc >= -approach c
          joint limits,  |v| <= max_step,

whose soft rows r are targets, pins, holds, the controls (`Controls`) and, while targets move, where
the postures of a database expect the joints to be (see `prior`); x is the movement since the frame
began, and the inertia M keeps the root and idle limbs in place. The proposed step then passes the
gate, which shortens it to the last certified moment. `stepping` has the kernels of all that.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats, floats, identical
from writhe.database import PostureDatabase
from writhe.skeleton import Figure, JointKind, Skeleton, forward
from writhe.solvers.posing.actor_in_scene import ActorPlace
from writhe.solvers.posing.control_terms import Keeping
from writhe.solvers.posing.controls import Controls, idle_dofs
from writhe.solvers.posing.database_query import Asking
from writhe.solvers.posing.frame_stepper import Stepped, Stepping
from writhe.solvers.posing.handle_rows import HandleRows, HandleWeights
from writhe.solvers.posing.handles import Handle, Hold, Pin, Target
from writhe.solvers.posing.hinge_bias import Relaxing
from writhe.solvers.posing.options import DefaultOptions
from writhe.solvers.posing.poser import GateReport, PoseResult
from writhe.solvers.posing.posture_prior import PosturePrior
from writhe.solvers.result import Status
from writhe.terms import Term, joint_limits, reach

_TOUCHING_M = 0.001  # parts deeper in each other than this are named
_STILL = 1e-5  # a frame that changed no number of the configuration by more than this was still


class DefaultPoser:
    """The best poser of writhe. Not to be shared between threads."""

    name = "default"

    def __init__(
        self,
        figure: Figure,
        database: PostureDatabase | None = None,
        options: DefaultOptions | None = None,
        *,
        place: ActorPlace | None = None,
        controls: Controls | None = None,
    ) -> None:
        self.figure = figure
        self.options = (options or DefaultOptions()).scaled_to(figure.skeleton)
        self.place = place or ActorPlace.alone(figure)
        self.skeleton = self.place.skeleton
        self.table = self.place.table
        self._stepping = Stepping(self.place, self.options)
        self._prior = None
        if database is not None:
            self._prior = PosturePrior(Asking(database, self.place), self.options.prior)
        self._relaxing = Relaxing(figure.skeleton)
        self._inertia = _inertia(self.skeleton, self.options)
        self._follows = np.ones(figure.skeleton.dof_count)  # how readily each is led
        self._led = np.ones(len(figure.skeleton))  # and each joint
        self._left_at: Floats = np.zeros(0)
        self._relations: tuple[Term, ...] = ()
        self._still: tuple[object, PoseResult] | None = None  # what was asked, what came of it
        self.controls = controls or Controls()

    @property
    def controls(self) -> Controls:
        """How the body behaves beyond what is held; may be set between steps."""
        return self._controls

    @controls.setter
    def controls(self, controls: Controls) -> None:
        self._keeping = Keeping(self.figure, self.place, self.options, controls)
        self._controls = controls
        self._compile()

    def keep(self, relations: Sequence[Term]) -> None:
        """Terms that hold from now on: relations between parts, half-spaces.

        Joints are called as in the place's skeleton ("actor.joint" in a scene). Equalities are
        stiff springs like pins, intervals are constraints.
        """
        self._relations = tuple(relations)
        self._compile()

    def _compile(self) -> None:
        self._still = None
        options = self.options
        equal = [t for t in self._relations if np.array_equal(t.lower, t.upper)]
        springs = [replace(t, weight=options.hold_weight) if t.hard else t for t in equal]
        intervals = [t for t in self._relations if not np.array_equal(t.lower, t.upper)]
        self._rows = HandleRows(
            self.skeleton,
            HandleWeights(
                options.target_weight,
                options.pin_weight,
                options.turn_weight,
                10.0 * options.turn_weight,
            ),
            prefix=self.place.prefix,
            soft=(*self._keeping.terms, *springs),
            guides=self._guides(),
            hard=[*intervals, *joint_limits(self.skeleton, only_under=self.place.root)],
        )

    def step(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> PoseResult:
        """The next configuration from q: natural, within limits, certified."""
        start = time.perf_counter()
        rows, stepping = self._rows, self._stepping
        own = floats(q, (self.figure.skeleton.configuration_size,), "the configuration")
        whole, asked = self.place.whole(own), (*targets, *pins)
        if self._still is not None and asked == self._still[0] and identical(whole, stepping.q):
            elapsed = 1e3 * (time.perf_counter() - start)
            return replace(self._still[1], q=own.copy(), milliseconds=elapsed)
        if rows.take(targets, pins):
            self._begin(targets, pins)
        self._lead(own, asked)
        stepping.stand(whole, again=rows.turns)
        support = self._keeping.anchor(rows, targets, pins)
        if support is not None:
            stepping.stand_on(support)
        result = self._result(targets, pins, stepping.pose(), start)
        still = float(np.abs(stepping.q - whole).max()) < _STILL and not self._leads
        self._still = (asked, result) if still else None
        return result

    def rehearse(self, q: Floats) -> None:
        """Load, or compile, all that steps may need; nothing is changed but what a pause changes.

        The first steps of a process would load the kernels one by one, the last of them in the
        middle of a drag.
        """
        joint = self.figure.skeleton.names[0]
        x, y, z = (float(c) for c in forward(self.figure.skeleton, q).position(joint))
        self.step(q, [Target(joint, (x, y, z))])
        self._still = None

    def _begin(self, targets: Sequence[Target], pins: Sequence[Pin | Hold]) -> None:
        """Other handles than before: which limbs idle from now on."""
        self._keeping.begin()
        self._stepping.use(self._rows, self._keeping.first_balance_row(self._rows))
        held = {handle.joint for handle in (*targets, *pins)}
        held |= {handle.on for handle in pins if isinstance(handle, Hold)}
        idle = idle_dofs(self.figure, frozenset(held))
        firm = (self.options.idle_weight * self.controls.idle) ** 2
        self._stepping.inertia[:] = self._inertia
        self._stepping.inertia[self.place.v] += np.where(idle, firm, 0.0)
        self._follows[:] = np.where(idle, 1.0 - self.controls.idle, 1.0)
        first_dof = self.figure.skeleton.tree.v_start[:-1]
        self._led[:] = self._follows[np.minimum(first_dof, len(self._follows) - 1)]

    def _guides(self) -> list[Term]:
        """Rows for where the database expects the joints; `_expect` fills them."""
        if self._prior is None:
            return []
        prefix = self.place.prefix
        return [reach(prefix + name, np.zeros(3)) for name in self.figure.skeleton.names]

    @property
    def _leads(self) -> bool:
        """Whether the database has a say in this frame."""
        return self._prior is not None and self._prior.share > 0.0

    def _lead(self, q: Floats, handles: Sequence[Handle]) -> None:
        """Lead the rest of the body by the database, or relax it where there is none."""
        if self._prior is not None:
            self._expect(self._prior, q, handles)
            return
        pull = self._relaxing.pull(q, handles)
        self._stepping.pull[self.place.v] = self.options.relax_pull * self._follows * pull

    def _expect(self, prior: PosturePrior, q: Floats, handles: Sequence[Handle]) -> None:
        """Ask the database where the joints should be, and lead them there."""
        place, rows = self.place, self._rows
        if not identical(q, self._left_at):
            prior.forget()  # another posture than this poser left: a new drag
        prior.update(q, handles, place.rotation, place.position_m)
        at = slice(rows.first_guide, rows.first_hard)
        if prior.share == 0.0:
            rows.terms.weight[at] = 0.0
            return
        expected = prior.expected @ place.rotation.T + place.position_m
        rows.terms.lower[at] = rows.terms.upper[at] = expected.ravel()
        firm = self.options.expected_weight * prior.share * self._led
        rows.terms.weight[at] = np.repeat(firm, 3)

    def _result(
        self,
        targets: Sequence[Target],
        pins: Sequence[Pin | Hold],
        stepped: Stepped,
        start: float,
    ) -> PoseResult:
        options, stepping, fraction = self.options, self._stepping, stepped.fraction
        self._left_at = stepping.q[self.place.q].copy()
        errors = self._rows.point_errors()
        clearance = stepping.clearances()
        least = float(clearance.min()) if len(clearance) else None
        parts: set[str] = set()
        if least is not None and least < -_TOUCHING_M:
            for pair in np.flatnonzero(clearance < -_TOUCHING_M):
                parts.update(stepping.parts_of(int(pair)))
        worst = max(errors[: len(targets)], default=0.0)
        if worst <= options.met_m:
            status = Status.REACHED
        elif stepped.yielded:
            status = Status.REGULARISED
        elif worst < 0.98 * stepped.first_error_m:
            status = Status.APPROACHING
        else:
            status = Status.SETTLED
        return PoseResult(
            q=self._left_at.copy(),
            status=status,
            target_error_m={t.joint: e for t, e in zip(targets, errors, strict=False)},
            pin_error_m={p.joint: e for p, e in zip(pins, errors[len(targets) :], strict=True)},
            milliseconds=1e3 * (time.perf_counter() - start),
            gate=GateReport(options.gate, fraction, 0.0 < fraction < 1.0, fraction <= 0.0),
            clearance_m=least,
            touching_parts=tuple(sorted(parts)),
            unfamiliar=None if self._prior is None else self._prior.unfamiliar,
            turn_error_rad=self._rows.turn_errors(),
            off_balance_m=self._keeping.off_balance_m(self._rows),
        )


def _inertia(skeleton: Skeleton, options: DefaultOptions) -> Floats:
    """(nv,) squared weights that keep roots in place and every joint a little."""
    out = np.full(skeleton.dof_count, options.base_weight**2)
    for joint in skeleton.joints:
        if joint.kind is JointKind.FREE:
            at = skeleton.v_slice(joint.name)
            out[at.start : at.start + 3] = options.root_weight**2
    return out
