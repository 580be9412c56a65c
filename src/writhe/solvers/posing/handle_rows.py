"""The rows of handles, compiled once for a set of handles; their goals are updated every frame.

`HandleRows` is the only writer of the bounds and weights of a drag's rows, except for the balance
rows, whose bounds the kernel moves with the support polygon; the kernel fills values and Jacobian.
Order of the rows: points of targets, points of pins and holds, orientations, further soft terms of
the poser, guides, and last the constraints (joint limits).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Skeleton
from writhe.solvers.posing.handles import Handle, Hold, Target
from writhe.terms import CompiledTerms, Term, keep_relative, reach, turn_to


@dataclass(frozen=True, slots=True)
class HandleWeights:
    """Weights of the rows, per metre and per radian."""

    target: float
    pin: float
    target_orientation: float
    pin_orientation: float


class HandleRows:
    """Compiled terms of the handles of one poser."""

    def __init__(
        self,
        skeleton: Skeleton,
        weights: HandleWeights,
        *,
        prefix: str = "",
        soft: Sequence[Term] = (),
        guides: Sequence[Term] = (),
        hard: Sequence[Term] = (),
    ) -> None:
        """`guides` are soft terms that are excluded from the misfit of a step."""
        self.skeleton = skeleton
        self.weights = weights
        self.prefix = prefix
        self._soft, self._guides, self._hard = tuple(soft), tuple(guides), tuple(hard)
        self._shape: tuple[object, ...] | None = None
        self._handles: tuple[Handle, ...] = ()
        self._oriented: tuple[Handle, ...] = ()
        self._factors: list[float] = []
        self.targets = 0
        self.terms = CompiledTerms(skeleton, [*self._soft, *self._guides, *self._hard])
        self.first_guide = self.first_hard = 0

    def set_handles(self, targets: Sequence[Target], held: Sequence[Handle]) -> bool:
        """Set the handles' goals; returns whether the rows had to be recompiled."""
        handles = (*targets, *held)
        shape = tuple(_shape(handle) for handle in handles)
        changed = shape != self._shape
        self.targets = len(targets)
        self._handles = handles
        self._oriented = tuple(h for h in handles if _orientation(h) is not None)
        if changed:
            self._compile()
            self._shape = shape
        terms = self.terms
        rows = 3 * len(handles)
        positions = [coordinate for handle in handles for coordinate in _position(handle)]
        terms.target_lower[:rows] = positions
        terms.target_upper[:rows] = terms.lower[:rows] = terms.upper[:rows] = terms.target_lower[
            :rows
        ]
        factors = [_weight_factor(target) for target in targets]
        if changed or factors != self._factors:
            self._factors = factors
            for i, factor in enumerate(factors):
                terms.weight[3 * i : 3 * i + 3] = self.weights.target * factor
        for i, handle in enumerate(self._oriented):
            row = len(handles) + i
            turn = np.array(_orientation(handle))
            terms.program.data[row, :4] = turn / np.linalg.norm(turn)
            if isinstance(handle, Target):
                at = slice(3 * row, 3 * row + 3)
                terms.weight[at] = self.weights.target_orientation * _weight_factor(handle)
        return changed

    @property
    def handles(self) -> int:
        """How many handles there are, targets included."""
        return len(self._handles)

    @property
    def has_orientations(self) -> bool:
        """Whether some handle has a goal orientation."""
        return bool(self._oriented)

    def rows_of(self, soft: int) -> slice:
        """The rows of the poser's soft term number `soft`."""
        start = self.terms.program.row_start
        first = len(self._handles) + len(self._oriented) + soft
        return slice(int(start[first]), int(start[first + 1]))

    def set_guides(self, goals: Floats | None, weight: Floats | None = None) -> None:
        """Set the goals (rows,) and weights (rows,) of the guides; None switches them off."""
        terms, at = self.terms, slice(self.first_guide, self.first_hard)
        if goals is None:
            terms.weight[at] = 0.0
            return
        terms.lower[at] = terms.upper[at] = goals
        terms.weight[at] = weight

    def move_guide(self, guide: int, goal: Floats, factor: float) -> None:
        """Replace the goal (3,) of one guide in this frame, and multiply its weight."""
        terms, first = self.terms, self.first_guide + 3 * guide
        terms.lower[first : first + 3] = terms.upper[first : first + 3] = goal
        terms.weight[first : first + 3] *= factor

    def anchor(self, soft: int, *, free: bool = False) -> None:
        """Set the goal of soft term number `soft` to its current value; `free`: without weight."""
        terms, at = self.terms, self.rows_of(soft)
        terms.target_lower[at] = terms.target_upper[at] = terms.values[at]
        terms.lower[at] = terms.upper[at] = terms.values[at]
        if free:
            terms.weight[at] = 0.0

    def point_errors(self) -> list[float]:
        """Distance of each handle's point from its goal in metres, targets first."""
        rows = range(0, 3 * len(self._handles), 3)
        # plain lists: for so few numbers the overhead of NumPy calls is larger than the work
        here: list[float] = self.terms.values[: rows.stop].tolist()
        there: list[float] = self.terms.target_lower[: rows.stop].tolist()
        return [math.dist(here[i : i + 3], there[i : i + 3]) for i in rows]

    def turn_errors(self) -> dict[str, float]:
        """By joint, the angle between its orientation and its goal orientation, in radians."""
        first = 3 * len(self._handles)
        rows = self.terms.values[first : first + 3 * len(self._oriented)].reshape(-1, 3)
        return {
            handle.joint: float(np.linalg.norm(row))
            for handle, row in zip(self._oriented, rows, strict=True)
        }

    def _other(self, hold: Hold) -> str:
        """The joint of the model that a hold is on: one of the actor's, else of the scene."""
        own = self.prefix + hold.on
        return own if own in self.skeleton else hold.on

    def _compile(self) -> None:
        terms: list[Term] = []
        for handle in self._handles:
            joint = self.prefix + handle.joint
            if isinstance(handle, Hold):
                terms.append(
                    keep_relative(
                        joint,
                        self._other(handle),
                        handle.position_in_other,
                        point_in_joint=handle.point_in_joint,
                        weight=self.weights.pin,
                    )
                )
            else:
                terms.append(
                    reach(
                        joint,
                        handle.position_in_world,
                        point_in_joint=handle.point_in_joint,
                        weight=self.weights.pin,
                    )
                )
        for handle in self._oriented:
            other = self._other(handle) if isinstance(handle, Hold) else None
            turn = _orientation(handle)
            assert turn is not None
            terms.append(
                turn_to(
                    self.prefix + handle.joint,
                    turn,
                    seen_from=other,
                    weight=self.weights.pin_orientation,
                )
            )
        terms += self._soft
        guide = len(terms)
        terms += self._guides
        self.terms = CompiledTerms(self.skeleton, [*terms, *self._hard])
        start = self.terms.program.row_start
        self.first_guide, self.first_hard = int(start[guide]), int(start[len(terms)])


def _shape(handle: Handle) -> tuple[object, ...]:
    """Everything that a handle's compiled rows depend on, other than bounds and weights."""
    on = handle.on if isinstance(handle, Hold) else None
    return type(handle), handle.joint, handle.point_in_joint, on, _orientation(handle) is None


def _position(handle: Handle) -> tuple[float, float, float]:
    return handle.position_in_other if isinstance(handle, Hold) else handle.position_in_world


def _orientation(handle: Handle) -> tuple[float, float, float, float] | None:
    return handle.orientation_in_other if isinstance(handle, Hold) else handle.orientation_in_world


def _weight_factor(target: Target) -> float:
    return (1.0 - min(target.softness, 0.99)) ** 2
