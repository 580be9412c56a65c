"""Where a database expects all joints of a body, given where some of them are.

Kernel ridge regression (Saunders, Gammerman and Vovk 1998) on a few landmarks (Nystrom): with the
held joints e of a posture, about their middle on the ground and turned into the frame that the body
faces, and k(a, b) = exp(-|a - b|^2 / 2 width^2),

    m(e) = mean + sum_l k(e, e_l) w_l,    w = (Z^T Z + r K)^-1 Z^T (p - mean),

where p are all joints of the database's postures, Z their kernels with the landmarks e_l, and K
the landmarks' with each other. This is the mean over all that people do with their hands and feet
there, not the way of one neighbour: it changes smoothly, and depends on nothing that was guessed
before but the way the body faces. Far from all postures it falls back to their mean.

A body's heading is itself a guess, so every posture is learnt from under several wrong ones: then
the regression turns a body that its feet say faces elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from writhe.arrays import Floats, Ints

_SEED = 0


@dataclass(frozen=True, slots=True)
class RegressionOptions:
    """How a regression on held joints is learnt."""

    width_m: float = 0.8  # of the kernel
    ridge: float = 3e-4  # per posture
    landmarks: int = 120
    turns: int = 2  # wrong headings that each posture is learnt under
    turned_rad: float = 0.7  # how wrong, root mean square
    postures: int = 2000  # of a larger database so many, evenly picked


class Facing:
    """Which way postures face: across the line from their right joints to their left ones."""

    def __init__(self, positions: Floats) -> None:
        """positions (N, n, 3) of postures whose roots face +Z."""
        sideways = positions[:, :, 0].mean(axis=0)
        self._sideways = sideways - sideways.mean()

    def heading(self, points: Floats) -> Floats:
        """(...) turns about the vertical of postures (..., n, 3)."""
        return np.arctan2(-(points[..., 2] @ self._sideways), points[..., 0] @ self._sideways)


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

    def __init__(self, positions: Floats, joints: Ints, options: RegressionOptions) -> None:
        """positions (N, n, 3) of postures that face +Z, joints (E) that will be held."""
        self._joints, self._width = joints, options.width_m
        rng = np.random.default_rng(_SEED)
        few = positions[:: -(-len(positions) // options.postures)]
        few = few - _middle(few[:, joints])
        many = np.repeat(few, options.turns, axis=0)
        points = turned(many, rng.normal(0.0, options.turned_rad, len(many)))
        inputs = points[:, joints].reshape(len(points), -1)
        outputs = points.reshape(len(points), -1)
        self._mean = outputs.mean(axis=0)
        picked = rng.choice(len(points), min(options.landmarks, len(points)), replace=False)
        self._landmarks = inputs[picked]
        z, k = self._kernels(inputs), self._kernels(self._landmarks)
        k[np.diag_indices_from(k)] += 1e-6  # landmarks may coincide
        with _threads().limit(limits=1, user_api="blas"):  # it is soon done; they would only wait
            gram = z.T @ z + options.ridge * len(z) * k
            self._weights = np.linalg.solve(gram, z.T @ (outputs - self._mean))

    def expected(self, goals: Floats, heading: float) -> Floats:
        """(n, 3) all joints of a body facing `heading` whose held joints are at goals (E, 3)."""
        middle = _middle(goals)
        inputs = turned(goals - middle, -heading).reshape(1, -1)
        found = self._mean + self._kernels(inputs)[0] @ self._weights
        return turned(found.reshape(-1, 3), heading) + middle

    def _kernels(self, inputs: Floats) -> Floats:
        """(N, L) of inputs (N, 3 E) with the landmarks."""
        own, other = (inputs * inputs).sum(axis=1), (self._landmarks**2).sum(axis=1)
        square = own[:, None] + other - 2.0 * inputs @ self._landmarks.T
        return np.exp(square / (-2.0 * self._width**2))


@cache
def _threads() -> ThreadpoolController:
    """The linear algebra's threads; to find them takes longer than a regression."""
    return ThreadpoolController()


def _middle(points: Floats) -> Floats:
    """(..., 1, 3) the middle of points (..., E, 3) on the ground; the height stays."""
    return points.mean(axis=-2, keepdims=True) * np.array([1.0, 0.0, 1.0])
