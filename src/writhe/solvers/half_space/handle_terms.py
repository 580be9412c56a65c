"""What the user wants of a step: targets, pins and relations, as rows of the objective."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Skeleton
from writhe.solvers.half_space.objective import Objective
from writhe.solvers.half_space.options import ResponseOptions
from writhe.solvers.posing.handles import Pin, Target
from writhe.terms import Term, joint_limits, reach, turn_to


class ResponseWishes:
    """Keeps the objective's terms in step with the handles; compiles only when their set changes.

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

    def keep(self, relations: Sequence[Term]) -> None:
        """Terms that hold from now on."""
        self.relations = tuple(relations)
        self._shape = None

    @property
    def lasting(self) -> tuple[Term, ...]:
        """What holds beyond one step: relations and limits."""
        return (*self.relations, *self._limits)

    def prepare(self, targets: Sequence[Target], pins: Sequence[Pin]) -> None:
        """Rows for these handles."""
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
        wanted = [
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
                wanted.append(turn_to(handle.joint, handle.orientation_in_world, weight=weight))
        self.objective.use_terms([*wanted, *self.relations, *self._limits])

    def _weight(self, handle: Target | Pin) -> float:
        if isinstance(handle, Pin):
            return self.options.pin_weight
        return self.options.target_weight * (1.0 - min(handle.softness, 0.99)) ** 2

    def _places(self, positions: Floats, rotations: Floats) -> Floats:
        """(handles, 3) where the handles' points are."""
        j = self._joints
        return positions[j] + np.einsum("hij,hj->hi", rotations[j], self._points)

    def aim(self, positions: Floats, rotations: Floats, share: float) -> None:
        """Set the rows' targets, none farther ahead than one step can follow."""
        if len(self._joints) == 0:
            return
        places = self._places(positions, rotations)
        ahead = self._goals - places
        distance = np.linalg.norm(ahead, axis=1)
        share_of = np.minimum(1.0, share * self.options.reach_m / np.maximum(distance, 1e-9))
        share_of[self._targets :] = 1.0
        aimed = (places + share_of[:, None] * ahead).ravel()
        terms, rows = self.objective.terms, 3 * len(self._joints)
        terms.lower[:rows] = terms.upper[:rows] = aimed

    def errors(self, positions: Floats, rotations: Floats) -> list[float]:
        """The distance of each handle from where it is wanted."""
        if len(self._joints) == 0:
            return []
        apart = self._goals - self._places(positions, rotations)
        return [float(e) for e in np.linalg.norm(apart, axis=1)]

    def error(self, positions: Floats, rotations: Floats) -> float:
        """The largest distance of a target."""
        return max(self.errors(positions, rotations)[: self._targets], default=0.0)

    def relation_errors(self, q: Floats) -> dict[str, float]:
        """By label, how far each relation is from holding."""
        out: dict[str, float] = {}
        for term in self.relations:
            value = term.quantity.value(self.skeleton, q)
            low, high = term.bounds(len(value))
            outside = np.maximum(value - high, 0.0) - np.maximum(low - value, 0.0)
            out[term.name] = float(np.linalg.norm(outside))
        return out
