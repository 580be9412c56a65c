"""Topology coordinates of a writhe matrix T (m, n): writhe, centre, density; and their inverse.

Ho and Komura (2009), Character motion synthesis by topology coordinates, section 2.2, with two
changes: entries are weighted by |T|, since a centre of values of both signs may lie anywhere, and
cells are at x_i = (2 i + 1 - m) / m in (-1, 1), so that halving segments changes nothing.

    w = sum T,   p = |T| / sum |T|,   c = sum p (x, y),   S = sum p (x - c_x, y - c_y)^2
    d = pi / 4 - phi,   phi = 1/2 atan2(2 S_xy, S_xx - S_yy)   (the principal axis, from x)

The density d is 0 along the diagonal, pi/4 where the first strand winds around a straight second
one, -pi/4 where the second winds around a straight first one; it is defined modulo pi.

**Near zero** (sum |T| below `ZERO_SUM`) the centre is (0, 0) and the density 0. An isotropic
distribution of entries also has density 0. Derivatives are zero in both cases.
"""

from __future__ import annotations

from math import atan2, cos, exp, pi, sin, sqrt

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.jit import kernel

ZERO_SUM = 1e-12
ISOTROPIC = 1e-10
_NEWTON, _BISECTIONS, _SCAN = 60, 60, 24


@kernel
def matrix_coordinates(matrix: Floats, out: Floats) -> float:
    """out (4) = w, c_x, c_y, d of a writhe matrix (m, n).

    Returns the anisotropy sqrt((S_xx - S_yy)^2 + 4 S_xy^2), 0 where the density is undefined.
    """
    m, n = matrix.shape
    total, size, sum_x, sum_y = 0.0, 0.0, 0.0, 0.0
    for i in range(m):
        x = (2.0 * i + 1.0 - m) / m
        for j in range(n):
            value = matrix[i, j]
            weight = abs(value)
            total += value
            size += weight
            sum_x += weight * x
            sum_y += weight * (2.0 * j + 1.0 - n) / n
    out[0], out[1], out[2], out[3] = total, 0.0, 0.0, 0.0
    if size < ZERO_SUM:
        return 0.0
    cx, cy = sum_x / size, sum_y / size
    xx, xy, yy = 0.0, 0.0, 0.0
    for i in range(m):
        x = (2.0 * i + 1.0 - m) / m - cx
        for j in range(n):
            y = (2.0 * j + 1.0 - n) / n - cy
            weight = abs(matrix[i, j]) / size
            xx += weight * x * x
            xy += weight * x * y
            yy += weight * y * y
    out[1], out[2] = cx, cy
    anisotropy = sqrt((xx - yy) * (xx - yy) + 4.0 * xy * xy)
    if anisotropy < ISOTROPIC:
        return 0.0
    density = 0.25 * pi - 0.5 * atan2(2.0 * xy, xx - yy)
    out[3] = density - pi if density > 0.5 * pi else density
    return anisotropy


@kernel
def coordinate_gradients(matrix: Floats, out: Floats, gradients: Floats) -> float:
    """out (4) as `matrix_coordinates`, and gradients (4, m, n) = d out / d matrix."""
    m, n = matrix.shape
    anisotropy = matrix_coordinates(matrix, out)
    gradients[0] = 1.0
    gradients[1:] = 0.0
    size, xx, xy, yy = 0.0, 0.0, 0.0, 0.0
    cx, cy = out[1], out[2]
    for i in range(m):
        x = (2.0 * i + 1.0 - m) / m - cx
        for j in range(n):
            y = (2.0 * j + 1.0 - n) / n - cy
            weight = abs(matrix[i, j])
            size += weight
            xx += weight * x * x
            xy += weight * x * y
            yy += weight * y * y
    if size < ZERO_SUM:
        return 0.0
    xx, xy, yy = xx / size, xy / size, yy / size
    across, along = xx - yy, 2.0 * xy
    scale = 0.0 if anisotropy == 0.0 else 0.5 / (anisotropy * anisotropy)
    for i in range(m):
        x = (2.0 * i + 1.0 - m) / m - cx
        for j in range(n):
            y = (2.0 * j + 1.0 - n) / n - cy
            sign = 0.0 if matrix[i, j] == 0.0 else (1.0 if matrix[i, j] > 0.0 else -1.0) / size
            gradients[1, i, j] = sign * x
            gradients[2, i, j] = sign * y
            change_across = x * x - y * y - across
            change_along = 2.0 * x * y - along
            gradients[3, i, j] = -sign * scale * (across * change_along - along * change_across)
    return anisotropy


@kernel
def _tilted_ridge(
    alpha: float, length: float, width: float, a: float, b: float, cx: float, cy: float, out: Floats
) -> None:
    """out (m, n), of sum 1: a ridge along the angle alpha, tilted by a (x - cx) + b (y - cy)."""
    m, n = out.shape
    c, s = cos(alpha), sin(alpha)
    high = -1e300
    for i in range(m):
        x = (2.0 * i + 1.0 - m) / m - cx
        for j in range(n):
            y = (2.0 * j + 1.0 - n) / n - cy
            along, across = (c * x + s * y) / length, (c * y - s * x) / width
            out[i, j] = a * x + b * y - 0.5 * (along * along + across * across)
            high = max(high, out[i, j])
    total = 0.0
    for i in range(m):
        for j in range(n):
            out[i, j] = exp(out[i, j] - high)
            total += out[i, j]
    for i in range(m):
        for j in range(n):
            out[i, j] /= total


@kernel
def _centred_ridge(
    alpha: float, length: float, width: float, cx: float, cy: float, tilt: Floats, out: Floats
) -> bool:
    """out (m, n): a ridge along alpha with centre (cx, cy), by Newton's method on its tilt (2).

    The tilt minimises log sum exp, which is convex. False if Newton's method does not converge.
    """
    m, n = out.shape
    gx, gy = 1.0, 1.0
    for _ in range(_NEWTON):
        _tilted_ridge(alpha, length, width, tilt[0], tilt[1], cx, cy, out)
        gx, gy, xx, xy, yy = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(m):
            x = (2.0 * i + 1.0 - m) / m - cx
            for j in range(n):
                y = (2.0 * j + 1.0 - n) / n - cy
                gx += out[i, j] * x
                gy += out[i, j] * y
                xx += out[i, j] * x * x
                xy += out[i, j] * x * y
                yy += out[i, j] * y * y
        if gx * gx + gy * gy < 1e-26:
            return True
        xx, xy, yy = xx - gx * gx + 1e-14, xy - gx * gy, yy - gy * gy + 1e-14
        determinant = xx * yy - xy * xy
        if determinant <= 0.0:
            return False
        step_x = -(yy * gx - xy * gy) / determinant
        step_y = -(xx * gy - xy * gx) / determinant
        size = sqrt(step_x * step_x + step_y * step_y)
        # far from the solution the second derivatives are those of one cell: limit the step
        limit = 0.5 * max(m, n)
        fraction = 1.0 if size < limit else limit / size
        tilt[0] += fraction * step_x
        tilt[1] += fraction * step_y
        if abs(tilt[0]) + abs(tilt[1]) > 1e5:
            return False
    return gx * gx + gy * gy < 1e-20


@kernel
def _axis_error(
    alpha: float,
    length: float,
    width: float,
    cx: float,
    cy: float,
    density: float,
    tilt: Floats,
    found: Floats,
    out: Floats,
) -> float:
    """The density of the ridge along alpha minus `density`; inf where it is undefined.

    In (-pi/2, pi/2]; it decreases with alpha.
    """
    if not _centred_ridge(alpha, length, width, cx, cy, tilt, out):
        return np.inf
    if matrix_coordinates(out, found) < 1e-9:
        return np.inf
    error = found[3] - density
    while error > 0.5 * pi:
        error -= pi
    while error <= -0.5 * pi:
        error += pi
    return error


@kernel
def ridge_matrix(
    writhe: float, cx: float, cy: float, density: float, length: float, width: float, out: Floats
) -> float:
    """out (m, n) with these coordinates, all entries of one sign; returns the density's error.

    A Gaussian ridge of standard deviations `length` and `width`, in the units of x and y, tilted to
    the centre; its angle is found by bisection. The error is infinite where no such ridge has the
    centre.
    """
    tilt, found = np.zeros(2), np.zeros(4)
    start = 0.25 * pi - density
    low, high = start, start
    error_low = np.inf
    best, best_alpha = np.inf, start
    bracketed = False
    inner_alpha, inner_error = start, np.inf
    # outwards from the target angle, until the error changes sign continuously
    for k in range(_SCAN + 1):
        offset = ((k + 1) // 2) * (1.0 if k % 2 == 0 else -1.0) * pi / _SCAN
        alpha = start + offset
        tilt[:] = 0.0
        error = _axis_error(alpha, length, width, cx, cy, density, tilt, found, out)
        if abs(error) < best:
            best, best_alpha = abs(error), alpha
        if best < 1e-12:
            break
        inner = start + offset - (1.0 if offset > 0 else -1.0) * pi / _SCAN
        if k == 0:
            inner_error = error
            continue
        tilt[:] = 0.0
        inner_alpha = inner
        inner_error = _axis_error(inner, length, width, cx, cy, density, tilt, found, out)
        if inner_error * error <= 0.0 and abs(inner_error - error) < 0.4 * pi:
            low, high, error_low = inner_alpha, alpha, inner_error
            bracketed = True
            break
    if bracketed:
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            error = _axis_error(middle, length, width, cx, cy, density, tilt, found, out)
            if abs(error) < best:
                best, best_alpha = abs(error), middle
            if best < 1e-12 or abs(error) == np.inf:
                break
            if error_low * error <= 0.0:
                high = middle
            else:
                low, error_low = middle, error
    tilt[:] = 0.0
    best = _axis_error(best_alpha, length, width, cx, cy, density, tilt, found, out)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] *= writhe
    return abs(best)
