"""Kinematics and capsule distances in plain NumPy, independent of writhe's kernels."""

from __future__ import annotations

import numpy as np

from writhe.research.peers.body import PeerBody


def world_frames(body: PeerBody, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (frames, joints, 3) and rotations (frames, joints, 3, 3) of (frames, n)."""
    local = _matrices(body.local_rotations(q))
    positions = np.empty((len(q), len(body.joints), 3))
    rotations = np.empty((len(q), len(body.joints), 3, 3))
    for j, joint in enumerate(body.joints):
        if joint.parent < 0:
            positions[:, j] = np.array(joint.offset) + q[:, :3]
            rotations[:, j] = local[:, j]
        else:
            up = rotations[:, joint.parent]
            positions[:, j] = positions[:, joint.parent] + up @ np.array(joint.offset)
            rotations[:, j] = up @ local[:, j]
    return positions, rotations


def capsule_ends(
    body: PeerBody, positions: np.ndarray, rotations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(frames, capsules, 3) twice: both ends of every capsule in the world."""
    joints = [capsule.joint for capsule in body.capsules]
    frames = rotations[:, joints]
    start = np.array([capsule.start for capsule in body.capsules])
    end = np.array([capsule.end for capsule in body.capsules])
    at = positions[:, joints]
    return (
        at + np.einsum("fcij,cj->fci", frames, start),
        at + np.einsum("fcij,cj->fci", frames, end),
    )


def closest_points(
    a0: np.ndarray, a1: np.ndarray, b0: np.ndarray, b1: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(..., 3) twice: the points of segments a and b that are nearest to each other.

    The shortest segment between them either joins interior points (if the unconstrained minimum
    lies inside both) or starts at one of the four ends: the best of five candidates.
    """
    u, v, w = a1 - a0, b1 - b0, a0 - b0
    uu, uv, vv = _dot(u, u), _dot(u, v), _dot(v, v)
    uw, vw = _dot(u, w), _dot(v, w)
    determinant = uu * vv - uv * uv
    skew = determinant > 1e-12 * uu * vv + 1e-18
    safe = np.where(skew, determinant, 1.0)
    s, t = (uv * vw - vv * uw) / safe, (uu * vw - uv * uw) / safe
    inside = skew & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    zero = np.zeros_like(s)
    candidates = (
        (zero, _share(a0, b0, v, vv)),
        (zero + 1.0, _share(a1, b0, v, vv)),
        (_share(b0, a0, u, uu), zero),
        (_share(b1, a0, u, uu), zero + 1.0),
    )
    s, t = np.where(inside, s, 0.0), np.where(inside, t, 0.0)
    shortest = np.where(inside, _apart(w, u, v, s, t), np.inf)
    for si, ti in candidates:
        length = _apart(w, u, v, si, ti)
        nearer = length < shortest
        shortest = np.where(nearer, length, shortest)
        s, t = np.where(nearer, si, s), np.where(nearer, ti, t)
    return a0 + s[..., None] * u, b0 + t[..., None] * v


def closest_between(a0: np.ndarray, a1: np.ndarray, b0: np.ndarray, b1: np.ndarray) -> np.ndarray:
    """(..., 3) the shortest vector from segment a to segment b."""
    p, r = closest_points(a0, a1, b0, b1)
    return r - p


def slerp(a: np.ndarray, b: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Slerp between quaternions a and b (..., 4) along the shorter arc."""
    cosine = _dot(a, b)
    b = np.where(cosine[..., None] < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    flat = sine < 1e-6
    wa = np.where(flat, 1.0 - share, np.sin((1.0 - share) * angle) / np.where(flat, 1.0, sine))
    wb = np.where(flat, share, np.sin(share * angle) / np.where(flat, 1.0, sine))
    out = wa[..., None] * a + wb[..., None] * b
    return out / np.linalg.norm(out, axis=-1, keepdims=True)


def _share(p: np.ndarray, start: np.ndarray, along: np.ndarray, square: np.ndarray) -> np.ndarray:
    """Parameter in 0..1 of the point of a segment nearest to p."""
    return np.clip(_dot(p - start, along) / np.where(square > 0, square, 1.0), 0.0, 1.0)


def _apart(w: np.ndarray, u: np.ndarray, v: np.ndarray, s: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The squared distance of the points at s and t."""
    between = w + s[..., None] * u - t[..., None] * v
    return _dot(between, between)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=-1)


def _matrices(w: np.ndarray) -> np.ndarray:
    r, x, y, z = np.moveaxis(w, -1, 0)
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - r * z), 2 * (x * z + r * y)], -1),
            np.stack([2 * (x * y + r * z), 1 - 2 * (x * x + z * z), 2 * (y * z - r * x)], -1),
            np.stack([2 * (x * z - r * y), 2 * (y * z + r * x), 1 - 2 * (x * x + y * y)], -1),
        ],
        axis=-2,
    )
