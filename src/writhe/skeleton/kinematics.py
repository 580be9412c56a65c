"""Kinematics of a skeleton: frames, Jacobians, tangent steps, centre of mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import checked
from writhe.arrays import Floats, floats, number
from writhe.errors import UnknownNameError
from writhe.kernels.skeleton import kinematics as kernels
from writhe.kernels.skeleton import mass as mass_kernels
from writhe.skeleton.configurations import configuration, configurations
from writhe.skeleton.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Frames:
    """World frames of all joints, the result of `forward`. Batches have a leading frame axis."""

    skeleton: Skeleton
    positions: Floats  # (n, 3) or (frames, n, 3)
    rotations: Floats  # (n, 3, 3) or (frames, n, 3, 3)

    def position(self, joint: str) -> Floats:
        """The joint's centre in the world."""
        return self.positions[..., self.skeleton.index(joint), :]

    def rotation(self, joint: str) -> Floats:
        """The joint's rotation in the world."""
        return self.rotations[..., self.skeleton.index(joint), :, :]

    def point(self, joint: str, point_in_joint: ArrayLike) -> Floats:
        """The world position of a point fixed to the joint."""
        return self.position(joint) + self.rotation(joint) @ floats(point_in_joint, (3,), "a point")

    def tip(self, name: str) -> Floats:
        """The world position of a tip."""
        tip = next((t for t in self.skeleton.tips if t.name == name), None)
        if tip is None:
            raise UnknownNameError("tip", name, [t.name for t in self.skeleton.tips])
        return self.point(tip.joint, tip.offset_in_joint)


@checked
def forward(skeleton: Skeleton, q: ArrayLike) -> Frames:
    """World frames at one configuration (nq) or at many (frames, nq)."""
    n = len(skeleton)
    if np.ndim(q) == 2:
        array = configurations(skeleton, q)
        positions = np.empty((len(array), n, 3))
        rotations = np.empty((len(array), n, 3, 3))
        kernels.forward_batch(skeleton.tree, array, positions, rotations)
    else:
        array = configuration(skeleton, q)
        positions, rotations = np.empty((n, 3)), np.empty((n, 3, 3))
        kernels.forward(skeleton.tree, array, positions, rotations)
    return Frames(skeleton, positions, rotations)


@checked
def point_jacobian(frames: Frames, joint: str, point_in_world: ArrayLike) -> Floats:
    """(3, nv): derivative of a world point fixed to `joint` by the tangent step."""
    tree = frames.skeleton.tree
    axes = np.empty((frames.skeleton.dof_count, 3))
    kernels.motion_axes(tree, frames.positions, frames.rotations, axes)
    out = np.empty((3, frames.skeleton.dof_count))
    point = floats(point_in_world, (3,), "the point")
    kernels.point_jacobian(tree, frames.positions, axes, frames.skeleton.index(joint), point, out)
    return out


@checked
def frame_jacobian(frames: Frames, joint: str) -> Floats:
    """(6, nv): linear velocity of the joint's centre stacked on its angular velocity, in world."""
    tree = frames.skeleton.tree
    index = frames.skeleton.index(joint)
    axes = np.empty((frames.skeleton.dof_count, 3))
    kernels.motion_axes(tree, frames.positions, frames.rotations, axes)
    out = np.empty((6, frames.skeleton.dof_count))
    centre = np.ascontiguousarray(frames.positions[index])
    kernels.point_jacobian(tree, frames.positions, axes, index, centre, out[:3])
    kernels.turn_jacobian(tree, axes, index, out[3:])
    return out


@checked
def integrate(skeleton: Skeleton, q: Floats, step: Floats) -> Floats:
    """The configuration after a tangent step."""
    out = np.empty(skeleton.configuration_size)
    step = floats(step, (skeleton.dof_count,), "the tangent step")
    kernels.integrate(skeleton.tree, configuration(skeleton, q), step, out)
    return out


@checked
def difference(skeleton: Skeleton, q_from: Floats, q_to: Floats) -> Floats:
    """The shortest tangent step from one configuration to another."""
    out = np.empty(skeleton.dof_count)
    ends = configuration(skeleton, q_from), configuration(skeleton, q_to)
    kernels.difference(skeleton.tree, *ends, out)
    return out


@checked
def interpolate(skeleton: Skeleton, q_from: Floats, q_to: Floats, t: float) -> Floats:
    """The configuration at fraction t between two: slerp for rotations, else linear."""
    out = np.empty(skeleton.configuration_size)
    ends = configuration(skeleton, q_from), configuration(skeleton, q_to)
    kernels.interpolate(skeleton.tree, *ends, number(t, "the fraction"), out)
    return out


@checked
def centre_of_mass(frames: Frames) -> Floats:
    """The world centre of mass, single (3) or batched (frames, 3)."""
    skeleton = frames.skeleton
    if frames.positions.ndim == 2:
        out = np.empty(3)
        mass_kernels.centre_of_mass(
            frames.positions, frames.rotations, skeleton.mass, skeleton.centre_of_mass, out
        )
        return out
    centres = frames.positions + np.einsum(
        "fjrc,jc->fjr", frames.rotations, skeleton.centre_of_mass
    )
    return np.einsum("fjr,j->fr", centres, skeleton.mass) / skeleton.mass.sum()


@checked
def centre_of_mass_jacobian(frames: Frames) -> Floats:
    """(3, nv): derivative of the centre of mass by the tangent step."""
    skeleton = frames.skeleton
    n, nv = len(skeleton), skeleton.dof_count
    axes, out = np.empty((nv, 3)), np.empty((3, nv))
    kernels.motion_axes(skeleton.tree, frames.positions, frames.rotations, axes)
    mass_kernels.centre_of_mass_jacobian(
        skeleton.tree,
        frames.positions,
        frames.rotations,
        axes,
        skeleton.mass,
        skeleton.centre_of_mass,
        np.empty(n),
        np.empty((n, 3)),
        out,
    )
    return out


@checked
def momentum(before: Frames, after: Frames, seconds: float) -> tuple[Floats, Floats]:
    """Linear and angular (about the centre of mass) momentum of the motion between two frames."""
    skeleton = before.skeleton
    linear, angular = np.empty(3), np.empty(3)
    mass_kernels.momentum_between(
        before.positions,
        before.rotations,
        after.positions,
        after.rotations,
        skeleton.mass,
        skeleton.centre_of_mass,
        skeleton.inertia,
        seconds,
        linear,
        angular,
    )
    return linear, angular
