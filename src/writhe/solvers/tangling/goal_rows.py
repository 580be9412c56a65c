"""Wishes as rows: which rows of which terms go where, how fast, how firmly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import pi

import numpy as np

from writhe.arrays import Floats
from writhe.quantities import Linking, WritheMatrix
from writhe.solvers.tangling.goals import Around, Tangle, Through, Wish
from writhe.solvers.tangling.options import TangleOptions
from writhe.terms import Term
from writhe.topology import Strand

# beyond what a chain of any length can reach: a crossing decides when it is through
_THROUGH = 1.2


@dataclass
class Goals:
    """The rows of all wishes, in the order of their terms, as arrays."""

    rows: list[int] = field(default_factory=list[int])
    target: list[float] = field(default_factory=list[float])
    stride: list[float] = field(default_factory=list[float])
    tolerance: list[float] = field(default_factory=list[float])
    period: list[float] = field(default_factory=list[float])
    writhe_row: list[int] = field(default_factory=list[int])
    wish: list[int] = field(default_factory=list[int])
    weight: list[float] = field(default_factory=list[float])
    terms: list[Term] = field(default_factory=list[Term])  # of the wishes
    bounds: list[Term] = field(default_factory=list[Term])  # of sigma
    bundles: list[tuple[slice, Around]] = field(default_factory=list[tuple[slice, Around]])
    height: int = 0  # rows of the wishes' terms

    def add_tangle(
        self, wish: int, tangle: Tangle, first_row: int, strides: Floats, weights: Floats
    ) -> None:
        """The rows of a tangle; centre and density follow the writhe in `first_row`."""
        for k, target in enumerate(tangle.target):
            if np.isnan(target):
                continue
            self.rows.append(first_row + k)
            self.target.append(float(target))
            self.stride.append(float(strides[k]))
            self.tolerance.append(tangle.tolerance[k])
            self.period.append(pi if k == 3 else np.inf)
            self.writhe_row.append(first_row if k else -1)
            self.wish.append(wish)
            self.weight.append(float(weights[k]))

    def add_linking(
        self, wish: int, row: int, target: float, stride: float, weight: float, tolerance: float
    ) -> None:
        """A row of linking with one target."""
        self.rows.append(row)
        self.target.append(target)
        self.stride.append(stride)
        self.tolerance.append(tolerance)
        self.period.append(np.inf)
        self.writhe_row.append(-1)
        self.wish.append(wish)
        self.weight.append(weight)


def compile_goals(wishes: Sequence[Wish], options: TangleOptions) -> Goals:
    """The terms of all wishes and the goals among their rows."""
    goals = Goals()
    strides = np.array(
        [options.writhe_stride, *[options.centre_stride] * 2, options.density_stride]
    )
    weights = np.array(
        [options.writhe_weight, *[options.centre_weight] * 2, options.density_weight]
    )
    stride, weight = options.writhe_stride, options.writhe_weight
    for k, wish in enumerate(wishes):
        label = f"wish {k}: {wish.label}"
        row = goals.height
        if isinstance(wish, Tangle):
            goals.terms.append(Term(wish.quantity, 0.0, 0.0, label=label))
            goals.add_tangle(k, wish, row, strides, weights)
            goals.height += len(wish.target)
            goals.bounds += _bound(wish.first, wish.second, options.sigma)
        elif isinstance(wish, Through):
            goals.terms.append(Term(Linking(wish.chain, wish.loop), 0.0, 0.0, label=label))
            target = _THROUGH if wish.forwards else -_THROUGH
            goals.add_linking(k, row, target, stride, weight, np.inf)
            goals.height += 1
        elif isinstance(wish, Around):
            first = len(goals.rows)
            for strand in wish.bundle:
                goals.terms.append(Term(Linking(wish.chain, strand), 0.0, 0.0, label=label))
                goals.add_linking(k, goals.height, wish.writhe, stride, weight, np.inf)
                goals.height += 1
                goals.bounds += _bound(wish.chain, strand, options.sigma)
            goals.bundles.append((slice(first, len(goals.rows)), wish))
        else:
            quantity = Linking(wish.first, wish.second)
            goals.terms.append(Term(quantity, -wish.most, wish.most, np.inf, label=label))
            goals.height += 1
    return goals


def _bound(first: Strand, second: Strand, sigma: float | None) -> list[Term]:
    """The bound of Eq. 7 on every pair of segments."""
    if sigma is None:
        return []
    label = f"sigma {first.name} {second.name}"
    return [Term(WritheMatrix(first, second), -sigma, sigma, np.inf, label=label)]
