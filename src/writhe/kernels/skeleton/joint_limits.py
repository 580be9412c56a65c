"""Joint coordinates in which limits are stated, and their derivatives.

A hinge or slide has one coordinate, its q. A ball joint has three, in its limit frame F (x along
the bone): F^-1 q F = swing * twist, with twist = exp(t x) and swing = exp(0, s_y, s_z); the
coordinates are (t, s_y, s_z). Twist is bounded by an interval, swing by an ellipse whose four
half-axes differ per quadrant: swing extent = sqrt((s_y/a)^2 + (s_z/b)^2) <= 1. Radians.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.rotation import SMALL_ANGLE, right_jacobian


@kernel
def swing_twist(q: Floats, frame: Floats, out: Floats) -> None:
    """out (3) = (twist, swing_y, swing_z) of quaternion q in the limit frame (4)."""
    fw, fx, fy, fz = frame[0], frame[1], frame[2], frame[3]
    # vector part in the limit frame: F^-1 (x, y, z) F
    x, y, z = q[1], q[2], q[3]
    cx = fy * z - fz * y
    cy = fz * x - fx * z
    cz = fx * y - fy * x
    rx = x - 2.0 * fw * cx + 2.0 * (fy * cz - fz * cy)
    ry = y - 2.0 * fw * cy + 2.0 * (fz * cx - fx * cz)
    rz = z - 2.0 * fw * cz + 2.0 * (fx * cy - fy * cx)
    rw = q[0]
    if rw < 0.0:
        rw, rx, ry, rz = -rw, -rx, -ry, -rz
    cosine = sqrt(rw * rw + rx * rx)
    if cosine < 1e-12:  # swing by pi: the twist is undefined, set to zero
        twist_w, twist_x = 1.0, 0.0
    else:
        twist_w, twist_x = rw / cosine, rx / cosine
    # swing = r * twist^-1
    sy = twist_w * ry - twist_x * rz
    sz = twist_w * rz + twist_x * ry
    sine = sqrt(sy * sy + sz * sz)
    scale = 2.0 if sine < SMALL_ANGLE else 2.0 * atan2(sine, cosine) / sine
    out[0] = 2.0 * atan2(twist_x, twist_w)
    out[1] = scale * sy
    out[2] = scale * sz


@kernel
def swing_twist_jacobian(coordinates: Floats, frame: Floats, out: Floats) -> None:
    """out (3, 3) = d(twist, swing_y, swing_z)/dv for the right tangent step v of the joint.

    With R = S T the body angular velocity is w = T^T J_r(s) s' + x t', solved for (t', s_y', s_z').
    """
    right = np.empty((3, 3))
    right_jacobian(0.0, coordinates[1], coordinates[2], right)
    c, s = cos(coordinates[0]), sin(coordinates[0])
    m = np.empty((3, 3))
    m[0, 0], m[1, 0], m[2, 0] = 1.0, 0.0, 0.0
    for k in range(1, 3):
        m[0, k] = right[0, k]
        m[1, k] = c * right[1, k] + s * right[2, k]
        m[2, k] = -s * right[1, k] + c * right[2, k]
    # m = [[1, a, b], [0, p, q], [0, r, t]]
    a, b = m[0, 1], m[0, 2]
    p, q, r, t = m[1, 1], m[1, 2], m[2, 1], m[2, 2]
    determinant = p * t - q * r
    if abs(determinant) < 1e-9:
        determinant = 1e-9 if determinant >= 0.0 else -1e-9
    inverse = np.zeros((3, 3))
    inverse[1, 1], inverse[1, 2] = t / determinant, -q / determinant
    inverse[2, 1], inverse[2, 2] = -r / determinant, p / determinant
    inverse[0, 0] = 1.0
    inverse[0, 1] = -(a * inverse[1, 1] + b * inverse[2, 1])
    inverse[0, 2] = -(a * inverse[1, 2] + b * inverse[2, 2])
    # v is in the joint's frame; in the limit frame it is F^T v
    w, x, y, z = frame[0], frame[1], frame[2], frame[3]
    f00, f01, f02 = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    f10, f11, f12 = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    f20, f21, f22 = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    for i in range(3):
        out[i, 0] = inverse[i, 0] * f00 + inverse[i, 1] * f01 + inverse[i, 2] * f02
        out[i, 1] = inverse[i, 0] * f10 + inverse[i, 1] * f11 + inverse[i, 2] * f12
        out[i, 2] = inverse[i, 0] * f20 + inverse[i, 1] * f21 + inverse[i, 2] * f22


@kernel
def swing_extent(coordinates: Floats, lower: Floats, upper: Floats, gradient: Floats) -> float:
    """sqrt((s_y/a)^2 + (s_z/b)^2), 1 on the limit ellipse; gradient (3) by the coordinates.

    lower, upper (3): bounds of (twist, swing_y, swing_z); lower < 0 < upper for both swings.
    """
    y, z = coordinates[1], coordinates[2]
    a = upper[1] if y >= 0.0 else -lower[1]
    b = upper[2] if z >= 0.0 else -lower[2]
    extent = sqrt((y / a) ** 2 + (z / b) ** 2)
    gradient[0] = 0.0
    if extent < 1e-12:
        gradient[1], gradient[2] = 0.0, 0.0
    else:
        gradient[1], gradient[2] = y / (a * a * extent), z / (b * b * extent)
    return extent
