"""Joint limits: constructing them, checking configurations, sampling within them."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.kernels.skeleton.joint_limits import swing_extent, swing_twist
from writhe.skeleton import quaternions
from writhe.skeleton.joint import JointKind, Limits
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix
from writhe.skeleton.skeleton import Skeleton


def limit_frame(bone: Floats, y_axis: Floats) -> Floats:
    """The quaternion of a limit frame with x along `bone` and y nearest to `y_axis`."""
    x = bone / np.linalg.norm(bone)
    y = y_axis - x * float(x @ y_axis)
    if np.linalg.norm(y) < 1e-9:
        raise WritheError("a limit frame needs a y axis that is not along the bone")
    y = y / np.linalg.norm(y)
    return np.array(quaternion_of(np.stack([x, y, np.cross(x, y)], axis=1)))


def mirror_limits(limits: Limits) -> Limits:
    """The limits of the mirror image (x -> -x) of a ball joint.

    With M = diag(-1, 1, 1) the mirrored rotation is M R M. In the frame F' = M F diag(1, 1, -1) its
    coordinates are (-twist, -swing_y, swing_z).
    """
    frame = rotation_matrix(limits.frame)
    flipped = np.diag([-1.0, 1.0, 1.0]) @ frame @ np.diag([1.0, 1.0, -1.0])
    lower = np.array([-limits.upper[0], -limits.upper[1], limits.lower[2]])
    upper = np.array([-limits.lower[0], -limits.lower[1], limits.upper[2]])
    return Limits(lower, upper, np.array(quaternion_of(flipped)))


def limit_excess(skeleton: Skeleton, q: Floats) -> dict[str, float]:
    """(n,) how far each joint is outside its limits, in radians (metres for a prismatic joint).

    For a ball joint, the larger of the violations of twist and swing; that of swing is measured
    along the ray from the rest pose.
    """
    excess: dict[str, float] = {}
    coordinates, gradient = np.empty(3), np.empty(3)
    for joint in skeleton.joints:
        if joint.limits is None or joint.kind in (JointKind.FREE, JointKind.FIXED):
            continue
        lower, upper = joint.limits.lower, joint.limits.upper
        values = np.ascontiguousarray(q[skeleton.q_slice(joint.name)], dtype=np.float64)
        if joint.kind is JointKind.BALL:
            swing_twist(values, joint.limits.frame, coordinates)
            twist = max(lower[0] - coordinates[0], coordinates[0] - upper[0])
            extent = swing_extent(coordinates, lower, upper, gradient)
            swing = float(np.hypot(coordinates[1], coordinates[2]))
            beyond = max(twist, swing * (1.0 - 1.0 / extent) if extent > 1.0 else 0.0)
        else:
            beyond = max(lower[0] - values[0], values[0] - upper[0])
        if beyond > 1e-9:
            excess[joint.name] = float(beyond)
    return excess


def within_limits(turn: Floats, limits: Limits) -> Floats:
    """The rotation (4,) of a ball joint moved into its limits: twist clipped, swing shortened."""
    coordinates, gradient = np.empty(3), np.empty(3)
    swing_twist(np.ascontiguousarray(turn, dtype=np.float64), limits.frame, coordinates)
    twist = float(np.clip(coordinates[0], limits.lower[0], limits.upper[0]))
    extent = swing_extent(coordinates, limits.lower, limits.upper, gradient)
    swing = coordinates[1:] / max(float(extent), 1.0)
    return from_swing_twist(np.array([twist, *swing]), limits.frame)


def from_swing_twist(coordinates: Floats, frame: Floats) -> Floats:
    """(4,) the rotation with coordinates (twist, swing_y, swing_z) in a limit frame (4,)."""
    twist, y, z = coordinates
    swing = float(np.hypot(y, z))
    scale = 0.5 if swing < 1e-9 else np.sin(swing / 2) / swing
    parts = (
        np.array([np.cos(swing / 2), 0.0, scale * y, scale * z]),
        np.array([np.cos(twist / 2), np.sin(twist / 2), 0.0, 0.0]),
    )
    frame = np.asarray(frame)
    return quaternions.multiply(frame, *parts, quaternions.conjugate(frame))


def random_configurations(
    skeleton: Skeleton, count: int, rng: np.random.Generator, *, root_turns: bool = True
) -> Floats:
    """(count, nq) configurations sampled uniformly within the limits.

    Hinge and ball joints without limits get a uniformly random rotation, prismatic ones stay at
    zero. Free roots stay at the origin; they get a random rotation unless `root_turns` is False.
    """
    out = np.tile(skeleton.rest_configuration, (count, 1))
    for joint in skeleton.joints:
        at = skeleton.q_slice(joint.name)
        if joint.kind is JointKind.FREE:
            if root_turns:
                out[:, at.stop - 4 : at.stop] = _random_rotations(count, rng)
        elif joint.kind is JointKind.BALL:
            out[:, at] = (
                _random_rotations(count, rng)
                if joint.limits is None
                else _random_within(joint.limits, count, rng)
            )
        elif joint.limits is not None:
            out[:, at] = rng.uniform(joint.limits.lower, joint.limits.upper, (count, 1))
        elif joint.kind is JointKind.HINGE:
            out[:, at] = rng.uniform(-np.pi, np.pi, (count, 1))
    return out


def _random_rotations(count: int, rng: np.random.Generator) -> Floats:
    turns = rng.normal(size=(count, 4))
    return turns / np.linalg.norm(turns, axis=1, keepdims=True)


def _random_within(limits: Limits, count: int, rng: np.random.Generator) -> Floats:
    twist = rng.uniform(limits.lower[0], limits.upper[0], count)
    angle, radius = rng.uniform(-np.pi, np.pi, count), np.sqrt(rng.uniform(0, 1, count))
    y, z = radius * np.cos(angle), radius * np.sin(angle)
    y = y * np.where(y >= 0, float(limits.upper[1]), -float(limits.lower[1]))
    z = z * np.where(z >= 0, float(limits.upper[2]), -float(limits.lower[2]))
    swing = np.hypot(y, z)
    scale = np.where(swing < 1e-9, 0.5, np.sin(swing / 2) / np.maximum(swing, 1e-9))
    swing_q = np.stack([np.cos(swing / 2), np.zeros(count), scale * y, scale * z], axis=1)
    twist_q = np.stack(
        [np.cos(twist / 2), np.sin(twist / 2), np.zeros(count), np.zeros(count)], axis=1
    )
    frame = np.tile(limits.frame, (count, 1))
    back = frame * np.array([1.0, -1.0, -1.0, -1.0])
    return quaternions.multiply(frame, swing_q, twist_q, back)
