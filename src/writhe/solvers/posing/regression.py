"""Global regression: positions of all joints of a body from the positions of some.

Kernel ridge regression (Saunders, Gammerman and Vovk 1998) on a few landmarks (Nystrom): with the
held joints e of a posture in its local frame (`kernels.posing.posture_prior`) and Matern's kernel
k(a, b) = (1 + d) exp(-d), d = sqrt(3) |a - b| / width,

    m(e) = mean + sum_l k(e, e_l) w_l,    w = (Z^T C Z + r K)^-1 Z^T C (p - mean),

where p are all joints of the database's postures, Z their kernels with the landmarks e_l, K the
landmarks' with each other, and C weighs a posture by 1 / sqrt(postures of its clip). The prediction
is a smooth function of the held joints; it depends on earlier predictions through the heading only.
Far from all postures it tends to their mean.

The heading at run time is an estimate, so each training posture is rotated by a random heading
error: the regression then learns to correct the heading of a body whose feet contradict it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.posing.landmark_regression import kernel_matrix
from writhe.kernels.posing.posture_prior import GlobalRegression, predict_from_regression
from writhe.solvers.blas_threads import one_blas_thread

_SEED = 0


@dataclass(frozen=True, slots=True)
class RegressionOptions:
    """Training options of a regression on held joints."""

    width_m: float = 1.0  # of the kernel
    ridge: float = 3e-4  # per posture
    landmarks: int = 250
    heading_noise_rad: float = 0.5  # standard deviation of the heading error in training
    postures: int = 3000  # training postures at most, picked evenly
    foot_height_m: float = 0.2  # held joints with a lower median height count as feet


class Facing:
    """Headings of postures: perpendicular to the line from their right to their left joints."""

    def __init__(self, positions: Floats) -> None:
        """positions (N, n, 3) of postures whose roots face +Z."""
        sideways = positions[:, :, 0].mean(axis=0)
        self.sideways = np.ascontiguousarray(sideways - sideways.mean())

    def heading(self, points: Floats) -> Floats:
        """(...) headings, angles about the vertical, of postures (..., n, 3)."""
        return np.arctan2(-(points[..., 2] @ self.sideways), points[..., 0] @ self.sideways)


def rotate_about_vertical(points: Floats, angle: Floats | float) -> Floats:
    """Points (..., n, 3) rotated about the vertical by angles (...)."""
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    out = np.empty_like(points)
    out[..., 0] = c * points[..., 0] + s * points[..., 2]
    out[..., 1] = points[..., 1]
    out[..., 2] = c * points[..., 2] - s * points[..., 0]
    return out


class EffectorRegression:
    """Predicts the positions of all joints from those of the held ones."""

    def __init__(
        self,
        positions: Floats,
        joints: Ints,
        options: RegressionOptions,
        clips: Sequence[str] | None = None,
    ) -> None:
        """Train on positions (N, n, 3) of postures that face +Z, for held joints (E).

        `model.unexplained` (n,) is the fraction of each joint's standard deviation that remains
        when the held joints are known.
        """
        self._feet = _feet(positions, joints, options.foot_height_m)
        rng = np.random.default_rng(_SEED)
        every = slice(None, None, -(-len(positions) // options.postures))
        sample = positions[every]
        root = np.ones(len(sample)) if clips is None else _root_shares(clips[every])
        points = sample - self._origin(sample[:, joints])
        points = rotate_about_vertical(
            points, rng.normal(0.0, options.heading_noise_rad, len(sample))
        )
        inputs = points[:, joints].reshape(len(points), -1)
        outputs = points.reshape(len(points), -1)
        mean = root**2 @ outputs / (root @ root)
        picked = rng.choice(len(points), min(options.landmarks, len(points)), replace=False)
        landmarks = np.ascontiguousarray(inputs[picked])
        z = _kernel_matrix(inputs, landmarks, options.width_m) * root[:, None]
        k = _kernel_matrix(landmarks, landmarks, options.width_m)
        k[np.diag_indices_from(k)] += 1e-6  # landmarks may coincide
        centred = (outputs - mean) * root[:, None]
        with one_blas_thread():  # too small to benefit from threads
            gram = z.T @ z + options.ridge * (root @ root) * k
            weights = np.linalg.solve(gram, z.T @ centred)
            residual = centred - z @ weights
        self.model = GlobalRegression(
            self._feet,
            landmarks,
            np.ascontiguousarray(weights, dtype=np.float64),
            mean,
            options.width_m,
            np.sqrt(_joint_variance(residual) / np.maximum(_joint_variance(centred), 1e-9)),
        )

    def expected(self, goals: Floats, heading: float) -> Floats:
        """(n, 3) predicted joints for a heading and held joints at goals (E, 3)."""
        out = np.empty((len(self.model.mean) // 3, 3))
        predict_from_regression(self.model, np.ascontiguousarray(goals), heading, out)
        return out

    def _origin(self, points: Floats) -> Floats:
        """(..., 1, 3) the mean of held joints (..., E, 3), at the height of the lowest foot."""
        out = points.mean(axis=-2, keepdims=True)
        out[..., 0, 1] = points[..., self._feet, 1].min(axis=-1) if len(self._feet) else 0.0
        return out


def _kernel_matrix(inputs: Floats, landmarks: Floats, width_m: float) -> Floats:
    """(N, L) kernels of inputs (N, 3 E) with landmarks (L, 3 E)."""
    out = np.empty((len(inputs), len(landmarks)))
    kernel_matrix(inputs, landmarks, width_m, out)
    return out


def _feet(positions: Floats, joints: Ints, height_m: float) -> Ints:
    """Indices of the held joints that are low in most postures, if there are two or more.

    The lower one defines the ground height, so that a body on a ladder or a step is described
    relative to it. A single foot may be lifted and is not used.
    """
    low = np.flatnonzero(np.median(positions[:, joints, 1], axis=0) < height_m)
    return low if len(low) > 1 else low[:0]


def _joint_variance(vectors: Floats) -> Floats:
    """(n,) the sum of squares over N rows of vectors (N, 3 n), by joint."""
    return (vectors * vectors).sum(axis=0).reshape(-1, 3).sum(axis=1)


def _root_shares(clips: Sequence[str]) -> Floats:
    """(N,) square roots of the postures' weights, 1 / sqrt(postures of the same clip)."""
    _, clip, counts = np.unique(np.array(clips), return_inverse=True, return_counts=True)
    share = 1.0 / np.sqrt(counts[clip])
    return np.sqrt(share / share.mean())
