"""Where a database expects all joints of a body, given where some of them are.

Kernel ridge regression (Saunders, Gammerman and Vovk 1998) on a few landmarks (Nystrom): with the
held joints e of a posture as seen from its standpoint (`kernels.own_way`) and Matern's kernel
k(a, b) = (1 + d) exp(-d), d = sqrt(3) |a - b| / width,

    m(e) = mean + sum_l k(e, e_l) w_l,    w = (Z^T C Z + r K)^-1 Z^T C (p - mean),

where p are all joints of the database's postures, Z their kernels with the landmarks e_l, K the
landmarks' with each other, and C weighs a posture by 1 / sqrt(postures of its clip). This is the
mean over all that people do with their hands and feet there, not the way of one neighbour: it
changes smoothly, and depends on nothing that was guessed before but the way the body faces. Far
from all postures it falls back to their mean.

A body's heading is itself a guess, so every posture is learnt under a wrong one: then the
regression turns a body that its feet say faces elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from writhe.arrays import Floats, Ints
from writhe.kernels.posing.landmark_regression import near_landmarks
from writhe.kernels.posing.posture_prior import Everybody, everybody_expects

_SEED = 0


@dataclass(frozen=True, slots=True)
class RegressionOptions:
    """How a regression on held joints is learnt."""

    width_m: float = 1.0  # of the kernel
    ridge: float = 3e-4  # per posture
    landmarks: int = 250
    turned_rad: float = 0.5  # how wrong the headings are that it is learnt under, rms
    postures: int = 3000  # of a larger database so many, evenly picked
    standing_m: float = 0.2  # joints that are usually no higher than this are stood on


class Facing:
    """Which way postures face: across the line from their right joints to their left ones."""

    def __init__(self, positions: Floats) -> None:
        """positions (N, n, 3) of postures whose roots face +Z."""
        sideways = positions[:, :, 0].mean(axis=0)
        self.sideways = np.ascontiguousarray(sideways - sideways.mean())

    def heading(self, points: Floats) -> Floats:
        """(...) turns about the vertical of postures (..., n, 3)."""
        return np.arctan2(-(points[..., 2] @ self.sideways), points[..., 0] @ self.sideways)


def turned(points: Floats, angle: Floats | float) -> Floats:
    """Points (..., n, 3) turned about the vertical by angles (...)."""
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    out = np.empty_like(points)
    out[..., 0] = c * points[..., 0] + s * points[..., 2]
    out[..., 1] = points[..., 1]
    out[..., 2] = c * points[..., 2] - s * points[..., 0]
    return out


class EffectorRegression:
    """The expected place of every joint as a function of where some are."""

    def __init__(
        self,
        positions: Floats,
        joints: Ints,
        options: RegressionOptions,
        clips: Sequence[str] | None = None,
    ) -> None:
        """positions (N, n, 3) of postures that face +Z, from these clips; joints (E) to be held.

        Its `unexplained` says by how much the joints vary still when the held ones are known,
        beside how much they vary at all.
        """
        self._feet = _stood_on(positions, joints, options.standing_m)
        rng = np.random.default_rng(_SEED)
        every = slice(None, None, -(-len(positions) // options.postures))
        few = positions[every]
        root = np.ones(len(few)) if clips is None else _root_shares(clips[every])
        points = few - self._origin(few[:, joints])
        points = turned(points, rng.normal(0.0, options.turned_rad, len(few)))
        inputs = points[:, joints].reshape(len(points), -1)
        outputs = points.reshape(len(points), -1)
        mean = root**2 @ outputs / (root @ root)
        picked = rng.choice(len(points), min(options.landmarks, len(points)), replace=False)
        landmarks = np.ascontiguousarray(inputs[picked])
        z = _near(inputs, landmarks, options.width_m) * root[:, None]
        k = _near(landmarks, landmarks, options.width_m)
        k[np.diag_indices_from(k)] += 1e-6  # landmarks may coincide
        wanted = (outputs - mean) * root[:, None]
        with _threads().limit(limits=1, user_api="blas"):  # it is soon done; they would only wait
            gram = z.T @ z + options.ridge * (root @ root) * k
            weights = np.linalg.solve(gram, z.T @ wanted)
            left = wanted - z @ weights
        self.everybody = Everybody(
            self._feet,
            landmarks,
            np.ascontiguousarray(weights, dtype=np.float64),
            mean,
            options.width_m,
            np.sqrt(_size(left) / np.maximum(_size(wanted), 1e-9)),
        )

    def expected(self, goals: Floats, heading: float) -> Floats:
        """(n, 3) all joints of a body facing `heading` whose held joints are at goals (E, 3)."""
        out = np.empty((len(self.everybody.mean) // 3, 3))
        everybody_expects(self.everybody, np.ascontiguousarray(goals), heading, out)
        return out

    def _origin(self, points: Floats) -> Floats:
        """(..., 1, 3) the middle of held joints (..., E, 3), on the ground that they stand on."""
        out = points.mean(axis=-2, keepdims=True)
        out[..., 0, 1] = points[..., self._feet, 1].min(axis=-1) if len(self._feet) else 0.0
        return out


def _near(inputs: Floats, landmarks: Floats, width_m: float) -> Floats:
    """(N, L) kernels of inputs (N, 3 E) with landmarks (L, 3 E)."""
    out = np.empty((len(inputs), len(landmarks)))
    near_landmarks(inputs, landmarks, width_m, out)
    return out


def _stood_on(positions: Floats, joints: Ints, usual_m: float) -> Ints:
    """Which held joints carry the ground with them: those low in most postures, if there are two.

    So a body on a ladder or a step is seen from its lower foot. One foot alone may be lifted.
    """
    low = np.flatnonzero(np.median(positions[:, joints, 1], axis=0) < usual_m)
    return low if len(low) > 1 else low[:0]


def _size(vectors: Floats) -> Floats:
    """(n,) the sum of squares at each of n joints of vectors (N, 3 n)."""
    return (vectors * vectors).sum(axis=0).reshape(-1, 3).sum(axis=1)


def _root_shares(clips: Sequence[str]) -> Floats:
    """(N,) square roots of what postures weigh: less the more there are of the same clip."""
    _, clip, counts = np.unique(np.array(clips), return_inverse=True, return_counts=True)
    share = 1.0 / np.sqrt(counts[clip])
    return np.sqrt(share / share.mean())


@cache
def _threads() -> ThreadpoolController:
    """The linear algebra's threads; to find them takes longer than a regression."""
    return ThreadpoolController()
