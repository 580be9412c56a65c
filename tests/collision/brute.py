"""Dense sampling in NumPy and SciPy: the reference for `certify`.

Shares no code with the kernels: kinematics by SciPy's rotations, segment distances as the minimum
over the edges and the inner critical point of the unit square.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from writhe.collision import CollisionTable
from writhe.skeleton import JointKind, Skeleton


def _wxyz(quaternion: np.ndarray) -> Rotation:
    return Rotation.from_quat(np.roll(quaternion, -1, axis=-1))


def frames_between(
    skeleton: Skeleton,
    q0: np.ndarray,
    q1: np.ndarray,
    t: np.ndarray,
    euler: tuple[list[str], np.ndarray, np.ndarray] | None = None,
    unwrap: bool = True,
) -> dict[str, tuple[np.ndarray, Rotation]]:
    """World position (t, 3) and rotation of every joint at the fractions t of the step.

    euler: SciPy axis names per joint (outermost first, "" for slerp) and the angles at both ends,
    interpolated by the shorter way round or, without `unwrap`, as they are.
    """
    out: dict[str, tuple[np.ndarray, Rotation]] = {}
    for j, joint in enumerate(skeleton.joints):
        a, b = q0[skeleton.q_slice(joint.name)], q1[skeleton.q_slice(joint.name)]
        shift, turn = np.zeros((len(t), 3)), Rotation.identity(len(t))
        if joint.kind in (JointKind.FREE, JointKind.BALL):
            if joint.kind is JointKind.FREE:
                shift = a[:3] + np.outer(t, b[:3] - a[:3])
            first, last = _wxyz(a[-4:]), _wxyz(b[-4:])
            step = (first.inv() * last).as_rotvec()
            turn = first * Rotation.from_rotvec(np.outer(t, step))
        elif joint.kind is JointKind.HINGE:
            turn = Rotation.from_rotvec(np.outer(a[0] + t * (b[0] - a[0]), joint.axis))
        elif joint.kind is JointKind.PRISMATIC:
            shift = np.outer(a[0] + t * (b[0] - a[0]), joint.axis)
        if euler is not None and euler[0][j]:
            change = euler[2][j] - euler[1][j]
            if unwrap:
                change = (change + np.pi) % (2 * np.pi) - np.pi
            turn = Rotation.from_euler(euler[0][j].upper(), euler[1][j] + np.outer(t, change))
        rest = _wxyz(joint.rest)
        position, rotation = joint.offset_in_parent + rest.apply(shift), rest * turn
        if joint.parent is not None:
            parent_position, parent_rotation = out[joint.parent]
            position = parent_position + parent_rotation.apply(position)
            rotation = parent_rotation * rotation
        out[joint.name] = position, rotation
    return out


def _point_segment(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    u = b - a
    length2 = np.maximum((u * u).sum(-1), 1e-300)
    s = np.clip(((p - a) * u).sum(-1) / length2, 0, 1)
    return np.linalg.norm(p - a - s[..., None] * u, axis=-1)


def segment_distance(a0, a1, b0, b1) -> np.ndarray:
    """Distances of segments, vectorised: the best of four ends and the inner critical point."""
    best = np.minimum.reduce(
        [
            _point_segment(a0, b0, b1),
            _point_segment(a1, b0, b1),
            _point_segment(b0, a0, a1),
            _point_segment(b1, a0, a1),
        ]
    )
    u, v, w = a1 - a0, b1 - b0, a0 - b0
    n = np.cross(u, v)
    n2 = (n * n).sum(-1)
    safe = np.where(n2 > 1e-16, n2, 1.0)
    s = (np.cross(v, w) * n).sum(-1) / safe
    t = (np.cross(u, w) * n).sum(-1) / safe
    inside = (n2 > 1e-16) & (s > 0) & (s < 1) & (t > 0) & (t < 1)
    across = np.abs((w * n).sum(-1)) / np.sqrt(safe)
    return np.where(inside, across, best)


def gaps_between(
    table: CollisionTable, q0, q1, t: np.ndarray, euler=None, unwrap: bool = True
) -> np.ndarray:
    """Gaps (shape pairs, t) of a table of capsules at fractions t of the step."""
    frames = frames_between(table.skeleton, np.asarray(q0), np.asarray(q1), t, euler, unwrap)
    ends = []
    for shape in table.source:
        position, rotation = frames[shape.joint]
        ends.append([position + rotation.apply(p) for p in shape.points_in_joint])
    return np.array(
        [
            segment_distance(*ends[a], *ends[b])
            - table.source[a].radius_m
            - table.source[b].radius_m
            for _, a, b in table.shape_pairs
        ]
    )


def clearance(table: CollisionTable, q: np.ndarray, samples: int = 400) -> float:
    """The smallest g + allowance over a densely sampled motion."""
    t = np.linspace(0, 1, samples)
    return min(
        float((gaps_between(table, a, b, t) + table.pairs.allowance[:, None]).min())
        for a, b in pairwise(q)
    )
