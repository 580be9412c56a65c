"""The rows of what the user holds, compiled once for a set of handles and moved every frame.

Rows stand in this order: the points of targets, the points of pins and holds, orientations, what
else the poser wants softly, and last what it wants as constraints (joint limits).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.skeleton import Skeleton
from writhe.solvers.posing.handles import Handle, Hold, Target
from writhe.terms import CompiledTerms, Term, keep_relative, reach, turn_to


@dataclass(frozen=True, slots=True)
class HandleWeights:
    """Weights of the rows, per metre and per radian."""

    target: float
    pin: float
    target_turn: float
    pin_turn: float


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
        """`guides` are soft too, but lead rather than ask: a misfit does not count them."""
        self.skeleton = skeleton
        self.weights = weights
        self.prefix = prefix
        self._soft, self._guides, self._hard = tuple(soft), tuple(guides), tuple(hard)
        self._shape: tuple[object, ...] | None = None
        self._handles: tuple[Handle, ...] = ()
        self._turned: tuple[Handle, ...] = ()
        self._firmness: list[float] = []
        self.targets = 0
        self.terms = CompiledTerms(skeleton, [*self._soft, *self._guides, *self._hard])
        self.first_guide = self.first_hard = 0

    def take(self, targets: Sequence[Target], held: Sequence[Handle]) -> bool:
        """Want these from now on; returns whether the set of handles is another than before."""
        handles = (*targets, *held)
        shape = tuple(_shape(handle) for handle in handles)
        fresh = shape != self._shape
        self.targets = len(targets)
        self._handles = handles
        self._turned = tuple(h for h in handles if _turn(h) is not None)
        if fresh:
            self._compile()
            self._shape = shape
        terms = self.terms
        rows = 3 * len(handles)
        places = [coordinate for handle in handles for coordinate in _place(handle)]
        terms.wanted_lower[:rows] = places
        terms.wanted_upper[:rows] = terms.lower[:rows] = terms.upper[:rows] = terms.wanted_lower[
            :rows
        ]
        firmness = [_firmness(target) for target in targets]
        if fresh or firmness != self._firmness:
            self._firmness = firmness
            for i, firm in enumerate(firmness):
                terms.weight[3 * i : 3 * i + 3] = self.weights.target * firm
        for i, handle in enumerate(self._turned):
            row = len(handles) + i
            turn = np.array(_turn(handle))
            terms.program.data[row, :4] = turn / np.linalg.norm(turn)
            if isinstance(handle, Target):
                at = slice(3 * row, 3 * row + 3)
                terms.weight[at] = self.weights.target_turn * _firmness(handle)
        return fresh

    @property
    def handles(self) -> int:
        """How many handles there are, targets included."""
        return len(self._handles)

    @property
    def turns(self) -> bool:
        """Whether some handle wants an orientation."""
        return bool(self._turned)

    def rows_of(self, soft: int) -> slice:
        """The rows of the so-many-th of the poser's own soft terms."""
        start = self.terms.program.row_start
        first = len(self._handles) + len(self._turned) + soft
        return slice(int(start[first]), int(start[first + 1]))

    def point_errors(self) -> list[float]:
        """How far each handle's point is from where it is wanted, targets first."""
        rows = range(0, 3 * len(self._handles), 3)
        # lists: NumPy would take longer to begin than these few numbers take
        here: list[float] = self.terms.values[: rows.stop].tolist()
        there: list[float] = self.terms.wanted_lower[: rows.stop].tolist()
        return [math.dist(here[i : i + 3], there[i : i + 3]) for i in rows]

    def turn_errors(self) -> dict[str, float]:
        """By joint: the angle between its orientation and the one wanted, in radians."""
        first = 3 * len(self._handles)
        rows = self.terms.values[first : first + 3 * len(self._turned)].reshape(-1, 3)
        return {
            handle.joint: float(np.linalg.norm(row))
            for handle, row in zip(self._turned, rows, strict=True)
        }

    def _compile(self) -> None:
        wanted: list[Term] = []
        for handle in self._handles:
            joint = self.prefix + handle.joint
            if isinstance(handle, Hold):
                wanted.append(
                    keep_relative(
                        joint,
                        self.prefix + handle.on,
                        handle.position_in_other,
                        point_in_joint=handle.point_in_joint,
                        weight=self.weights.pin,
                    )
                )
            else:
                wanted.append(
                    reach(
                        joint,
                        handle.position_in_world,
                        point_in_joint=handle.point_in_joint,
                        weight=self.weights.pin,
                    )
                )
        for handle in self._turned:
            other = self.prefix + handle.on if isinstance(handle, Hold) else None
            turn = _turn(handle)
            assert turn is not None
            wanted.append(
                turn_to(
                    self.prefix + handle.joint,
                    turn,
                    seen_from=other,
                    weight=self.weights.pin_turn,
                )
            )
        wanted += self._soft
        guide = len(wanted)
        wanted += self._guides
        self.terms = CompiledTerms(self.skeleton, [*wanted, *self._hard])
        start = self.terms.program.row_start
        self.first_guide, self.first_hard = int(start[guide]), int(start[len(wanted)])


def _shape(handle: Handle) -> tuple[object, ...]:
    """What a handle's rows depend on besides their bounds and weights."""
    on = handle.on if isinstance(handle, Hold) else None
    return type(handle), handle.joint, handle.point_in_joint, on, _turn(handle) is None


def _place(handle: Handle) -> tuple[float, float, float]:
    return handle.position_in_other if isinstance(handle, Hold) else handle.position_in_world


def _turn(handle: Handle) -> tuple[float, float, float, float] | None:
    return handle.orientation_in_other if isinstance(handle, Hold) else handle.orientation_in_world


def _firmness(target: Target) -> float:
    return (1.0 - min(target.softness, 0.99)) ** 2
