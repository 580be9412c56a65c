"""The kernels of the default poser with the arrays that they keep from call to call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from writhe.arrays import Floats, identical
from writhe.collision import NearPairs
from writhe.collision.gate import GATE_SLACK_M, gate_room
from writhe.kernels.jit import machine_code
from writhe.kernels.posing import body_state, frame_step
from writhe.kernels.posing.frame_step import FIRST_ERROR, FRACTION, YIELDED
from writhe.kernels.posing.step_qp import StepBounds, make_room
from writhe.solvers.posing.actor_in_scene import ActorPlace
from writhe.solvers.posing.handle_rows import HandleRows
from writhe.solvers.posing.options import DefaultOptions

_MOST_CONTACTS = 400  # near pairs beyond these are left to the gate


class Stepped(NamedTuple):
    """What came of a frame."""

    first_error_m: float  # the worst target's distance when it began
    fraction: float  # of the way that is certified
    yielded: bool  # whether constraints had to


class Stepping:
    """Steps a body from where it stands; not to be shared between threads."""

    def __init__(self, place: ActorPlace, options: DefaultOptions) -> None:
        skeleton, self.table = place.skeleton, place.table
        self._place, self._options = place, options
        nq, self._nv = skeleton.configuration_size, skeleton.dof_count
        self._around = body_state.Surroundings(
            skeleton.tree,
            skeleton.mass,
            skeleton.centre_of_mass,
            self.table.shapes,
            self.table.bodies,
            self.table.pairs,
        )
        self._near, self._near_count = NearPairs(self.table), np.zeros(1, dtype=np.int64)
        self._gate = gate_room(self.table)
        self._pace = frame_step.Pace(
            options.iterations,
            options.met_m,
            options.held_m,
            GATE_SLACK_M if options.gate else np.inf,
        )
        self._looking = self._pace._replace(iterations=0)
        self.q = np.full(nq, np.nan)  # where the body stands
        self._way = frame_step.make_way(nq, self._nv)
        self._measured = np.zeros(frame_step.MEASURES)
        self.inertia = np.ones(self._nv)  # squared weights of the movement
        self.pull = np.zeros(self._nv)
        self._bounds = StepBounds(
            options.max_step_rad,
            options.reach_m,
            options.near_m,
            options.margin_m,
            options.approach,
            options.recovery_m,
        )
        self._code: Callable[..., Any] | None = None

    def use(self, rows: HandleRows, balance: int) -> None:
        """Want these rows from now on; `balance` is the first of the rows that balance, or -1."""
        terms, own = rows.terms, self._place.v
        near = self._near
        self._asked = body_state.Wanted(
            terms.program,
            terms.wanted_lower,
            terms.lower,
            terms.upper,
            terms.weight,
            np.zeros((0, 2)),
            np.array([rows.targets, rows.handles, rows.first_guide, rows.first_hard, balance]),
        )
        self._stance = body_state.Stance(
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
            near.apart_along,
        )
        self._room = make_room(
            terms.rows,
            self._nv,
            own.stop - own.start,
            _MOST_CONTACTS,
            len(self.table.pairs.allowance),
        )
        self.q[:] = np.nan  # nothing of the rows is known

    def stand_on(self, polygon: Floats) -> None:
        """The ground (k, 2) over which the centre of mass is to stay."""
        self._asked = self._asked._replace(support=np.ascontiguousarray(polygon))

    def stand(self, q: Floats, *, again: bool) -> None:
        """Begin a frame at q; looks only if the body does not stand there yet, or `again`."""
        if again or not identical(q, self.q):
            self.q[:] = q
            self._pose(self._looking, anew=True)

    def pose(self) -> Stepped:
        """Move by one frame towards what is wanted, all of it certified."""
        self._pose(self._pace, anew=False)
        found: list[float] = self._measured.tolist()
        return Stepped(found[FIRST_ERROR], found[FRACTION], found[YIELDED] > 0.0)

    def _pose(self, pace: frame_step.Pace, *, anew: bool) -> None:
        arguments = (
            self._around,
            self._stance,
            self._asked,
            self.inertia,
            self.pull,
            self._bounds,
            pace,
            self._place.v.start,
            anew,
            self._gate,
            self._room,
            self._way,
            self._measured,
        )
        if self._code is None:
            self._code = machine_code(frame_step.pose, *arguments)
        self._code(*arguments)

    def clearances(self) -> Floats:
        """Gaps beyond their allowances of the pairs near each other."""
        rows, count = self._near.rows, int(self._near_count[0])
        return rows.gap[:count] + rows.allowance[:count]

    def parts_of(self, pair: int) -> tuple[str, str]:
        """The names of the two parts of one of the near pairs."""
        a, b = self._near.rows.shapes[pair]
        return self.table.part_of_shape(int(a)), self.table.part_of_shape(int(b))
