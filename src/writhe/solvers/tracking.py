"""Follow a given posture as closely as collisions allow: the solver behind cleaning.

From where the body is, each iteration solves

    min   1/2 ||W (x + v)||^2 + 1/2 ||W_f (f + J_f v)||^2
    s.t.  near pairs keep their clearance or win it back,  |v| <= max_step

with x the tangent step from the wanted posture to the current one, weighted by how much each joint
moves the body, and f the places of the feet. A gated tracker follows only certified ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import daqp
import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, Gate, NearPairs
from writhe.database.posture import joint_importance
from writhe.kernels import kinematics
from writhe.kernels.contact_rows import contact_rows
from writhe.skeleton import Figure, JointKind
from writhe.terms import CompiledTerms, reach

_SOFT = 8  # DAQP: a constraint that may be violated if need be
_OPTIMAL = 1
_UNBOUNDED = 1e30


@dataclass(frozen=True, slots=True)
class TrackingOptions:
    """How a posture is followed. Lengths in metres, angles in radians."""

    iterations: int = 6
    foot_weight: float = 4.0  # of a foot's place, beside the joints' metres of movement
    root_weight: float = 1.5
    max_step: float = 0.3
    near_m: float = 0.08
    margin_m: float = 0.002
    recovery_m: float = 0.03
    approach: float = 0.8
    close_m: float = 5e-4  # a step that moves no joint farther than this ends the iteration


class PostureTracker:
    """Keeps its arrays between frames; not to be shared between threads.

    `variables` (nv) marks what may leave the wanted posture: in a scene, the actor that is cleaned.
    """

    def __init__(
        self,
        figure: Figure,
        table: CollisionTable,
        options: TrackingOptions | None = None,
        *,
        variables: Bools | None = None,
    ) -> None:
        self.figure = figure
        self.table = table
        self.options = options or TrackingOptions()
        skeleton = figure.skeleton
        self.gate = Gate(table)
        self._near = NearPairs(table)
        roles = dict(figure.roles)
        feet = [
            roles[role]
            for role in ("left_ankle", "right_ankle", "left_toe", "right_toe")
            if role in roles
        ]
        self._feet = CompiledTerms(skeleton, [reach(foot, np.zeros(3)) for foot in feet])
        self._weight = self._joint_weights()
        nv, room = skeleton.dof_count, 400  # near pairs beyond these are left to the gate
        self._matrix = np.empty((room, nv))
        self._low, self._high = np.empty(nv + room), np.empty(nv + room)
        self._sense = np.zeros(nv + room, dtype=np.int32)
        self._x = np.empty(nv)
        self._given = None if variables is None else np.flatnonzero(~variables)

    def clearance(self, q: Floats) -> float:
        """The smallest gap beyond its allowance at q, infinite when nothing is near."""
        self._feet.update(q)
        return self._clearance_here()

    def follow(self, q: Floats, wanted: Floats, *, gated: bool) -> Floats:
        """From q towards the posture `wanted`, as near as is clear of collisions."""
        options, skeleton = self.options, self.figure.skeleton
        tree, nv = skeleton.tree, skeleton.dof_count
        self._feet.update(wanted)
        places = self._feet.values.copy()
        if self._clearance_here() >= options.margin_m and (
            not gated or self.gate.fraction(q, wanted) >= 1.0
        ):
            return wanted.copy()
        start, q, tried = q, q.copy(), np.empty_like(q)
        squares = self._weight**2
        for _ in range(options.iterations):
            self._feet.update(q)
            kinematics.difference(tree, wanted, q, self._x)
            rows = self._feet.jacobian
            hessian = options.foot_weight**2 * (rows.T @ rows)
            hessian.flat[:: nv + 1] += squares
            gradient = squares * self._x
            gradient += options.foot_weight**2 * (rows.T @ (self._feet.values - places))
            v = self._programme(hessian, gradient)
            kinematics.integrate(tree, q, v, tried)
            if gated:
                safe = self.gate.fraction(start, tried)
                if safe < 1.0:
                    kinematics.interpolate(tree, start, tried, safe, q)
                    break
            q[:] = tried
            if float(np.abs(v * self._weight).max()) < options.close_m:
                break
        return q

    def _programme(self, hessian: Floats, gradient: Floats) -> Floats:
        options, nv = self.options, len(gradient)
        near = self._near
        near.find(self._feet.positions, self._feet.rotations, options.near_m)
        low, high = self._low, self._high
        low[:nv], high[:nv] = -options.max_step, options.max_step
        if self._given is not None:
            low[self._given] = high[self._given] = -self._x[self._given]
        count = contact_rows(
            self.figure.skeleton.tree,
            self._feet.positions,
            self._feet.axes,
            near.rows,
            near.count,
            options.margin_m,
            options.approach,
            options.recovery_m,
            self._matrix,
            low[nv:],
        )
        high[nv : nv + count] = _UNBOUNDED
        sense = self._sense[: nv + count]
        for kind in (0, _SOFT):
            sense[:] = 0
            sense[nv:] = kind
            answer: Any = daqp.solve(
                hessian,
                gradient,
                self._matrix[:count],
                high[: nv + count],
                low[: nv + count],
                sense,
            )
            v = np.asarray(answer[0], dtype=np.float64)
            if answer[2] == _OPTIMAL or (kind and np.isfinite(v).all()):
                return v
        return np.zeros(nv)

    def _clearance_here(self) -> float:
        near = self._near
        near.find(self._feet.positions, self._feet.rotations, self.options.near_m)
        clearance = near.rows.gap[: near.count] + near.rows.allowance[: near.count]
        return float(clearance.min()) if near.count else float("inf")

    def _joint_weights(self) -> Floats:
        """(nv,) metres that the body moves per radian of each degree of freedom."""
        skeleton = self.figure.skeleton
        weight = np.repeat(
            joint_importance(skeleton), [joint.kind.tangent_size for joint in skeleton.joints]
        )
        for joint in skeleton.joints:
            if joint.kind is JointKind.FREE:
                at = skeleton.v_slice(joint.name)
                weight[at.start : at.start + 3] = self.options.root_weight
        return weight
