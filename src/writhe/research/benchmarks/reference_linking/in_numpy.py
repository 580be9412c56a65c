"""The linking matrix and its gradients in plain NumPy, as a reference implementation."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats


def _corners(first: Floats, second: Floats) -> tuple[list[Floats], list[Floats]]:
    between = second[None, :, :] - first[:, None, :]
    lengths = np.linalg.norm(between, axis=2)
    corners = [between[:-1, :-1], between[:-1, 1:], between[1:, 1:], between[1:, :-1]]
    sizes = [lengths[:-1, :-1], lengths[:-1, 1:], lengths[1:, 1:], lengths[1:, :-1]]
    return corners, sizes


def _dot(a: Floats, b: Floats) -> Floats:
    return np.einsum("ijk,ijk->ij", a, b)


def linking_matrix(first: Floats, second: Floats) -> Floats:
    """(m, n), as in `kernels.topology.gauss_linking`; inputs in general position."""
    (r1, r2, r3, r4), (l1, l2, l3, l4) = _corners(first, second)
    volume = _dot(r1 - r4, np.cross(r1, r2))
    d1 = l1 * l2 * l3 + _dot(r1, r2) * l3 + _dot(r1, r3) * l2 + _dot(r2, r3) * l1
    d2 = l1 * l3 * l4 + _dot(r1, r3) * l4 + _dot(r1, r4) * l3 + _dot(r3, r4) * l1
    angle = np.abs(np.arctan2(np.abs(volume) * (d1 + d2), d1 * d2 - volume * volume))
    return np.copysign(angle, volume) / (2 * np.pi)


def linking_matrix_gradients(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """The matrix and gradients (4, 3, m, n); by the two triangles, not by the edges.

    With th_k = atan2(V, D_k): 2 pi GLI = th_1 + th_2, so this derivation is independent of the
    kernel's.
    """
    (r1, r2, r3, r4), (l1, l2, l3, l4) = _corners(first, second)
    volume = _dot(r1 - r4, np.cross(r1, r2))
    slope = [np.zeros_like(r1) for _ in range(4)]
    for (a, b, c), (p, q, r) in (
        ((0, 1, 2), ((r1, l1), (r2, l2), (r3, l3))),
        ((0, 2, 3), ((r1, l1), (r3, l3), (r4, l4))),
    ):
        (u, ul), (v, vl), (w, wl) = p, q, r
        d = ul * vl * wl + _dot(u, v) * wl + _dot(u, w) * vl + _dot(v, w) * ul
        below = d * d + volume * volume
        by_volume, by_d = (d / below)[..., None], (volume / below)[..., None]
        for k, (x, xl), (y, yl), (z, zl) in ((a, p, q, r), (b, q, p, r), (c, r, p, q)):
            rise = ((yl * zl + _dot(y, z)) / xl)[..., None] * x + zl[..., None] * y
            slope[k] -= by_d * (rise + yl[..., None] * z)
        for k, normal in ((0, np.cross(r4, r2)), (1, np.cross(r1, r4)), (3, np.cross(r2, r1))):
            slope[k] += by_volume * normal
    g1, g2, g3, g4 = slope
    by_points = np.stack([-g1 - g2, -g3 - g4, g1 + g4, g2 + g3]) / (2 * np.pi)
    return linking_matrix(first, second), np.moveaxis(by_points, 3, 1)
