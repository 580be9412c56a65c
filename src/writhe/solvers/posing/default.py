"""`default`: natural, collision-free posing in real time, every step certified.

A step solves one small quadratic programme per iteration,

    min   1/2 ||M (x + v)||^2 + 1/2 ||W (r + J v)||^2
    s.t.  near pairs keep their clearance:  dc >= -approach c
          joint limits,  |v| <= max_step,

whose soft rows r are targets, pins, holds, the controls (`Controls`) and, while targets move, where
the postures of a database expect the joints to be (see `prior`); x is the movement since the frame
began, and the inertia M keeps the root and idle limbs in place. The proposed step then passes the
gate, which shortens it to the last certified moment.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import daqp
import numpy as np

from writhe.arrays import Floats, floats
from writhe.collision import Gate, NearPairs
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.kernels import kinematics
from writhe.kernels.contact_rows import contact_rows, cut_rows, limit_rows
from writhe.kernels.normal_equations import assemble, mirror_lower
from writhe.quantities import CentreOfMass, Point
from writhe.skeleton import Figure, Frames, JointKind, Skeleton
from writhe.solvers.posing.asking import Asking
from writhe.solvers.posing.balance import can_balance, nearest_in_polygon, support_polygon
from writhe.solvers.posing.controls import Controls, idle_dofs
from writhe.solvers.posing.handles import Handle, Hold, Pin, Target
from writhe.solvers.posing.place import ActorPlace
from writhe.solvers.posing.poser import GateReport, PoseResult
from writhe.solvers.posing.prior import PosturePrior, PriorOptions
from writhe.solvers.posing.wishes import Wishes, WishWeights
from writhe.solvers.result import Status
from writhe.terms import CompiledTerms, Term, joint_limits, reach

_SOFT = 8  # DAQP: a constraint that may be violated if need be
_OPTIMAL = 1
_UNBOUNDED = 1e30
_MOST_CONTACTS = 400  # near pairs beyond these are left to the gate
_HUMAN_EXTENT_M = 1.537  # between the outermost joints of the built-in human at rest
_CUTS, _MOST_CUTS = 3, 40  # how often a stopped step is solved again, with how many rows each
_HALVINGS = 3  # a step that does not serve is tried at half and a quarter of its length


@dataclass(frozen=True, slots=True)
class DefaultOptions:
    """The weights of the default poser. Lengths in metres, angles in radians.

    Lengths, and weights per metre, are for a body of human size; `scaled` adapts them to others.
    """

    iterations: int = 3  # at most, a frame
    target_weight: float = 30.0
    pin_weight: float = 300.0
    turn_weight: float = 6.0
    hold_weight: float = 1000.0  # of hard relations between parts
    stay_weight: float = 300.0  # of a root that stays firmly
    balance_weight: float = 100.0  # of a body that balances firmly
    idle_weight: float = 10.0  # of a limb that idles firmly, beside the prior
    expected_weight: float = 3.0  # of where the database expects a joint, while targets move
    root_weight: float = 3.0  # how firmly the body stays in place
    base_weight: float = 1.0  # how firmly every joint stays as it is
    max_step_rad: float = 0.25  # per joint coordinate and iteration
    reach_m: float = 0.12  # how far a target may be ahead in one iteration
    near_m: float = 0.06  # pairs nearer than this become inequalities
    margin_m: float = 0.002
    approach: float = 0.5  # share of the clearance that one iteration may use up
    recovery_m: float = 0.01  # how fast a penetrating start is pushed out, an iteration
    met_m: float = 0.005
    held_m: float = 0.0005  # a pin farther off than this is brought back before the frame ends
    relax_pull: float = 0.05  # towards relaxed hinges, where there is no database
    gate: bool = True
    prior: PriorOptions = field(default_factory=PriorOptions)

    def scaled(self, size: float) -> DefaultOptions:
        """The options for a body that is `size` times as large as the human."""
        lengths = ("reach_m", "near_m", "margin_m", "recovery_m", "met_m", "held_m")
        per_metre = (
            "target_weight",
            "pin_weight",
            "stay_weight",
            "balance_weight",
            "expected_weight",
            "root_weight",
        )
        return replace(
            self,
            **{name: size * getattr(self, name) for name in lengths},
            **{name: getattr(self, name) / size for name in per_metre},
        )


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
        size = float(np.ptp(figure.skeleton.rest_positions, axis=0).max()) / _HUMAN_EXTENT_M
        self.options = (options or DefaultOptions()).scaled(max(size, 0.02))
        self.place = place or ActorPlace.alone(figure)
        self.skeleton = self.place.skeleton
        self.table = self.place.table
        nv = self.skeleton.dof_count
        self.gate = Gate(self.table)
        self._near = NearPairs(self.table)
        self._prior = None
        if database is not None:
            self._prior = PosturePrior(Asking(database, self.place), self.options.prior)
        self._base_inertia = _inertia(self.skeleton, self.options)
        self._inertia = self._base_inertia.copy()
        self._follows = np.ones(self.figure.skeleton.dof_count)  # how readily each is led
        self._led = np.ones(len(self.figure.skeleton))  # and each joint
        self._left_at: Floats = np.zeros(0)
        self._moved = np.zeros(nv)  # since the start of the frame
        self._relaxing = np.zeros(self.figure.skeleton.dof_count)
        self._hinges = _relaxed_hinges(self.figure.skeleton)
        self._most = np.where(self.place.variables, self.options.max_step_rad, 0.0)
        self._pull = 1.0
        self._places_before: tuple[tuple[float, float, float], ...] = ()
        self._support = np.zeros((0, 2))
        self._held_before: tuple[Pin | Hold, ...] | None = None
        self._relations: tuple[Term, ...] = ()
        self.controls = controls or Controls()
        # two rows for the limits of a ball joint, one for relations
        room = _MOST_CONTACTS + 3 * len(self.skeleton) + _CUTS * _MOST_CUTS
        self._rows = 0
        n = len(self.skeleton)
        self._cut_positions, self._cut_rotations = np.empty((n, 3)), np.empty((n, 3, 3))
        self._cut_axes = np.empty((nv, 3))
        self._hessian, self._gradient = np.empty((nv, nv)), np.empty(nv)
        self._columns = np.empty(nv, dtype=np.int64)
        self._matrix = np.empty((room, nv))
        self._low, self._high = np.empty(nv + room), np.empty(nv + room)
        self._sense = np.zeros(nv + room, dtype=np.int32)
        self._tried = np.empty(self.skeleton.configuration_size)

    @property
    def controls(self) -> Controls:
        """How the body behaves beyond what is held; may be set between steps."""
        return self._controls

    @controls.setter
    def controls(self, controls: Controls) -> None:
        options, root = self.options, self.place.prefix + self.figure.skeleton.names[0]
        if controls.balance > 0.0 and not can_balance(self.figure):
            raise WritheError(
                f"the figure {self.figure.name!r} has no feet or no masses to balance with"
            )
        own: dict[str, Term] = {}
        if controls.stay > 0.0:
            firm = options.stay_weight * controls.stay**2
            own["stay"] = Term(Point(root), 0.0, 0.0, np.array([firm, 0.0, firm]), label="stay")
        if controls.balance > 0.0:
            firm = options.balance_weight * controls.balance**2
            own["balance"] = Term(
                CentreOfMass(root), 0.0, 0.0, np.array([firm, 0.0, firm]), label="balance"
            )
        self._controls = controls
        self._own = own
        self._compile()

    def keep(self, relations: Sequence[Term]) -> None:
        """Terms that hold from now on: relations between parts, half-spaces.

        Joints are called as in the place's skeleton ("actor.joint" in a scene). Equalities are
        stiff springs like pins, intervals are constraints.
        """
        self._relations = tuple(relations)
        self._compile()

    def _compile(self) -> None:
        options = self.options
        equal = [t for t in self._relations if np.array_equal(t.lower, t.upper)]
        springs = [replace(t, weight=options.hold_weight) if t.hard else t for t in equal]
        intervals = [t for t in self._relations if not np.array_equal(t.lower, t.upper)]
        self._wishes = Wishes(
            self.skeleton,
            WishWeights(
                options.target_weight,
                options.pin_weight,
                options.turn_weight,
                10.0 * options.turn_weight,
            ),
            prefix=self.place.prefix,
            soft=(*self._own.values(), *springs),
            guides=self._guides(),
            hard=[*intervals, *joint_limits(self.skeleton, only_under=self.place.root)],
        )

    def step(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> PoseResult:
        """The next configuration from q: natural, within limits, certified."""
        start = time.perf_counter()
        options, wishes = self.options, self._wishes
        own = floats(q, (self.figure.skeleton.configuration_size,), "the configuration")
        q = self.place.whole(own)
        if wishes.take(targets, pins):
            self._begin(targets, pins)
        self._calm_down(targets)
        if self._prior is None:
            self._relax(own)
        else:
            self._expect(self._prior, own, (*targets, *pins))
        terms, tree = wishes.terms, self.skeleton.tree
        start_q, kept = q.copy(), q.copy()
        softened, fraction = False, 1.0
        terms.update(q)
        self._anchor(targets, pins)
        self._aim()
        first_error = wishes.worst_target()
        before = wishes.misfit()
        for iteration in range(options.iterations):
            kinematics.difference(tree, start_q, q, self._moved)
            v, soft = self._solve(terms)
            softened = softened or soft
            kept[:] = q
            for halving in range(_HALVINGS):
                kinematics.integrate(tree, kept, v, self._tried)
                # What counts is the way from frame to frame, so that is what the gate follows.
                safe = self.gate.fraction(start_q, self._tried) if options.gate else 1.0
                if safe < 1.0 and iteration == halving == 0:
                    v, safe = self._around(start_q, v, safe)
                if safe >= 1.0:
                    q[:] = self._tried
                else:
                    kinematics.interpolate(tree, start_q, self._tried, safe, q)
                terms.update(q)
                self._aim()
                misfit = wishes.misfit()
                if misfit <= before * (1.0 + 1e-3) + 1e-6:
                    break
                v = 0.5 * v  # wishes that cannot all be met are approached without shaking
            else:
                q[:] = kept
                terms.update(q)
                self._aim()
                break
            fraction = min(fraction, safe)
            error = wishes.worst_target()
            if error < options.met_m or safe < 1.0 or misfit > 0.96 * before:
                break
            before = misfit
        if fraction >= 1.0 and wishes.worst_held() > options.held_m:
            self._bring_back(start_q, q)
        return self._result(q, terms, targets, pins, first_error, softened, fraction, start)

    def _around(self, start_q: Floats, v: Floats, safe: float) -> tuple[Floats, float]:
        """Another step where the gate stopped one, and its certified share; leaves it in _tried.

        Shapes that lie flat on each other touch at a point that jumps along them, which rows at
        the start cannot foresee. So the pairs that collide where the step was stopped become rows
        there, c(v') = c(v) + n . J (v' - v) >= 0, and the programme is solved again with them.
        """
        tree, nv, near = self.skeleton.tree, len(v), self._near
        best, best_safe = v, safe
        for _ in range(_CUTS):
            ahead = min(1.0, safe + 0.1) * v
            kinematics.integrate(tree, start_q, ahead, self._tried)
            kinematics.forward(tree, self._tried, self._cut_positions, self._cut_rotations)
            kinematics.motion_axes(tree, self._cut_positions, self._cut_rotations, self._cut_axes)
            near.find(self._cut_positions, self._cut_rotations, 0.0)
            first = self._rows
            self._rows += cut_rows(
                tree,
                self._cut_positions,
                self._cut_axes,
                near.rows,
                near.count,
                0.5 * self.options.margin_m,
                ahead,
                self._matrix[first : first + _MOST_CUTS],
                self._low[nv + first :],
            )
            self._high[nv + first : nv + self._rows] = _UNBOUNDED
            v, _ = self._programme(nv, self._rows)
            kinematics.integrate(tree, start_q, v, self._tried)
            safe = self.gate.fraction(start_q, self._tried)
            if safe > best_safe:
                best, best_safe = v, safe
            if safe >= 1.0:
                break
        kinematics.integrate(tree, start_q, best, self._tried)
        return best, best_safe

    def _bring_back(self, start_q: Floats, q: Floats) -> None:
        """One more programme for pins that the bend of the step has moved, targets left as is."""
        wishes, terms = self._wishes, self._wishes.terms
        before = wishes.worst_held()
        kinematics.difference(self.skeleton.tree, start_q, q, self._moved)
        v, _ = self._solve(terms, reach_m=0.0)
        kinematics.integrate(self.skeleton.tree, q, v, self._tried)
        if not self.options.gate or self.gate.fraction(start_q, self._tried) >= 1.0:
            terms.update(self._tried)
            if wishes.worst_held() < before:
                q[:] = self._tried
                self._aim()
                return
        terms.update(q)
        self._aim()

    def _begin(self, targets: Sequence[Target], pins: Sequence[Pin | Hold]) -> None:
        """Other handles than before: which limbs idle from now on."""
        self._held_before = None
        held = {handle.joint for handle in (*targets, *pins)}
        held |= {handle.on for handle in pins if isinstance(handle, Hold)}
        idle = idle_dofs(self.figure, frozenset(held))
        self._inertia[:] = self._base_inertia
        firm = (self.options.idle_weight * self.controls.idle) ** 2
        self._inertia[self.place.v] += np.where(idle, firm, 0.0)
        self._follows[:] = np.where(idle, 1.0 - self.controls.idle, 1.0)
        first_dof = self.figure.skeleton.tree.v_start[:-1]
        self._led[:] = self._follows[np.minimum(first_dof, len(self._follows) - 1)]

    def _guides(self) -> list[Term]:
        """Rows for where the database expects the joints; `_expect` fills them."""
        if self._prior is None:
            return []
        prefix = self.place.prefix
        return [reach(prefix + name, np.zeros(3)) for name in self.figure.skeleton.names]

    def _expect(self, prior: PosturePrior, q: Floats, handles: Sequence[Handle]) -> None:
        """Ask the database where the joints should be, and lead them there."""
        place, wishes = self.place, self._wishes
        if not np.array_equal(q, self._left_at):
            prior.forget()  # another posture than this poser left: a new drag
        prior.update(q, handles, place.rotation, place.position_m)
        at = slice(wishes.first_guide, wishes.first_hard)
        expected = prior.expected @ place.rotation.T + place.position_m
        wishes.terms.lower[at] = wishes.terms.upper[at] = expected.ravel()
        firm = self.options.expected_weight * prior.share * self._led
        wishes.terms.weight[at] = np.repeat(firm, 3)

    def _calm_down(self, targets: Sequence[Target]) -> None:
        """What relaxes limbs fades while targets rest, so that a body at rest does not creep."""
        places = tuple(target.position_in_world for target in targets)
        self._pull = 0.8 * self._pull if places == self._places_before else 1.0
        self._places_before = places

    def _relax(self, q: Floats) -> None:
        """Without data, hinges are drawn to a little bend: a straight limb has no way to fold."""
        for v_at, q_at, relaxed in self._hinges:
            self._relaxing[v_at] = relaxed - q[q_at]

    def _anchor(self, targets: Sequence[Target], pins: Sequence[Pin | Hold]) -> None:
        """Where the root stays and the feet stand, whenever a drag begins or the pins change."""
        held = tuple(pins)
        if not self._own or held == self._held_before:
            return
        self._held_before = held
        wishes, terms = self._wishes, self._wishes.terms
        if "stay" in self._own:
            at = wishes.rows_of(list(self._own).index("stay"))
            terms.wanted_lower[at] = terms.wanted_upper[at] = terms.values[at]
            root = self.figure.skeleton.names[0]
            if any(target.joint == root for target in targets):
                terms.weight[at] = 0.0  # who drags the root wants it elsewhere
        if "balance" in self._own:
            frames = Frames(self.skeleton, terms.positions, terms.rotations)
            moved = frozenset(target.joint for target in targets)
            self._support = support_polygon(self.figure, frames, self.place.prefix, moved)

    def _aim(self) -> None:
        """Move what the controls want to where the body is now."""
        if not self._own:
            return
        wishes, terms = self._wishes, self._wishes.terms
        if "balance" in self._own:
            at = wishes.rows_of(list(self._own).index("balance"))
            x, y, z = terms.values[at]
            if len(self._support) > 2:
                x, z = nearest_in_polygon(self._support, float(x), float(z))
            terms.wanted_lower[at] = terms.wanted_upper[at] = (x, y, z)
        for i in range(len(self._own)):
            at = wishes.rows_of(i)
            terms.lower[at] = terms.upper[at] = terms.wanted_lower[at]

    def _solve(self, terms: CompiledTerms, reach_m: float | None = None) -> tuple[Floats, bool]:
        """The step of one programme, and whether constraints had to be softened."""
        options, tree = self.options, self.skeleton.tree
        nv = len(self._gradient)
        first_limit = self._wishes.first_hard
        self._wishes.shorten_reach(options.reach_m if reach_m is None else reach_m)
        hessian, gradient = self._hessian, self._gradient
        hessian[:] = 0.0
        hessian.flat[:: nv + 1] = self._inertia
        np.multiply(self._inertia, self._moved, out=gradient)
        if self._prior is None:
            gradient[self.place.v] -= (
                self._pull * options.relax_pull * self._follows * self._relaxing
            )
        rows = slice(0, first_limit)
        assemble(
            terms.values[rows],
            terms.jacobian[rows],
            terms.lower[rows],
            terms.upper[rows],
            terms.weight[rows],
            terms.hard[rows],
            hessian,
            gradient,
            self._columns,
        )
        mirror_lower(hessian)
        self._near.find(terms.positions, terms.rotations, options.near_m)
        low, high = self._low, self._high
        low[:nv], high[:nv] = -self._most, self._most
        contacts = contact_rows(
            tree,
            terms.positions,
            terms.axes,
            self._near.rows,
            self._near.count,
            options.margin_m,
            options.approach,
            options.recovery_m,
            self._matrix[:_MOST_CONTACTS],
            low[nv:],
        )
        high[nv : nv + contacts] = _UNBOUNDED
        limits = limit_rows(
            terms.values,
            terms.jacobian,
            terms.lower,
            terms.upper,
            first_limit,
            options.max_step_rad,
            0.3,
            self._matrix[contacts:],
            low[nv + contacts :],
            high[nv + contacts :],
        )
        self._rows = contacts + limits
        return self._programme(nv, self._rows)

    def _programme(self, nv: int, count: int) -> tuple[Floats, bool]:
        """Solve the first `count` rows, and whether they had to be softened."""
        own = self.place.v
        hessian, gradient, matrix = self._hessian, self._gradient, self._matrix[:count]
        low, high = self._low[: nv + count], self._high[: nv + count]
        if own.stop - own.start < nv:  # others stand in the scene: they are no variables
            hessian, gradient = np.ascontiguousarray(hessian[own, own]), gradient[own].copy()
            concerned = matrix[:, own].any(axis=1)
            matrix = np.ascontiguousarray(matrix[concerned, own])
            low = np.concatenate([low[own], low[nv:][concerned]])
            high = np.concatenate([high[own], high[nv:][concerned]])
        sense = self._sense[: len(low)]
        sense[:] = 0
        answer: Any = daqp.solve(hessian, gradient, matrix, high, low, sense)
        softened = answer[2] != _OPTIMAL
        if softened:
            sense[:] = 0
            sense[len(gradient) :] = _SOFT
            answer = daqp.solve(hessian, gradient, matrix, high, low, sense)
        v = np.zeros(nv)
        found = np.asarray(answer[0], dtype=np.float64)
        if np.isfinite(found).all():
            v[own] = found
        return v, softened

    def _result(
        self,
        q: Floats,
        terms: CompiledTerms,
        targets: Sequence[Target],
        pins: Sequence[Pin | Hold],
        first_error: float,
        softened: bool,
        fraction: float,
        start: float,
    ) -> PoseResult:
        options, near = self.options, self._near
        self._left_at = q[self.place.q].copy()
        errors = self._wishes.point_errors()
        near.find(terms.positions, terms.rotations, options.near_m)
        clearance = near.rows.gap[: near.count] + near.rows.allowance[: near.count]
        violating = np.flatnonzero(clearance < -0.001)
        parts = {
            self.table.part_of_shape(int(shape)) for i in violating for shape in near.rows.shapes[i]
        }
        worst = max(errors[: len(targets)], default=0.0)
        if worst <= options.met_m:
            status = Status.REACHED
        elif softened:
            status = Status.REGULARISED
        elif worst < 0.98 * first_error:
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
            clearance_m=float(clearance.min()) if near.count else None,
            touching_parts=tuple(sorted(parts)),
            unfamiliar=None if self._prior is None else self._prior.unfamiliar,
            turn_error_rad=self._wishes.turn_errors(),
            off_balance_m=self._off_balance(),
        )

    def _off_balance(self) -> float | None:
        """How far the centre of mass is from over the feet; None when nobody asked."""
        if "balance" not in self._own:
            return None
        at = self._wishes.rows_of(list(self._own).index("balance"))
        apart = self._wishes.terms.values[at] - self._wishes.terms.wanted_lower[at]
        return float(np.hypot(apart[0], apart[2]))


def _inertia(skeleton: Skeleton, options: DefaultOptions) -> Floats:
    """(nv,) squared weights that keep roots in place and every joint a little."""
    out = np.full(skeleton.dof_count, options.base_weight**2)
    for joint in skeleton.joints:
        if joint.kind is JointKind.FREE:
            at = skeleton.v_slice(joint.name)
            out[at.start : at.start + 3] = options.root_weight**2
    return out


def _relaxed_hinges(skeleton: Skeleton) -> list[tuple[int, int, float]]:
    """Where each limited hinge stands in a step and a configuration, and its relaxed angle."""
    out: list[tuple[int, int, float]] = []
    for joint in skeleton.joints:
        if joint.kind is JointKind.HINGE and joint.limits is not None:
            low, high = float(joint.limits.lower[0]), float(joint.limits.upper[0])
            v_at, q_at = skeleton.v_slice(joint.name).start, skeleton.q_slice(joint.name).start
            out.append((v_at, q_at, low + 0.25 * (high - low)))
    return out
