"""Fits capsules to points on a surface by damped Gauss-Newton steps."""

from __future__ import annotations

from math import sqrt

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.linear import solve_positive

SIZE = 7  # a capsule: start (3), end (3), radius


@kernel
def point_depths(points: Floats, capsules: Floats, depth: Floats) -> None:
    """depth (p,) of points (p, 3) in a union of capsules (k, 7); negative outside."""
    for i in range(points.shape[0]):
        best = -1e3
        for c in range(capsules.shape[0]):
            best = max(best, _depth(points[i], capsules[c])[0])
        depth[i] = best


@kernel
def _depth(point: Floats, capsule: Floats) -> tuple[float, float, float, float, float]:
    """Depth of a point in a capsule, the parameter of the nearest axis point, the normal there."""
    dx, dy, dz = capsule[3] - capsule[0], capsule[4] - capsule[1], capsule[5] - capsule[2]
    x, y, z = point[0] - capsule[0], point[1] - capsule[1], point[2] - capsule[2]
    t = (x * dx + y * dy + z * dz) / (dx * dx + dy * dy + dz * dz + 1e-12)
    t = min(max(t, 0.0), 1.0)
    x, y, z = x - t * dx, y - t * dy, z - t * dz
    distance = sqrt(x * x + y * y + z * z) + 1e-9
    return capsule[6] - distance, t, x / distance, y / distance, z / distance


@kernel
def _equations(
    points: Floats,
    bounds: Floats,
    capsules: Floats,
    hessian: Floats,
    gradient: Floats,
) -> float:
    """The loss of `fit_to_points`, its gradient (k, 7) and the Gauss-Newton Hessian (k, 7, 7).

    A point depends on its deepest capsule only, so that the Hessian has a block per capsule.
    """
    hessian[:] = 0.0
    gradient[:] = 0.0
    slope = np.empty(SIZE)
    loss = 0.0
    for i in range(points.shape[0]):
        deepest, best = 0, -1e9
        for c in range(capsules.shape[0]):
            depth = _depth(points[i], capsules[c])[0]
            if depth > best:
                deepest, best = c, depth
        gap, t, nx, ny, nz = _depth(points[i], capsules[deepest])
        slope[0], slope[1], slope[2] = (1.0 - t) * nx, (1.0 - t) * ny, (1.0 - t) * nz
        slope[3], slope[4], slope[5], slope[6] = t * nx, t * ny, t * nz, 1.0
        missing, extra = max(0.0, bounds[i, 0] - gap), max(0.0, gap - bounds[i, 2])
        loss += 0.5 * (bounds[i, 1] * missing * missing + bounds[i, 3] * extra * extra)
        force = bounds[i, 3] * extra - bounds[i, 1] * missing
        stiffness = 0.0
        if missing > 0.0:
            stiffness += bounds[i, 1]
        if extra > 0.0:
            stiffness += bounds[i, 3]
        if stiffness == 0.0:
            continue
        for a in range(SIZE):
            gradient[deepest, a] += force * slope[a]
            for b in range(a + 1):
                hessian[deepest, a, b] += stiffness * slope[a] * slope[b]
    return loss


@kernel
def fit_to_points(
    points: Floats,
    bounds: Floats,
    capsules: Floats,
    min_radius_m: float,
    max_radius_m: float,
    iterations: int,
) -> float:
    """Fit capsules (k, 7), in place, to points (p, 3); returns the loss.

    Minimises sum_i (a_i max(0, l_i - g_i)^2 + b_i max(0, g_i - u_i)^2) / 2, g_i the depth of point
    i in the union of the capsules and bounds (p, 4) its l, a, u, b (Levenberg 1944, Marquardt
    1963).
    """
    count = capsules.shape[0]
    hessian, gradient = np.empty((count, SIZE, SIZE)), np.empty((count, SIZE))
    trial, block, step = np.empty_like(capsules), np.empty((SIZE, SIZE)), np.empty(SIZE)
    trial_hessian, trial_gradient = np.empty_like(hessian), np.empty_like(gradient)
    damping = 1e-2
    loss = _equations(points, bounds, capsules, hessian, gradient)
    for _ in range(iterations):
        improved, after = False, loss
        for _ in range(6):
            for c in range(count):
                mean = 1e-12
                for a in range(SIZE):
                    mean += hessian[c, a, a] / SIZE
                block[:] = hessian[c]
                for a in range(SIZE):
                    block[a, a] += damping * mean
                    step[a] = -gradient[c, a]
                trial[c] = capsules[c]
                if solve_positive(block, SIZE, step):
                    for a in range(SIZE):
                        trial[c, a] += step[a]
                trial[c, 6] = min(max(trial[c, 6], min_radius_m), max_radius_m)
            after = _equations(points, bounds, trial, trial_hessian, trial_gradient)
            if after < loss:
                improved = True
                break
            damping *= 5.0
        if not improved:
            break
        done = loss - after < 1e-4 * loss
        capsules[:] = trial
        hessian[:] = trial_hessian
        gradient[:] = trial_gradient
        loss, damping = after, max(1e-6, 0.3 * damping)
        if done:
            break
    return loss
