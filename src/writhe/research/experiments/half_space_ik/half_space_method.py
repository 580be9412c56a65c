"""A method of the comparison: one call per frame. Ours is the first of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from writhe.arrays import Floats
from writhe.research.experiments.half_space_ik.scenario import Scenario
from writhe.solvers.half_space import CollisionResponse, ResponseOptions
from writhe.solvers.posing.handles import Target


class Method(Protocol):
    """Solves a scenario frame by frame."""

    def step(
        self, q: Floats, targets: list[Target], objects: dict[str, Floats]
    ) -> tuple[Floats, float, float]:
        """The next scene configuration (nq), milliseconds of solving and of detection."""
        ...


@dataclass
class HalfSpaceMethod:
    """The method of writhe: one-sided half-spaces, blending inside the solve, certified."""

    scenario: Scenario
    options: ResponseOptions
    errors: list[float] = field(default_factory=list[float])
    blocked: int = 0

    def __post_init__(self) -> None:
        options = replace(
            self.options,
            root_free=self.scenario.root_free,
            return_fraction=self.scenario.return_fraction,
        )
        self.response = CollisionResponse(self.scenario.scene, options)
        self.response.set_relations(self.scenario.relations)

    def step(
        self, q: Floats, targets: list[Target], objects: dict[str, Floats]
    ) -> tuple[Floats, float, float]:
        result = self.response.step(q, targets, self.scenario.pins, objects)
        self.errors.append(max(result.relation_error.values(), default=0.0))
        self.blocked += bool(result.blocked)
        return result.q, result.effort.solve_ms, result.effort.detect_ms
