"""Penetration and pass-through by dense sampling, sharing no code with writhe's `certify`.

A motion is sampled between its frames such that no capsule moves more than SAMPLE_M between
samples, and every pair of capsules is tested in every sample. The definitions are those of
docs/certificate.md; unlike a certificate, sampling proves nothing between samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.research.peers.body import BALL, FAR_AWAY, FREE, PeerBody, PeerPair
from writhe.research.peers.geometry import capsule_ends, closest_between, slerp, world_frames

SAMPLE_M = 0.01
PENETRATING_M = 0.002  # overlap beyond the allowance from which a frame counts
_MAX_SAMPLES = 80  # between two frames
_CHUNK = 256  # samples processed at once


@dataclass(frozen=True)
class Judgement:
    """Counts and depths of one motion; depths are beyond the allowance."""

    frames: int
    penetrating_frames: int
    deepest_m: float
    pass_throughs: int


def judge(body: PeerBody, q: np.ndarray, ball: np.ndarray | None = None) -> Judgement:
    """Test every frame, and densely between frames.

    ball: (frames, 3) position of the moving ball at every frame.
    """
    pairs = [
        pair for pair in body.pairs if pair.allowance < 1.0
    ]  # excluded pairs have a larger allowance
    last = len(body.capsules)
    if ball is not None:
        pairs += [PeerPair(k, last, 0.0, 1.0) for k in range(last)]
    a, b = np.array([pair.a for pair in pairs]), np.array([pair.b for pair in pairs])
    allowance = np.array([pair.allowance for pair in pairs])
    radius = np.array([capsule.radius for capsule in body.capsules] + [body.ball_radius])
    reach, half = radius[a] + radius[b], 0.5 * np.minimum(radius[a], radius[b])
    dense, at_frame, ball_path = _dense(body, q, ball)
    positions, rotations = world_frames(body, dense)
    starts, ends = capsule_ends(body, positions, rotations)
    starts = np.concatenate([starts, ball_path[:, None]], axis=1)
    ends = np.concatenate([ends, ball_path[:, None]], axis=1)
    penetrating = np.zeros(len(q), bool)
    deepest = np.full(len(pairs), -np.inf)
    for first in range(0, len(dense), _CHUNK):
        part = slice(first, first + _CHUNK)
        which = np.flatnonzero(_near(starts[part], ends[part], a, b, reach).any(axis=0))
        i, j = a[which], b[which]
        vectors = closest_between(starts[part, i], ends[part, i], starts[part, j], ends[part, j])
        overlap = reach[which] - np.linalg.norm(vectors, axis=-1)
        deepest[which] = np.maximum(deepest[which], overlap.max(axis=0))
        hit = ((overlap - allowance[which]) > PENETRATING_M).any(axis=1)
        numbers = at_frame[part]
        penetrating[numbers[hit & (numbers >= 0)]] = True
    passed = 0
    for pair in np.flatnonzero(deepest > half):
        i, j = a[pair], b[pair]
        vectors = closest_between(starts[:, i], ends[:, i], starts[:, j], ends[:, j])
        deep = reach[pair] - np.linalg.norm(vectors, axis=-1) > half[pair]
        if j < last:  # the ball does not turn
            turn = rotations[:, body.capsules[j].joint]
            vectors = np.einsum("fji,fj->fi", turn, vectors)
        passed += _count_reversals(vectors, deep)
    depth = float(np.max(deepest - allowance, initial=0.0))
    return Judgement(len(q), int(penetrating.sum()), max(depth, 0.0), passed)


def _count_reversals(normals: np.ndarray, deep: np.ndarray) -> int:
    """Number of deep intervals in which the normal (in b's frame) reverses."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], deep, [False]]).astype(int)))
    count = 0
    for begin, end in edges.reshape(-1, 2):
        # from the last sample before to the first after it, if they exist
        shown = normals[max(begin - 1, 0) : end + 1]
        flipped = (np.einsum("fi,fi->f", shown[1:], shown[:-1]) < 0).any()
        count += bool(flipped or shown[0] @ shown[-1] < 0)
    return count


def _near(
    starts: np.ndarray, ends: np.ndarray, a: np.ndarray, b: np.ndarray, reach: np.ndarray
) -> np.ndarray:
    """(samples, pairs) whether the bounding spheres of two capsules overlap."""
    centres = 0.5 * (starts + ends)
    halves = 0.5 * np.linalg.norm(ends - starts, axis=-1)
    apart = np.linalg.norm(centres[:, a] - centres[:, b], axis=-1)
    return apart < halves[:, a] + halves[:, b] + reach + 0.01


def _dense(
    body: PeerBody, q: np.ndarray, ball: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sampled motion, the frame of each sample (-1 between frames), and the ball."""
    if ball is None:
        ball = np.broadcast_to(FAR_AWAY, (len(q), 3))
    positions, rotations = world_frames(body, q)
    starts, ends = capsule_ends(body, positions, rotations)
    moved = np.maximum(
        np.linalg.norm(np.diff(starts, axis=0), axis=-1).max(axis=1),
        np.linalg.norm(np.diff(ends, axis=0), axis=-1).max(axis=1),
    )
    moved = np.maximum(moved, np.linalg.norm(np.diff(ball, axis=0), axis=-1))
    counts = np.clip(np.ceil(moved / SAMPLE_M).astype(int), 1, _MAX_SAMPLES)
    rows: list[np.ndarray] = [q[:1]]
    numbers: list[np.ndarray] = [np.zeros(1, int)]
    places: list[np.ndarray] = [ball[:1]]
    for frame, count in enumerate(map(int, counts)):
        share = np.arange(1, count + 1) / count
        rows.append(_between(body, q[frame], q[frame + 1], share))
        number = np.full(count, -1)
        number[-1] = frame + 1
        numbers.append(number)
        places.append(ball[frame] + share[:, None] * (ball[frame + 1] - ball[frame]))
    return np.concatenate(rows), np.concatenate(numbers), np.concatenate(places)


def _between(body: PeerBody, a: np.ndarray, b: np.ndarray, share: np.ndarray) -> np.ndarray:
    out = a + share[:, None] * (b - a)
    for joint, where in zip(body.joints, body.q_slices(), strict=True):
        if joint.kind in (FREE, BALL):
            turn = slice(where.stop - 4, where.stop)
            out[:, turn] = slerp(
                np.broadcast_to(a[turn], (len(share), 4)),
                np.broadcast_to(b[turn], (len(share), 4)),
                share,
            )
    return out
