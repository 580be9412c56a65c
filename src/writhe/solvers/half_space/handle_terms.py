"""Targets, pins and relations as rows of the objective."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Skeleton
from writhe.solvers.half_space.objective import Objective
from writhe.solvers.half_space.options import ResponseOptions
from writhe.solvers.posing.handles import Pin, Target
from writhe.terms import Term, joint_limits, reach, turn_to


class HandleTerms:
    """Sets the objective's terms for the handles; compiles only when the set of handles changes.

    Rows of targets come first, then pins, orientations, relations, limits.
    """

    def __init__(self, skeleton: Skeleton, objective: Objective, options: ResponseOptions) -> None:
        self.skeleton = skeleton
        self.objective = objective
        self.options = options
        self.relations: tuple[Term, ...] = ()
        self._limits = [
            term
            for term in joint_limits(skeleton, weight=options.limit_weight)
            if objective.free[skeleton.v_slice(term.label.split(" ", 1)[1])].any()
        ]
        self._shape: tuple[object, ...] | None = None
        self._joints = np.zeros(0, dtype=np.int64)
        self._points = np.zeros((0, 3))
        self._goals = np.zeros((0, 3))
        self._targets = 0

    def set_relations(self, relations: Sequence[Term]) -> None:
        """Replace the relations."""
        self.relations = tuple(relations)
        self._shape = None

    @property
    def permanent_terms(self) -> tuple[Term, ...]:
        """The terms that do not depend on the handles: relations and limits."""
        return (*self.relations, *self._limits)

    def prepare(self, targets: Sequence[Target], pins: Sequence[Pin]) -> None:
        """Set the rows for these handles."""
        handles = (*targets, *pins)
        shape = (
            len(targets),
            *(
                (h.joint, h.point_in_joint, h.orientation_in_world, getattr(h, "softness", 0.0))
                for h in handles
            ),
        )
        self._goals = np.array([h.position_in_world for h in handles], dtype=np.float64).reshape(
            -1, 3
        )
        if shape == self._shape:
            return
        self._shape, self._targets = shape, len(targets)
        self._joints = np.array([self.skeleton.index(h.joint) for h in handles], dtype=np.int64)
        self._points = np.array([h.point_in_joint for h in handles], dtype=np.float64).reshape(
            -1, 3
        )
        terms = [
            reach(
                handle.joint,
                handle.position_in_world,
                point_in_joint=handle.point_in_joint,
                weight=self._weight(handle),
            )
            for handle in handles
        ]
        for handle in handles:
            if handle.orientation_in_world is not None:
                weight = self.options.turn_weight * (1.0 if isinstance(handle, Target) else 10.0)
                terms.append(turn_to(handle.joint, handle.orientation_in_world, weight=weight))
        self.objective.use_terms([*terms, *self.relations, *self._limits])

    def _weight(self, handle: Target | Pin) -> float:
        if isinstance(handle, Pin):
            return self.options.pin_weight
        return self.options.target_weight * (1.0 - min(handle.softness, 0.99)) ** 2

    def _points_in_world(self, positions: Floats, rotations: Floats) -> Floats:
        """(handles, 3) world positions of the handles' points."""
        j = self._joints
        return positions[j] + np.einsum("hij,hj->hi", rotations[j], self._points)

    def aim(self, positions: Floats, rotations: Floats, share: float) -> None:
        """Set the rows' goals, those of targets at most share * reach_m away."""
        if len(self._joints) == 0:
            return
        positions_now = self._points_in_world(positions, rotations)
        ahead = self._goals - positions_now
        distance = np.linalg.norm(ahead, axis=1)
        fraction = np.minimum(1.0, share * self.options.reach_m / np.maximum(distance, 1e-9))
        fraction[self._targets :] = 1.0
        aimed = (positions_now + fraction[:, None] * ahead).ravel()
        terms, rows = self.objective.terms, 3 * len(self._joints)
        terms.lower[:rows] = terms.upper[:rows] = aimed

    def errors(self, positions: Floats, rotations: Floats) -> list[float]:
        """Distance of each handle's point from its goal, in metres."""
        if len(self._joints) == 0:
            return []
        apart = self._goals - self._points_in_world(positions, rotations)
        return [float(e) for e in np.linalg.norm(apart, axis=1)]

    def error(self, positions: Floats, rotations: Floats) -> float:
        """The largest distance of a target from its goal, in metres."""
        return max(self.errors(positions, rotations)[: self._targets], default=0.0)

    def relation_errors(self, q: Floats) -> dict[str, float]:
        """By name, the norm of each relation's violation."""
        out: dict[str, float] = {}
        for term in self.relations:
            value = term.quantity.value(self.skeleton, q)
            low, high = term.bounds(len(value))
            outside = np.maximum(value - high, 0.0) - np.maximum(low - value, 0.0)
            out[term.name] = float(np.linalg.norm(outside))
        return out
