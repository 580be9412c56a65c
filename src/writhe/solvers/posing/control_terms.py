"""The rows of `Controls`: the root that stays in its place, the centre of mass over the feet."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.quantities import CentreOfMass, Point
from writhe.skeleton import Figure, Frames
from writhe.solvers.posing.actor_in_scene import ActorPlace
from writhe.solvers.posing.balance import can_balance, support_polygon
from writhe.solvers.posing.controls import Controls
from writhe.solvers.posing.handle_rows import HandleRows
from writhe.solvers.posing.handles import Hold, Pin, Target
from writhe.solvers.posing.options import DefaultOptions
from writhe.terms import Term


class Keeping:
    """What the body keeps by itself: where it stood when the drag began."""

    def __init__(
        self, figure: Figure, place: ActorPlace, options: DefaultOptions, controls: Controls
    ) -> None:
        if controls.balance > 0.0 and not can_balance(figure):
            raise WritheError(
                f"the figure {figure.name!r} has no feet or no masses to balance with"
            )
        self._figure, self._place = figure, place
        root = place.prefix + figure.skeleton.names[0]
        terms: list[Term] = []
        self._stay = self._balance = -1
        if controls.stay > 0.0:
            self._stay = len(terms)
            terms.append(_level("stay", Point(root), options.stay_weight * controls.stay**2))
        if controls.balance > 0.0:
            self._balance = len(terms)
            firm = options.balance_weight * controls.balance**2
            terms.append(_level("balance", CentreOfMass(root), firm))
        self.terms = tuple(terms)
        self._held_before: tuple[Pin | Hold, ...] | None = None

    def begin(self) -> None:
        """A drag begins: what is kept is read off the body anew."""
        self._held_before = None

    def first_balance_row(self, rows: HandleRows) -> int:
        """The first of the rows that balance, -1 where nobody asked."""
        return -1 if self._balance < 0 else rows.rows_of(self._balance).start

    def anchor(
        self, rows: HandleRows, targets: Sequence[Target], pins: Sequence[Pin | Hold]
    ) -> Floats | None:
        """Where the root stays, whenever a drag begins or the pins change; where the feet stand.

        Returns that support polygon if there is another than before.
        """
        held = tuple(pins)
        if not self.terms or held == self._held_before:
            return None
        self._held_before = held
        terms = rows.terms
        if self._stay >= 0:
            at = rows.rows_of(self._stay)
            terms.wanted_lower[at] = terms.wanted_upper[at] = terms.values[at]
            terms.lower[at] = terms.upper[at] = terms.values[at]
            if any(target.joint == self._figure.skeleton.names[0] for target in targets):
                terms.weight[at] = 0.0  # who drags the root wants it elsewhere
        if self._balance < 0:
            return None
        frames = Frames(self._place.skeleton, terms.positions, terms.rotations)
        moved = frozenset(target.joint for target in targets)
        return support_polygon(self._figure, frames, self._place.prefix, moved)

    def off_balance_m(self, rows: HandleRows) -> float | None:
        """How far the centre of mass is from over the feet; None when nobody asked."""
        if self._balance < 0:
            return None
        at = rows.rows_of(self._balance)
        x, _, z = rows.terms.values[at].tolist()
        a, _, c = rows.terms.wanted_lower[at].tolist()
        return math.hypot(x - a, z - c)


def _level(label: str, quantity: Point | CentreOfMass, firm: float) -> Term:
    """A soft wish about where something is over the ground, whatever its height."""
    return Term(quantity, 0.0, 0.0, np.array([firm, 0.0, firm]), label=label)
