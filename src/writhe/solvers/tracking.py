"""Follow a given posture as closely as collisions allow: the solver behind cleaning.

From where the body is, each iteration solves

    min   1/2 sum_j w_j^2 ||p_j - p*_j + J_j v||^2 + 1/2 a^2 ||M (x + v)||^2
          + 1/2 s^2 sum_n ||M (x + v - x_n)||^2
    s.t.  near pairs keep their clearance or win it back,  |v| <= max_step

with p the joints' places and p* those of the wanted posture, x the tangent step from the wanted
posture to the current one, M how many metres each joint moves the body a radian, and x_n the
corrections of neighbouring frames, if any. Where a limb must give way, places pull the rest of it
back: a hand stays though its elbow is pushed out. A gated tracker follows only certified ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import daqp
import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, Gate, NearPairs
from writhe.database.posture import joint_importance
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.contact_rows import contact_rows
from writhe.skeleton import Figure, JointKind
from writhe.terms import CompiledTerms, reach

_SOFT = 8  # DAQP: a constraint that may be violated if need be
_OPTIMAL = 1
_UNBOUNDED = 1e30
_FEET = ("left_ankle", "right_ankle", "left_toe", "right_toe")


@dataclass(frozen=True, slots=True)
class TrackingOptions:
    """How a posture is followed. Lengths in metres, angles in radians."""

    iterations: int = 6
    foot_weight: float = 4.0  # of a foot's place, beside 1 of every other joint
    angle_weight: float = 0.15  # a: of joint angles, in metres that they move the body
    steady_weight: float = 1.2  # s: of being corrected as the neighbouring frames are
    max_step: float = 0.3
    near_m: float = 0.06
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
        self._places = CompiledTerms(
            skeleton, [reach(joint, np.zeros(3)) for joint in skeleton.names]
        )
        feet = {joint for role, joint in figure.roles if role in _FEET}
        weight = [self.options.foot_weight if j in feet else 1.0 for j in skeleton.names]
        self._place_weight = np.repeat(weight, 3)
        self.metres = _metres_per_radian(figure)
        nv, room = skeleton.dof_count, 400  # near pairs beyond these are left to the gate
        self._matrix = np.empty((room, nv))
        self._low, self._high = np.empty(nv + room), np.empty(nv + room)
        self._sense = np.zeros(nv + room, dtype=np.int32)
        self._x = np.empty(nv)
        self._given = None if variables is None else np.flatnonzero(~variables)

    def clearance(self, q: Floats) -> float:
        """The smallest gap beyond its allowance at q; infinite if all exceed the margin."""
        terms = self._places
        kinematics.forward(self.figure.skeleton.tree, q, terms.positions, terms.rotations)
        return self._clearance_here()

    def follow(
        self, q: Floats, wanted: Floats, *, gated: bool, beside: Sequence[Floats] = ()
    ) -> Floats:
        """From q towards the posture `wanted`, as near as is clear of collisions.

        beside: corrections (nv) of neighbouring frames, tangent steps from their wanted postures.
        """
        options, skeleton = self.options, self.figure.skeleton
        tree, nv, terms = skeleton.tree, skeleton.dof_count, self._places
        terms.update(wanted)
        places = terms.values.copy()
        if (
            not beside
            and self._clearance_here() >= options.margin_m
            and (not gated or self.gate.fraction(q, wanted) >= 1.0)
        ):
            return wanted.copy()
        start, q, tried = q, q.copy(), np.empty_like(q)
        angles = (options.angle_weight * self.metres) ** 2
        steady = (options.steady_weight * self.metres) ** 2
        towards = np.sum(beside, axis=0) if beside else 0.0
        for _ in range(options.iterations):
            terms.update(q)
            kinematics.difference(tree, wanted, q, self._x)
            rows = self._place_weight[:, None] * terms.jacobian
            hessian = rows.T @ rows
            hessian.flat[:: nv + 1] += angles + len(beside) * steady
            gradient = rows.T @ (self._place_weight * (terms.values - places))
            gradient += angles * self._x + steady * (len(beside) * self._x - towards)
            v = self._programme(hessian, gradient)
            moved = float(np.abs(terms.jacobian @ v).max())
            kinematics.integrate(tree, q, v, tried)
            if gated:
                safe = self.gate.fraction(start, tried)
                if safe < 1.0:
                    kinematics.interpolate(tree, start, tried, safe, q)
                    break
            q[:] = tried
            if moved < options.close_m:
                break
        return q

    def _programme(self, hessian: Floats, gradient: Floats) -> Floats:
        options, nv = self.options, len(gradient)
        near = self._near
        near.find(self._places.positions, self._places.rotations, options.near_m)
        low, high = self._low, self._high
        low[:nv], high[:nv] = -options.max_step, options.max_step
        if self._given is not None:
            low[self._given] = high[self._given] = -self._x[self._given]
        count = contact_rows(
            self.figure.skeleton.tree,
            self._places.positions,
            self._places.axes,
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
        near.find(self._places.positions, self._places.rotations, self.options.margin_m)
        clearance = near.clearance
        return float(clearance.min()) if near.count else float("inf")


def _metres_per_radian(figure: Figure) -> Floats:
    """(nv,) metres that the body moves per radian of each degree of freedom; 1 for translations."""
    skeleton = figure.skeleton
    metres = np.repeat(
        joint_importance(skeleton), [joint.kind.tangent_size for joint in skeleton.joints]
    )
    for joint in skeleton.joints:
        if joint.kind is JointKind.FREE:
            at = skeleton.v_slice(joint.name)
            metres[at.start : at.start + 3] = 1.0
    return metres
