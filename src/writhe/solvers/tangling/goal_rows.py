"""Rows of strand goals: term, target, step size and weight of every coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import pi

import numpy as np

from writhe.arrays import Floats
from writhe.quantities import Linking, WritheMatrix
from writhe.solvers.tangling.goals import Around, StrandGoal, Tangle, Through
from writhe.solvers.tangling.options import TangleOptions
from writhe.terms import Term
from writhe.topology import Strand

# a target linking that no open chain reaches; a crossing test decides when the goal is met
_THROUGH = 1.2


@dataclass
class GoalRows:
    """The rows that have a target, and the terms of all goals."""

    rows: list[int] = field(default_factory=list[int])  # index in the rows of `terms`
    target: list[float] = field(default_factory=list[float])
    stride: list[float] = field(default_factory=list[float])  # largest change per step
    tolerance: list[float] = field(default_factory=list[float])
    period: list[float] = field(default_factory=list[float])  # of angles, else inf
    writhe_row: list[int] = field(default_factory=list[int])  # of a centre or density, else -1
    goal: list[int] = field(default_factory=list[int])  # index of the goal
    weight: list[float] = field(default_factory=list[float])
    terms: list[Term] = field(default_factory=list[Term])  # of the goals
    bounds: list[Term] = field(default_factory=list[Term])  # |T| <= sigma, Eqs. 7 and 11
    bounded: list[int] = field(default_factory=list[int])  # the goal of each bound
    bundles: list[tuple[slice, Around]] = field(default_factory=list[tuple[slice, Around]])
    height: int = 0  # number of rows of `terms`

    def add_tangle(
        self, goal: int, tangle: Tangle, first_row: int, strides: Floats, weights: Floats
    ) -> None:
        """Add the rows of a tangle; centre and density fade with the writhe in `first_row`."""
        for k, target in enumerate(tangle.target):
            if np.isnan(target):
                continue
            self.rows.append(first_row + k)
            self.target.append(float(target))
            self.stride.append(float(strides[k]))
            self.tolerance.append(tangle.tolerance[k])
            self.period.append(pi if k == 3 else np.inf)
            self.writhe_row.append(first_row if k else -1)
            self.goal.append(goal)
            self.weight.append(float(weights[k]))

    def add_bound(self, goal: int, first: Strand, second: Strand, sigma: float | None) -> None:
        """Add the bound |T| <= sigma of Eqs. 7 and 11 on every pair of segments of a goal."""
        if sigma is not None:
            label = f"sigma of goal {goal}: {first.name} {second.name}"
            bound = Term(WritheMatrix(first, second), -sigma, sigma, np.inf, label=label)
            self.bounds.append(bound)
            self.bounded.append(goal)

    def add_linking(
        self, goal: int, row: int, target: float, stride: float, weight: float, tolerance: float
    ) -> None:
        """Add a row of linking."""
        self.rows.append(row)
        self.target.append(target)
        self.stride.append(stride)
        self.tolerance.append(tolerance)
        self.period.append(np.inf)
        self.writhe_row.append(-1)
        self.goal.append(goal)
        self.weight.append(weight)


def compile_goals(goals: Sequence[StrandGoal], options: TangleOptions) -> GoalRows:
    """The terms and rows of all goals."""
    compiled = GoalRows()
    strides = np.array(
        [options.writhe_stride, *[options.centre_stride] * 2, options.density_stride]
    )
    weights = np.array(
        [options.writhe_weight, *[options.centre_weight] * 2, options.density_weight]
    )
    stride, weight = options.writhe_stride, options.writhe_weight
    for k, goal in enumerate(goals):
        label = f"goal {k}: {goal.label}"
        row = compiled.height
        if isinstance(goal, Tangle):
            compiled.terms.append(Term(goal.quantity, 0.0, 0.0, label=label))
            compiled.add_tangle(k, goal, row, strides, weights)
            compiled.height += len(goal.target)
            compiled.add_bound(k, goal.first, goal.second, options.sigma)
        elif isinstance(goal, Through):
            compiled.terms.append(Term(Linking(goal.chain, goal.loop), 0.0, 0.0, label=label))
            target = _THROUGH if goal.forwards else -_THROUGH
            compiled.add_linking(k, row, target, stride, weight, np.inf)
            compiled.height += 1
        elif isinstance(goal, Around):
            first = len(compiled.rows)
            for strand in goal.bundle:
                compiled.terms.append(Term(Linking(goal.chain, strand), 0.0, 0.0, label=label))
                compiled.add_linking(k, compiled.height, goal.writhe, stride, weight, np.inf)
                compiled.height += 1
                compiled.add_bound(k, goal.chain, strand, options.sigma)
            compiled.bundles.append((slice(first, len(compiled.rows)), goal))
        else:
            quantity = Linking(goal.first, goal.second)
            compiled.terms.append(
                Term(quantity, -goal.max_writhe, goal.max_writhe, np.inf, label=label)
            )
            compiled.height += 1
            compiled.add_bound(k, goal.first, goal.second, options.sigma)
    return compiled
