"""Conversion between Euler channels of motion files and configurations.

A joint's rotation is the product of rotations about axes i, j, k in the order of the file: R =
R_i(a) R_j(b) R_k(c).
"""

from __future__ import annotations

from math import atan2, cos, floor, pi, radians, sin, sqrt
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import BALL, FIXED, FREE, HINGE
from writhe.kernels.skeleton.rotation import quaternion_normalise, quaternion_to_matrix

# below this cosine of the middle angle the outer two axes (nearly) coincide
GIMBAL_COSINE = 1e-6


class ChannelMap(NamedTuple):
    """Which channels of a row belong to which joint; -1 for a missing channel."""

    kind: Ints  # (n,)
    q_start: Ints  # (n,)
    position_channel: Ints  # (n, 3) by axis
    rotation_channel: Ints  # (n, 3) in the order of the file
    rotation_axis: Ints  # (n, 3) 0, 1, 2
    position_base: Floats  # (n, 3) channel value, in file units, at which the joint is at rest


@kernel
def channels_to_configurations(
    rows: Floats, channels: ChannelMap, metres_per_unit: float, q: Floats
) -> None:
    """q (frames, nq) of channel rows (frames, c) in degrees and file units."""
    for frame in range(rows.shape[0]):
        for j in range(channels.kind.shape[0]):
            kind = channels.kind[j]
            if kind == FIXED:
                continue
            at = channels.q_start[j]
            if kind == FREE:
                for r in range(3):
                    c = channels.position_channel[j, r]
                    value = 0.0
                    if c >= 0:
                        value = (rows[frame, c] - channels.position_base[j, r]) * metres_per_unit
                    q[frame, at + r] = value
                at += 3
            if kind == HINGE:
                q[frame, at] = radians(rows[frame, channels.rotation_channel[j, 0]])
                continue
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            for r in range(3):
                c = channels.rotation_channel[j, r]
                if c < 0:
                    continue
                half = 0.5 * radians(rows[frame, c])
                co, si = cos(half), sin(half)
                axis = channels.rotation_axis[j, r]
                if axis == 0:
                    w, x, y, z = w * co - x * si, x * co + w * si, y * co + z * si, z * co - y * si
                elif axis == 1:
                    w, x, y, z = w * co - y * si, x * co - z * si, y * co + w * si, z * co + x * si
                else:
                    w, x, y, z = w * co - z * si, x * co + y * si, y * co - x * si, z * co + w * si
            q[frame, at], q[frame, at + 1], q[frame, at + 2], q[frame, at + 3] = w, x, y, z


@kernel
def align_hemispheres(kind: Ints, q_start: Ints, q: Floats) -> None:
    """Flip quaternions of q (frames, nq) so that each is the nearer of +-q to the previous."""
    for frame in range(q.shape[0]):
        for j in range(kind.shape[0]):
            if kind[j] < BALL:
                continue
            at = q_start[j] + (3 if kind[j] == FREE else 0)
            quaternion_normalise(q[frame, at : at + 4])
            dot = 1.0
            if frame:
                dot = 0.0
                for r in range(4):
                    dot += q[frame, at + r] * q[frame - 1, at + r]
            if dot < 0.0:
                for r in range(4):
                    q[frame, at + r] = -q[frame, at + r]


@kernel
def _nearest_turn(angle: float, target: float) -> float:
    """angle + 2 pi k, the nearest to target."""
    return angle + 2.0 * pi * floor((target - angle) / (2.0 * pi) + 0.5)


@kernel
def quaternions_to_euler(
    quaternions: Floats, axes: Ints, matrix: Floats, previous: Floats, angles: Floats
) -> None:
    """angles (frames, n, 3) in radians of quaternions (frames, n, 4), continuous over time.

    axes (n, 3) are the rotation axes of each joint, all different. Of the two solutions (a, b, c)
    and (a + pi, pi - b, c + pi), and all their multiples of 2 pi, the one nearest to the previous
    frame is taken; `previous` (n, 3) holds that frame before and after the call, `matrix` (3, 3) is
    workspace. In gimbal lock the first angle is kept.
    """
    for frame in range(quaternions.shape[0]):
        for joint in range(quaternions.shape[1]):
            i, j, k = axes[joint, 0], axes[joint, 1], axes[joint, 2]
            sign = 1.0 if (j - i) % 3 == 1 else -1.0
            quaternion_to_matrix(quaternions[frame, joint], matrix)
            before_a = previous[joint, 0]
            before_b, before_c = previous[joint, 1], previous[joint, 2]
            cosine = sqrt(matrix[j, k] * matrix[j, k] + matrix[k, k] * matrix[k, k])
            a = before_a
            if cosine > GIMBAL_COSINE:
                a = atan2(-sign * matrix[j, k], matrix[k, k])
            # without the first rotation: R_j(b) R_k(c)
            co, si = cos(a), sign * sin(a)
            ji = co * matrix[j, i] + si * matrix[k, i]
            jj = co * matrix[j, j] + si * matrix[k, j]
            kk = -si * matrix[j, k] + co * matrix[k, k]
            b = atan2(sign * matrix[i, k], kk)
            c = atan2(sign * ji, jj)
            a1, b1 = _nearest_turn(a, before_a), _nearest_turn(b, before_b)
            c1 = _nearest_turn(c, before_c)
            a2, b2 = _nearest_turn(a + pi, before_a), _nearest_turn(pi - b, before_b)
            c2 = _nearest_turn(c + pi, before_c)
            first = (a1 - before_a) ** 2 + (b1 - before_b) ** 2 + (c1 - before_c) ** 2
            other = (a2 - before_a) ** 2 + (b2 - before_b) ** 2 + (c2 - before_c) ** 2
            if other < first:
                a1, b1, c1 = a2, b2, c2
            angles[frame, joint, 0], angles[frame, joint, 1] = a1, b1
            angles[frame, joint, 2] = c1
            previous[joint, 0], previous[joint, 1], previous[joint, 2] = a1, b1, c1


@kernel
def channel_quaternions(order: Ints, angles: Floats, out: Floats) -> None:
    """out (rows, n, 4): the rotations of Euler angles (rows, n, 3) in radians.

    order (n, 3): axes 0, 1, 2, outermost first; -1 for joints without channels (the identity).
    """
    for row in range(angles.shape[0]):
        for j in range(angles.shape[1]):
            out[row, j, 0] = 1.0
            for c in range(1, 4):
                out[row, j, c] = 0.0
            if order[j, 0] < 0:
                continue
            for slot in range(3):
                axis = order[j, slot]
                first, second = 1 + (axis + 1) % 3, 1 + (axis + 2) % 3
                half = 0.5 * angles[row, j, slot]
                c, s = cos(half), sin(half)
                w, x = out[row, j, 0], out[row, j, 1 + axis]
                y, z = out[row, j, first], out[row, j, second]
                out[row, j, 0], out[row, j, 1 + axis] = w * c - x * s, x * c + w * s
                out[row, j, first], out[row, j, second] = y * c + z * s, z * c - y * s
