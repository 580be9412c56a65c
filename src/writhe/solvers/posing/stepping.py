"""The kernels of the default poser with the arrays that they keep from call to call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import NearPairs
from writhe.collision.gate import GATE_SLACK_M, gate_room
from writhe.kernels import posing, stance
from writhe.kernels.jit import machine_code
from writhe.kernels.stance import MISFIT, WORST_HELD, WORST_TARGET
from writhe.solvers.posing.handle_rows import HandleRows
from writhe.solvers.posing.options import DefaultOptions
from writhe.solvers.posing.place import ActorPlace

_MOST_CONTACTS = 400  # near pairs beyond these are left to the gate
_AROUND = 3  # how often a stopped step is solved again


class Stepping:
    """Steps a body from where it stands; not to be shared between threads."""

    def __init__(self, place: ActorPlace, options: DefaultOptions) -> None:
        skeleton, self.table = place.skeleton, place.table
        self._place, self._options = place, options
        nq, self._nv = skeleton.configuration_size, skeleton.dof_count
        self._around = stance.Surroundings(
            skeleton.tree,
            skeleton.mass,
            skeleton.centre_of_mass,
            self.table.shapes,
            self.table.bodies,
            self.table.pairs,
        )
        self._near, self._near_count = NearPairs(self.table), np.zeros(1, dtype=np.int64)
        self._gate = gate_room(self.table)
        self._slack_m = GATE_SLACK_M if options.gate else np.inf
        self.q = np.full(nq, np.nan)  # where the body stands
        self._start, self._kept, self._tried = np.empty(nq), np.empty(nq), np.empty(nq)
        self._moved, self._ahead = np.zeros(self._nv), np.zeros(self._nv)
        self._measured = np.zeros(3)
        self.inertia = np.ones(self._nv)  # squared weights of the movement
        self.pull = np.zeros(self._nv)
        self._bounds = posing.StepBounds(
            options.max_step_rad,
            options.reach_m,
            options.near_m,
            options.margin_m,
            options.approach,
            options.recovery_m,
        )
        self._staying = self._bounds._replace(reach_m=0.0)
        self._code: dict[Callable[..., Any], Callable[..., Any]] = {}

    def use(self, rows: HandleRows, balance: int) -> None:
        """Want these rows from now on; `balance` is the first of the rows that balance, or -1."""
        terms, own = rows.terms, self._place.v
        near = self._near
        self._asked = stance.Wanted(
            terms.program,
            terms.wanted_lower,
            terms.lower,
            terms.upper,
            terms.weight,
            np.zeros((0, 2)),
            np.array([rows.targets, rows.handles, rows.first_guide, rows.first_hard, balance]),
        )
        self._stance = stance.Stance(
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
        self._room = posing.make_room(
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
        if again or not np.array_equal(q, self.q):
            self.q[:] = q
            self._call(
                stance.look, self._around, self._asked.program, self._bounds.near_m, self._stance
            )
        self._start[:] = q

    def measure(self) -> None:
        """Compare where the body stands with what is wanted."""
        self._call(stance.measure, self._stance, self._asked, self._measured)

    @property
    def misfit(self) -> float:
        """The weighted squares of all that is wanted softly."""
        return float(self._measured[MISFIT])

    @property
    def worst_target_m(self) -> float:
        """The largest distance of a target's point from its target."""
        return float(self._measured[WORST_TARGET])

    @property
    def worst_held_m(self) -> float:
        """The largest distance of a pin's or hold's point from where it is held."""
        return float(self._measured[WORST_HELD])

    def clearances(self) -> Floats:
        """Gaps beyond their allowances of the pairs near each other."""
        rows, count = self._near.rows, int(self._near_count[0])
        return rows.gap[:count] + rows.allowance[:count]

    def parts_of(self, pair: int) -> tuple[str, str]:
        """The names of the two parts of one of the near pairs."""
        a, b = self._near.rows.shapes[pair]
        return self.table.part_of_shape(int(a)), self.table.part_of_shape(int(b))

    def propose(self, *, staying: bool = False) -> bool:
        """Solve a programme; whether constraints had to yield. `staying`: targets stay behind."""
        self._kept[:] = self.q
        return self._call(
            posing.propose,
            self._around,
            self._stance,
            self._asked,
            self.inertia,
            self._start,
            self._moved,
            self.pull,
            self._staying if staying else self._bounds,
            self._place.v.start,
            self._room,
        )

    def advance(self, *, around: bool = False) -> float:
        """Go the proposed step as far as the gate allows, and look; returns the fraction gone.

        With `around`, a step that was cut short is first solved again around what stopped it.
        """
        safe = self._advance(around)
        if safe < 1.0 and around:
            safe = self._find_around(safe)
            self._land(safe)
        return safe

    def advance_wholly(self) -> bool:
        """Go the proposed step if all of it is certified, and look; whether it was."""
        return self._advance(True) >= 1.0

    def halve(self) -> None:
        """Propose half of the last step."""
        self._room.step[:] *= 0.5

    def back(self) -> None:
        """Return to where the last step began."""
        self.stand_at(self._kept)

    def stand_at(self, q: Floats) -> None:
        """Stand at q within a frame, look and measure."""
        self.q[:] = q
        self._call(
            stance.look, self._around, self._asked.program, self._bounds.near_m, self._stance
        )
        self.measure()

    def _advance(self, stop: bool) -> float:
        return self._call(
            posing.advance,
            self._around,
            self._asked,
            self._bounds.near_m,
            self._start,
            self._kept,
            self._room.step,
            self._slack_m,
            stop,
            self._gate,
            self._tried,
            self._stance,
            self._measured,
        )

    def rehearse(self) -> None:
        """Call what only a stopped step needs, so that it need not be loaded in mid-drag."""
        self._find_around(0.5)
        self._land(0.0)
        self.q[:] = np.nan

    def _land(self, safe: float) -> None:
        self._call(
            posing.land,
            self._around,
            self._asked,
            self._bounds.near_m,
            self._start,
            self._tried,
            safe,
            self._stance,
            self._measured,
        )

    def _find_around(self, safe: float) -> float:
        """Another step where the gate stopped one; leaves its end in _tried."""
        step, best_safe = self._room.step, safe
        best = step.copy()
        for _ in range(_AROUND):
            self._call(
                posing.propose_around,
                self._around,
                self._start,
                min(1.0, safe + 0.1),
                self._tried,
                self._stance,
                self._bounds,
                self._place.v.start,
                self._room,
                self._ahead,
            )
            safe = self._try()
            if safe > best_safe:
                best[:], best_safe = step, safe
            if safe >= 1.0:
                return safe
        step[:] = best
        return self._try()

    def _try(self) -> float:
        return self._call(
            posing.try_step,
            self._around,
            self._start,
            self._start,
            self._room.step,
            self._slack_m,
            self._gate,
            self._tried,
        )

    def _call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        code = self._code.get(kernel)
        if code is None:
            code = self._code[kernel] = machine_code(kernel, *arguments)
        return code(*arguments)
