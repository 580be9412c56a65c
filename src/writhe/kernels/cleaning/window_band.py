"""Banded normal equations of the corrections of a window of frames.

The unknowns are the tangent steps v (F, n) of all frames. The matrix is symmetric with one block
diagonal below the main one, and below that the diagonals of the blocks that couple frames t and
t + 2 by their acceleration. Entry (i, j), i >= j, is stored as band[j, i - j], LAPACK's lower band
storage with one column of the matrix per row.
"""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel


class Smoothness(NamedTuple):
    """Penalties 1/2 w^2 ||M D(x + v)||^2 on how the corrections x change over time, D a stencil.

    The stencils are (-1, 1), the velocity, and (1, -2, 1), the acceleration. Two frames before and
    after the window are known; those that do not exist, at the ends of the clip, have no stencils.
    """

    corrections: Floats  # (F + 4, n) x, with two frames on each side
    metric: Floats  # (n,) squared metres per radian, M^2
    velocity: float  # squared weight
    acceleration: float  # squared weight
    before: int  # frames before the window that exist: 0, 1 or 2
    after: int


class PairRows(NamedTuple):
    """Inequalities value + row0 . v_frame + row1 . v_(frame + 1) >= 0 between neighbouring frames.

    A row with one frame outside the window has zero coefficients for it; `frame` is then -1 or F -
    1.
    """

    frame: Ints  # (P,)
    value: Floats  # (P,)
    row: Floats  # (P, 2, n)


def width(n: int) -> int:
    """Entries of a column of the matrix, for n unknowns in a frame."""
    return 2 * n + 1


@kernel
def add_smoothness(smooth: Smoothness, band: Floats, right: Floats) -> None:
    """Add the penalties on velocity and acceleration."""
    x, metric = smooth.corrections, smooth.metric
    n = metric.shape[0]
    frames = x.shape[0] - 4
    stencil = (-1.0, 1.0, 0.0)
    for order in range(2):
        size = 2 + order
        weight = smooth.velocity
        if order == 1:
            stencil = (1.0, -2.0, 1.0)
            weight = smooth.acceleration
        # frames are counted from the first of the window; the stencil covers t .. t + size - 1
        for t in range(
            max(1 - size, -smooth.before), min(frames, frames + smooth.after - size + 1)
        ):
            for c in range(n):
                total = 0.0
                for k in range(size):
                    total += stencil[k] * x[t + k + 2, c]
                scale = weight * metric[c]
                for k in range(size):
                    if not 0 <= t + k < frames:
                        continue
                    right[(t + k) * n + c] -= scale * stencil[k] * total
                    for later in range(k, size):
                        if t + later < frames:
                            value = scale * stencil[k] * stencil[later]
                            band[(t + k) * n + c, (later - k) * n] += value


@kernel
def add_violated(
    used: Ints,
    value: Floats,
    row: Floats,
    step: Floats,
    weight: float,
    band: Floats,
    right: Floats,
) -> int:
    """Add 1/2 weight (value + row . v)^2 of the inequalities that `step` (F, n) violates.

    used (F,), value (F, R), row (F, R, n). Returns how many there are.
    """
    n, violated = step.shape[1], 0
    for f in range(step.shape[0]):
        for i in range(used[f]):
            a = row[f, i]
            now = value[f, i]
            for c in range(n):
                now += a[c] * step[f, c]
            if now >= 0.0:
                continue
            violated += 1
            for c in range(n):
                if a[c] == 0.0:
                    continue
                scaled = weight * a[c]
                right[f * n + c] -= scaled * value[f, i]
                at = band[f * n + c]
                for r in range(c, n):
                    at[r - c] += scaled * a[r]
    return violated


@kernel
def add_violated_pairs(
    pairs: PairRows, step: Floats, weight: float, band: Floats, right: Floats
) -> int:
    """Add 1/2 weight (value + row0 . v_f + row1 . v_(f + 1))^2 of the rows that `step` violates."""
    frames, n = step.shape
    used = 0
    for p in range(pairs.frame.shape[0]):
        f = pairs.frame[p]
        now = pairs.value[p]
        for k in range(2):
            if 0 <= f + k < frames:
                for c in range(n):
                    now += pairs.row[p, k, c] * step[f + k, c]
        if now >= 0.0:
            continue
        used += 1
        for k in range(2):
            if not 0 <= f + k < frames:
                continue
            for c in range(n):
                scaled = weight * pairs.row[p, k, c]
                if scaled == 0.0:
                    continue
                column = (f + k) * n + c
                right[column] -= scaled * pairs.value[p]
                for r in range(c, n):
                    band[column, r - c] += scaled * pairs.row[p, k, r]
                if k == 0 and f + 1 < frames:
                    for r in range(n):
                        band[column, n + r - c] += scaled * pairs.row[p, 1, r]
    return used
