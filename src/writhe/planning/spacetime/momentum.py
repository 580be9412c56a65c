"""Momentum between neighbouring frames, and its derivative by the tangent steps of both.

For frames t and t + 1 an interval h apart, with a_j, b_j the centres of mass of joint j's segment,
v_j = (b_j - a_j) / h, x_j = (a_j + b_j) / 2, c the centre of all, d_j = x_j - c,

    P_t = sum m_j v_j,      A_t = sum m_j d_j x v_j + R_j I_j R_j^T w_j.

A degree of freedom with axis s through p moves every segment of its subtree by s x (y - p), so that
the sums over segments in the derivative are sums over subtrees, the same for all coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.skeleton import kinematics as kernels
from writhe.skeleton import Frames, Skeleton, forward


@dataclass(frozen=True)
class MotionState:
    """Forward kinematics of all frames of a motion: joint frames and axes."""

    skeleton: Skeleton
    frames: Frames
    axes: Floats  # (F, nv, 3)

    @classmethod
    def of(cls, skeleton: Skeleton, q: Floats) -> MotionState:
        """The state at configurations q (F, nq)."""
        frames = forward(skeleton, q)
        axes = np.empty((len(q), skeleton.dof_count, 3))
        for t in range(len(q)):
            kernels.motion_axes(skeleton.tree, frames.positions[t], frames.rotations[t], axes[t])
        return cls(skeleton, frames, axes)

    @property
    def centres(self) -> Floats:
        """(F, n, 3) centre of mass of every segment."""
        turned = np.einsum(
            "fjrc,jc->fjr", self.frames.rotations, self.skeleton.centre_of_mass, optimize=True
        )
        return self.frames.positions + turned

    def point_jacobian(self, joint: int, points: Floats) -> Floats:
        """(F, 3, nv) Jacobian of world points (F, 3) fixed to one joint."""
        return point_columns(self, points, self.carries()[:, joint])

    def carries(self) -> Floats:
        """(nv, n) 1 where a degree of freedom moves a joint."""
        tree = self.skeleton.tree
        joints = np.arange(len(self.skeleton))
        first = tree.dof_joint[:, None]
        below = joints < tree.subtree_end[tree.dof_joint][:, None]
        return ((joints >= first) & below).astype(np.float64)

    @property
    def origins(self) -> Floats:
        """(F, nv, 3) the point about which each degree of freedom rotates."""
        return self.frames.positions[:, self.skeleton.tree.dof_joint]

    @property
    def turns(self) -> Floats:
        """(nv,) 1 for rotations, 0 for translations."""
        return self.skeleton.tree.dof_turns.astype(np.float64)


def point_columns(state: MotionState, points: Floats, moved: Floats) -> Floats:
    """(F, 3, nv) Jacobian of points (F, 3) by the degrees of freedom marked in `moved` (nv)."""
    turning = np.cross(state.axes, points[:, None] - state.origins)
    turns = state.turns[:, None]
    columns = turns * turning + (1 - turns) * state.axes
    return (columns * moved[:, None]).transpose(0, 2, 1)


@dataclass(frozen=True)
class Momentum:
    """Linear and angular momentum of every interval, with their derivatives."""

    linear: Floats  # (F - 1, 3)
    angular: Floats  # (F - 1, 3)
    linear_before: Floats  # (F - 1, 3, nv) by the step of the earlier frame
    linear_after: Floats
    angular_before: Floats
    angular_after: Floats


def momentum(state: MotionState, seconds: float) -> Momentum:
    """Momentum between all neighbouring frames, `seconds` apart."""
    skeleton = state.skeleton
    mass, total = skeleton.mass, float(skeleton.mass.sum())
    centres = state.centres
    before, after = centres[:-1], centres[1:]
    v = (after - before) / seconds
    x = 0.5 * (before + after)
    d = x - np.einsum("fjr,j->fr", x, mass)[:, None] / total
    linear = np.einsum("fjr,j->fr", v, mass)
    angular = np.einsum("fjr,j->fr", np.cross(d, v), mass)
    inertia = _world_inertia(state)
    spin = _body_rates(state.frames.rotations) / seconds
    angular = angular + np.einsum("fjrc,fjc->fr", inertia[:-1], spin)
    sub = state.carries()
    columns: dict[str, tuple[Floats, Floats]] = {}
    for name, frames, segment_centres, sign in (
        ("before", slice(None, -1), before, -1.0),
        ("after", slice(1, None), after, 1.0),
    ):
        axes, origins = state.axes[frames], state.origins[frames]
        sums = _SubtreeSums(sub, mass, state.turns, axes, origins, segment_centres)
        centre = sums.linear() / total
        across = sign / seconds * sums.moment(d) - 0.5 * sums.moment(v)
        across -= 0.5 * np.cross(centre, linear[:, None])
        turned = np.einsum("kj,fjrc->fkrc", sub, inertia[:-1], optimize=True)
        across += sign / seconds * state.turns[:, None] * np.einsum("fkrc,fkc->fkr", turned, axes)
        columns[name] = (
            (sign * total / seconds * centre).transpose(0, 2, 1),
            across.transpose(0, 2, 1),
        )
    return Momentum(
        linear,
        angular,
        columns["before"][0],
        columns["after"][0],
        columns["before"][1],
        columns["after"][1],
    )


class _SubtreeSums:
    """Mass-weighted sums of the segments' motion over the subtree of every degree of freedom."""

    def __init__(
        self, sub: Floats, mass: Floats, turns: Floats, axes: Floats, origins: Floats, at: Floats
    ) -> None:
        self.sub, self.mass, self.at = sub, mass, at
        self.turns, self.axes, self.origins = turns[:, None], axes, origins

    def _sum(self, values: Floats) -> Floats:
        return np.tensordot(values, self.sub, axes=(1, 1)).swapaxes(1, -1)

    def linear(self) -> Floats:
        """(F, nv, 3) sum m_j dy_j."""
        moment = self._sum(self.mass[:, None] * self.at)
        weight = (self.sub @ self.mass)[:, None]
        turning = np.cross(self.axes, moment - weight * self.origins)
        return self.turns * turning + (1 - self.turns) * weight * self.axes

    def moment(self, arm: Floats) -> Floats:
        """(F, nv, 3) sum m_j arm_j x dy_j."""
        weighted = self.mass[:, None] * arm
        flat = self._sum(weighted)
        along = self._sum((weighted * self.at).sum(-1)[..., None])
        outer = self._sum(
            (self.at[..., :, None] * weighted[..., None, :]).reshape(*arm.shape[:2], 9)
        )
        outer = outer.reshape(*outer.shape[:2], 3, 3)
        a, p = self.axes, self.origins
        turning = a * (along - (flat * p).sum(-1, keepdims=True))
        turning -= np.einsum("fkrc,fkc->fkr", outer, a)
        turning += p * (flat * a).sum(-1, keepdims=True)
        sliding = np.cross(flat, a)
        return self.turns * turning + (1 - self.turns) * sliding


def _world_inertia(state: MotionState) -> Floats:
    """(F, n, 3, 3) of every segment about its own centre."""
    r = state.frames.rotations
    return np.einsum("fjrk,jk,fjck->fjrc", r, state.skeleton.inertia, r, optimize=True)


def _body_rates(rotations: Floats) -> Floats:
    """(F - 1, n, 3) world rotation vectors between frames, for small turns."""
    turn = np.einsum("fjrk,fjck->fjrc", rotations[1:], rotations[:-1], optimize=True)
    skew = 0.5 * (turn - turn.swapaxes(-1, -2))
    return np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1)
