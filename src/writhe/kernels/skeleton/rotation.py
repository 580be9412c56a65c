"""Quaternions (w, x, y, z; unit length), rotation vectors and matrices.

Right tangent steps throughout: R' = R exp([v]), v in the rotated frame.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

from writhe.arrays import Floats
from writhe.kernels.jit import kernel

SMALL_ANGLE = 1e-7


@kernel
def quaternion_multiply(a: Floats, b: Floats, out: Floats) -> None:
    """out = a b; `out` may be `a` or `b`."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    out[0], out[1], out[2], out[3] = w, x, y, z


@kernel
def quaternion_normalise(q: Floats) -> None:
    """Scale q to unit length in place; a null quaternion becomes the identity."""
    length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if length < 1e-300:
        q[0], q[1], q[2], q[3] = 1.0, 0.0, 0.0, 0.0
    else:
        q[0] /= length
        q[1] /= length
        q[2] /= length
        q[3] /= length


@kernel
def quaternion_exp(x: float, y: float, z: float, out: Floats) -> None:
    """The quaternion of the rotation vector (x, y, z)."""
    angle = sqrt(x * x + y * y + z * z)
    if angle < SMALL_ANGLE:
        out[0], out[1], out[2], out[3] = 1.0, 0.5 * x, 0.5 * y, 0.5 * z
        quaternion_normalise(out)
        return
    scale = sin(0.5 * angle) / angle
    out[0], out[1], out[2], out[3] = cos(0.5 * angle), x * scale, y * scale, z * scale


@kernel
def quaternion_log(q: Floats, out: Floats) -> None:
    """The shortest rotation vector (3) of the unit quaternion q, of length pi at most."""
    sign = 1.0 if q[0] >= 0.0 else -1.0
    half_sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if half_sine < SMALL_ANGLE:
        scale = 2.0 * sign
    else:
        scale = sign * 2.0 * atan2(half_sine, sign * q[0]) / half_sine
    out[0], out[1], out[2] = scale * q[1], scale * q[2], scale * q[3]


@kernel
def quaternion_difference(a: Floats, b: Floats, out: Floats) -> None:
    """out (3) = log(a^-1 b): the right tangent step from a to b."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1]
    z = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]
    sign = 1.0 if w >= 0.0 else -1.0
    half_sine = sqrt(x * x + y * y + z * z)
    if half_sine < SMALL_ANGLE:
        scale = 2.0 * sign
    else:
        scale = sign * 2.0 * atan2(half_sine, sign * w) / half_sine
    out[0], out[1], out[2] = scale * x, scale * y, scale * z


@kernel
def quaternion_to_matrix(q: Floats, out: Floats) -> None:
    """The rotation matrix (3, 3) of the unit quaternion q."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    out[0, 1] = 2.0 * (x * y - w * z)
    out[0, 2] = 2.0 * (x * z + w * y)
    out[1, 0] = 2.0 * (x * y + w * z)
    out[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    out[1, 2] = 2.0 * (y * z - w * x)
    out[2, 0] = 2.0 * (x * z - w * y)
    out[2, 1] = 2.0 * (y * z + w * x)
    out[2, 2] = 1.0 - 2.0 * (x * x + y * y)


@kernel
def matrix_to_quaternion(m: Floats, out: Floats) -> None:
    """The unit quaternion, w >= 0, of the rotation matrix m (3, 3)."""
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    if trace > 0.0:
        s = 2.0 * sqrt(trace + 1.0)
        out[0], out[1] = 0.25 * s, (m[2, 1] - m[1, 2]) / s
        out[2], out[3] = (m[0, 2] - m[2, 0]) / s, (m[1, 0] - m[0, 1]) / s
    elif m[0, 0] >= m[1, 1] and m[0, 0] >= m[2, 2]:
        s = 2.0 * sqrt(1.0 + m[0, 0] - m[1, 1] - m[2, 2])
        out[0], out[1] = (m[2, 1] - m[1, 2]) / s, 0.25 * s
        out[2], out[3] = (m[0, 1] + m[1, 0]) / s, (m[0, 2] + m[2, 0]) / s
    elif m[1, 1] >= m[2, 2]:
        s = 2.0 * sqrt(1.0 + m[1, 1] - m[0, 0] - m[2, 2])
        out[0], out[1] = (m[0, 2] - m[2, 0]) / s, (m[0, 1] + m[1, 0]) / s
        out[2], out[3] = 0.25 * s, (m[1, 2] + m[2, 1]) / s
    else:
        s = 2.0 * sqrt(1.0 + m[2, 2] - m[0, 0] - m[1, 1])
        out[0], out[1] = (m[1, 0] - m[0, 1]) / s, (m[0, 2] + m[2, 0]) / s
        out[2], out[3] = (m[1, 2] + m[2, 1]) / s, 0.25 * s
    if out[0] < 0.0:
        out[0], out[1], out[2], out[3] = -out[0], -out[1], -out[2], -out[3]
    quaternion_normalise(out)


@kernel
def axis_angle_to_matrix(axis: Floats, angle: float, out: Floats) -> None:
    """Rodrigues: the matrix of a turn by `angle` about the unit vector `axis`."""
    c, s = cos(angle), sin(angle)
    x, y, z = axis[0], axis[1], axis[2]
    k = 1.0 - c
    out[0, 0], out[0, 1], out[0, 2] = c + k * x * x, k * x * y - s * z, k * x * z + s * y
    out[1, 0], out[1, 1], out[1, 2] = k * x * y + s * z, c + k * y * y, k * y * z - s * x
    out[2, 0], out[2, 1], out[2, 2] = k * x * z - s * y, k * y * z + s * x, c + k * z * z


@kernel
def right_jacobian(x: float, y: float, z: float, out: Floats) -> None:
    """J_r (3, 3) of the rotation vector u: exp(u + du) = exp(u) exp(J_r du) to first order."""
    angle2 = x * x + y * y + z * z
    if angle2 < 1e-8:
        a, b = 0.5 - angle2 / 24.0, 1.0 / 6.0 - angle2 / 120.0
    else:
        angle = sqrt(angle2)
        a, b = (1.0 - cos(angle)) / angle2, (angle - sin(angle)) / (angle2 * angle)
    out[0, 0] = 1.0 - b * (y * y + z * z)
    out[0, 1] = a * z + b * x * y
    out[0, 2] = -a * y + b * x * z
    out[1, 0] = -a * z + b * x * y
    out[1, 1] = 1.0 - b * (x * x + z * z)
    out[1, 2] = a * x + b * y * z
    out[2, 0] = a * y + b * x * z
    out[2, 1] = -a * x + b * y * z
    out[2, 2] = 1.0 - b * (x * x + y * y)


@kernel
def inverse_right_jacobian(x: float, y: float, z: float, out: Floats) -> None:
    """J_r^-1 (3, 3) of the rotation vector u: log(exp(u) exp(dw)) = u + J_r^-1 dw.

    I + [u]/2 + b [u]^2 with b = 1/a^2 - cot(a/2)/(2a), a = |u| < 2 pi.
    """
    angle2 = x * x + y * y + z * z
    if angle2 < 1e-6:
        b = 1.0 / 12.0 + angle2 / 720.0
    else:
        angle = sqrt(angle2)
        b = 1.0 / angle2 - cos(0.5 * angle) / (2.0 * angle * sin(0.5 * angle))
    out[0, 0] = 1.0 - b * (y * y + z * z)
    out[0, 1] = -0.5 * z + b * x * y
    out[0, 2] = 0.5 * y + b * x * z
    out[1, 0] = 0.5 * z + b * x * y
    out[1, 1] = 1.0 - b * (x * x + z * z)
    out[1, 2] = -0.5 * x + b * y * z
    out[2, 0] = -0.5 * y + b * x * z
    out[2, 1] = 0.5 * x + b * y * z
    out[2, 2] = 1.0 - b * (x * x + y * y)
