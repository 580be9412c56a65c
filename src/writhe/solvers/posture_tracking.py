"""Track a target posture as closely as collisions allow; used by cleaning.

Each iteration solves, at the current configuration,

    min   1/2 sum_j w_j^2 ||p_j - p*_j + J_j v||^2 + 1/2 a^2 ||M (x + v)||^2
          + 1/2 s^2 sum_n ||M (x + v - x_n)||^2
    s.t.  near pairs keep or restore their clearance,  |v| <= max_step,
          joints keep their limits, or the target's own violation of them

with p the joint positions and p* those of the target posture, x the tangent step from the target
to the current configuration, M the mean displacement of the body per radian of each joint, and x_n
the corrections of neighbouring frames, if any. Because positions are tracked, a hand stays in place
when its elbow is pushed aside. A gated tracker only takes certified steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, Gate
from writhe.database.posture import metres_per_radian
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import Figure
from writhe.skeleton.limbs import FOOT_ROLES
from writhe.solvers.contact_step import ContactOptions, ContactStep
from writhe.terms import CompiledTerms, joint_limits, reach


@dataclass(frozen=True, slots=True)
class TrackingOptions:
    """Options of posture tracking. Lengths in metres, angles in radians."""

    iterations: int = 6
    foot_weight: float = 4.0  # position weight of feet; other joints have 1
    angle_weight: float = 0.15  # a: weight of joint angles, scaled to metres by M
    ankle_weight: float = 0.6  # a M of ankles and toes: rather lift the leg than bend the ankle
    steady_weight: float = 1.2  # s: weight of agreement with neighbouring frames
    max_step: float = 0.3  # per degree of freedom and iteration
    near_m: float = 0.06  # shape pairs nearer than this get a contact row
    margin_m: float = 0.002  # clearance that contact rows aim to keep
    recovery_m: float = 0.03  # most by which one iteration reduces an overlap
    approach: float = 0.8  # fraction of the clearance by which one iteration may approach
    close_m: float = 5e-4  # a step that moves no joint farther than this ends the iteration


class PostureTracker:
    """Tracks target postures; keeps its arrays between frames. Not thread-safe.

    `variables` (nv) marks what may deviate from the target: in a scene, the actor being cleaned.
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
        self._position_terms = CompiledTerms(
            skeleton,
            [*(reach(joint, np.zeros(3)) for joint in skeleton.names), *joint_limits(skeleton)],
        )
        self._rows = 3 * len(skeleton)  # of positions; the others are joint limits
        self._lower, self._upper = (
            self._position_terms.lower.copy(),
            self._position_terms.upper.copy(),
        )
        feet = {joint for role, joint in figure.roles if role in FOOT_ROLES}
        weight = [self.options.foot_weight if j in feet else 1.0 for j in skeleton.names]
        self._position_weight = np.repeat(weight, 3)
        self.metres = metres_per_radian(figure.skeleton)
        self._angle_weight = angle_weights(
            figure, table, self.metres, self.options.angle_weight, self.options.ankle_weight
        )
        self._x = np.empty(skeleton.dof_count)
        all_free = np.ones(skeleton.dof_count, dtype=np.bool_)
        self.may_change: Bools = all_free if variables is None else variables
        self.prescribed = np.flatnonzero(~self.may_change)
        o = self.options
        limits = ContactOptions(o.max_step, o.near_m, o.margin_m, o.recovery_m, o.approach)
        self._contact_step = ContactStep(table, limits, self.prescribed)

    def clearance(self, q: Floats) -> float:
        """The smallest gap plus allowed overlap at q; infinite if all exceed the margin."""
        terms = self._position_terms
        kinematics.forward(self.figure.skeleton.tree, q, terms.positions, terms.rotations)
        return self._clearance_here()

    def follow(
        self, q: Floats, target: Floats, *, gated: bool, beside: Sequence[Floats] = ()
    ) -> Floats:
        """The configuration reached from q towards the posture `target` without collisions.

        `beside` holds corrections (nv) of neighbouring frames: tangent steps from their targets.
        """
        options, skeleton = self.options, self.figure.skeleton
        tree, nv, terms = skeleton.tree, skeleton.dof_count, self._position_terms
        terms.update(target)
        rows = self._rows
        target_positions = terms.values[:rows].copy()
        # limits are kept, or exceeded no more than by the target
        terms.lower[rows:] = np.minimum(self._lower[rows:], terms.values[rows:])
        terms.upper[rows:] = np.maximum(self._upper[rows:], terms.values[rows:])
        if (
            not beside
            and self._clearance_here() >= options.margin_m
            and (not gated or self.gate.fraction(q, target) >= 1.0)
        ):
            return target.copy()
        start, q, tried = q, q.copy(), np.empty_like(q)
        angles = self._angle_weight**2
        steady = (options.steady_weight * self.metres) ** 2
        towards = np.sum(beside, axis=0) if beside else 0.0
        for _ in range(options.iterations):
            terms.update(q)
            kinematics.difference(tree, target, q, self._x)
            weighted = self._position_weight[:, None] * terms.jacobian[:rows]
            hessian = weighted.T @ weighted
            hessian.flat[:: nv + 1] += angles + len(beside) * steady
            apart = terms.values[:rows] - target_positions
            gradient = weighted.T @ (self._position_weight * apart)
            gradient += angles * self._x + steady * (len(beside) * self._x - towards)
            v = self._contact_step.solve(
                terms,
                hessian,
                gradient,
                intervals_from=rows,
                prescribed_step=-self._x[self.prescribed],
            )
            moved = float(np.abs(terms.jacobian[:rows] @ v).max())
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

    def _clearance_here(self) -> float:
        terms = self._position_terms
        return self._contact_step.clearance(terms.positions, terms.rotations, self.options.margin_m)


def angle_weights(
    figure: Figure, table: CollisionTable, metres: Floats, weight: float, of_ankles: float
) -> Floats:
    """(nv,) weights a M of joint angles; ankles and toes have their own among other objects."""
    out = weight * metres
    if (table.pairs.ancestor < 0).any():
        for role, joint in figure.roles:
            if role in FOOT_ROLES:
                out[figure.skeleton.v_slice(joint)] = of_ankles
    return out
