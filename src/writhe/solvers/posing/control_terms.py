"""Terms of `Controls`: the root stays in place, the centre of mass stays over the feet."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.quantities import CentreOfMass, Point
from writhe.skeleton import Figure, Frames
from writhe.skeleton.move_root import moving_root
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.controls import Controls
from writhe.solvers.posing.handle_rows import HandleRows
from writhe.solvers.posing.handles import Hold, Pin, Target
from writhe.solvers.posing.options import DefaultPoserOptions
from writhe.solvers.posing.support_polygon import can_balance, support_polygon
from writhe.terms import Term

_YIELD = 0.3  # fraction by which the terms yield per stalled frame, at firmness 0
# below this distance from the anchor, or this fraction of its weight, a term is switched off
_YIELDED_M, _YIELDED = 1e-3, 0.01
_TIPPING_M = 0.01  # balance does not yield when the centre of mass is farther outside the polygon
_FIRMER, _FIRMEST = (
    2.0,
    30.0,
)  # beyond it, its weight grows by this factor per frame, up to this multiple


class ControlTerms:
    """Soft terms for root position and balance, anchored at the pose where a drag begins.

    With fixed weights these terms would keep some reachable targets out of reach. So if a drag
    stalls before its targets are reached, they give way (`give_way`): the root's goal moves
    towards the root, and the weight of balance decreases until the centre of mass is over the feet
    again or another drag begins. The constraints of a step keep it over the feet
    (`kernels.posing.step_qp`); a body that tips over all the same is brought back by a weight that
    increases from frame to frame. Terms of firmness 1 never do.
    """

    def __init__(
        self, figure: Figure, actor: ActorInScene, options: DefaultPoserOptions, controls: Controls
    ) -> None:
        if controls.balance > 0.0 and not can_balance(figure):
            raise WritheError(
                f"balance needs feet and masses, which the figure {figure.name!r} does not have"
            )
        self._figure, self._actor = figure, actor
        root = actor.prefix + moving_root(figure)
        terms: list[Term] = []
        self._stay = self._balance = -1
        if controls.stay > 0.0:
            self._stay = len(terms)
            terms.append(
                _horizontal_term("stay", Point(root), options.stay_weight * controls.stay**2)
            )
        if controls.balance > 0.0:
            self._balance = len(terms)
            weight = options.balance_weight * controls.balance**2
            terms.append(_horizontal_term("balance", CentreOfMass(root), weight))
        self.terms = tuple(terms)
        self._controls = controls
        self._balance_share = 1.0  # current fraction of the weight of balance
        self._supported = False  # by more than the feet: then balance is off
        self._pins_before: tuple[Pin | Hold, ...] | None = None
        self.support: Floats | None = None  # (k, 2) the support polygon that balance is kept over

    def begin(self) -> None:
        """Begin a drag: the next `anchor` takes its values from the current pose.

        Called after the rows have been recompiled with full weights.
        """
        self._balance_share = 1.0
        self._pins_before = None

    def first_balance_row(self, rows: HandleRows) -> int:
        """Index of the first balance row, -1 if balance is off."""
        return -1 if self._balance < 0 else rows.rows_of(self._balance).start

    def anchor(
        self, rows: HandleRows, targets: Sequence[Target], pins: Sequence[Pin | Hold]
    ) -> Floats | None:
        """Set the root's goal to its current position when a drag begins or the pins change.

        Returns the support polygon (k, 2) if balance is on and the polygon is to be replaced.
        """
        held = tuple(pins)
        if self._balance >= 0 and not self._supported:
            off_balance = self.off_balance_m(rows) or 0.0
            if off_balance == 0.0 and self._balance_share != 1.0:
                self._set_balance_share(rows, 1.0)
            elif off_balance > _TIPPING_M and self._balance_share < _FIRMEST:
                self._set_balance_share(rows, _FIRMER * self._balance_share)
        if not self.terms or held == self._pins_before:
            return None
        self._pins_before = held
        if self._stay >= 0:
            root = moving_root(self._figure)
            # weight 0 while the user drags the root itself
            rows.anchor(self._stay, free=any(target.joint == root for target in targets))
        if self._balance < 0:
            return None
        self._supported = self._rests_on_more_than_feet(held)
        if self._supported:
            self._set_balance_share(rows, _YIELDED)
            self.support = None
            return np.zeros((0, 2))
        terms = rows.terms
        frames = Frames(self._actor.skeleton, terms.positions, terms.rotations)
        moved = frozenset(target.joint for target in targets)
        self.support = support_polygon(self._figure, frames, self._actor.prefix, moved)
        return self.support

    def give_way(self, rows: HandleRows) -> bool:
        """Relax the terms in favour of unreached targets; returns whether terms changed."""
        terms, changed = rows.terms, False
        if self._stay >= 0:
            at = rows.rows_of(self._stay)
            shift = _YIELD * (1.0 - self._controls.stay) * (terms.values[at] - terms.lower[at])
            if float(np.abs(shift[::2]).max()) > _YIELD * _YIELDED_M:
                terms.target_lower[at] += shift
                terms.target_upper[at] = terms.lower[at] = terms.upper[at] = terms.target_lower[at]
                changed = True
        off_balance = self.off_balance_m(rows)
        if off_balance is not None and _YIELDED_M < off_balance < _TIPPING_M:
            share = self._balance_share * (1.0 - _YIELD * (1.0 - self._controls.balance))
            if _YIELDED < share < self._balance_share <= 1.0:
                self._set_balance_share(rows, share)
                changed = True
        return changed

    def _rests_on_more_than_feet(self, held: tuple[Pin | Hold, ...]) -> bool:
        """Whether the hips or a knee are pinned, as in a seated or kneeling pose."""
        roles = dict(self._figure.roles)
        others = {roles.get(role) for role in ("hips", "left_knee", "right_knee")}
        return any(isinstance(pin, Pin) and pin.joint in others for pin in held)

    def _set_balance_share(self, rows: HandleRows, share: float) -> None:
        at = rows.rows_of(self._balance)
        rows.terms.weight[at] *= share / self._balance_share
        self._balance_share = share

    def centre_of_mass_m(self, rows: HandleRows) -> tuple[float, float] | None:
        """(x, z) of the centre of mass with what is carried; None if balance is off."""
        if self._balance < 0 or self.support is None:
            return None
        x, _, z = rows.terms.values[rows.rows_of(self._balance)].tolist()
        return x, z

    def off_balance_m(self, rows: HandleRows) -> float | None:
        """Horizontal distance of the centre of mass from its goal; None if balance is off."""
        if self._balance < 0:
            return None
        at = rows.rows_of(self._balance)
        x, _, z = rows.terms.values[at].tolist()
        a, _, c = rows.terms.target_lower[at].tolist()
        return math.hypot(x - a, z - c)


def _horizontal_term(label: str, quantity: Point | CentreOfMass, weight: float) -> Term:
    """A soft term on the horizontal coordinates x and z of a point."""
    return Term(quantity, 0.0, 0.0, np.array([weight, 0.0, weight]), label=label)
