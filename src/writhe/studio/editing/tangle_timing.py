"""Times a winding path: frames of a motion that do not cut its corners."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d

from writhe.arrays import Floats
from writhe.collision import CollisionTable, Gate, certify
from writhe.easing import smoothstep
from writhe.skeleton import Motion, Skeleton
from writhe.skeleton.kinematics import difference, integrate

_SMOOTH_FRAMES = 2.0


def time_path(table: CollisionTable, path: Floats, frames: int, fps: float) -> Floats:
    """A certified path as frames + 1 postures, eased at both ends, smoothed where that is clear.

    Few frames cut the corners of a winding path. As a last resort every necessary corner gets a
    frame; where there are more corners than frames the result is not clear, which the certificate
    reports.
    """
    skeleton = table.skeleton
    even = _along(skeleton, path, np.linspace(0.0, 1.0, 4 * frames + 1))
    u = np.linspace(0.0, 1.0, frames + 1)
    eased = smoothstep(u)
    smooth = _smoothed(skeleton, even, 4.0 * _SMOOTH_FRAMES)
    out = path[:1]
    for rows, share in ((smooth, eased), (even, eased), (even, u)):
        out = _along(skeleton, rows, share)
        if certify(table, out, fps).certified:
            return out
    corners = _corners(table, path)
    return out if len(corners) > frames + 1 else _between_corners(skeleton, path[corners], frames)


def _corners(table: CollisionTable, path: Floats) -> list[int]:
    """Indices of rows of a certified path that straight, certified steps connect."""
    gate, found = Gate(table), [0]
    while found[-1] < len(path) - 1:
        start = here = found[-1]
        reach = len(path) - 1 - start
        while reach:  # the longest certified straight step, by bisection
            if gate.fraction(path[start], path[here + reach]) >= 1.0:
                here += reach
            reach = min(reach // 2, len(path) - 1 - here)
        found.append(max(here, start + 1))
    return found


def _between_corners(skeleton: Skeleton, corners: Floats, frames: int) -> Floats:
    """frames + 1 postures along straight steps: one at every corner, more on long steps."""
    lengths = [float(np.linalg.norm(difference(skeleton, a, b))) for a, b in pairwise(corners)]
    counts = np.ones(len(lengths), dtype=int)
    for _ in range(frames - len(lengths)):
        counts[int(np.argmax(np.array(lengths) / counts))] += 1
    share = [k + i / n for k, n in enumerate(counts) for i in range(n)]
    return Motion(skeleton, corners, 1.0).at(np.array([*share, len(lengths)], dtype=float))


def _along(skeleton: Skeleton, path: Floats, share: Floats) -> Floats:
    """The postures at fractions (0 to 1) of the path's length."""
    if len(path) < 2:
        return np.tile(path[:1], (len(share), 1))
    steps = [float(np.linalg.norm(difference(skeleton, a, b))) for a, b in pairwise(path)]
    along = np.concatenate([[0.0], np.cumsum(np.maximum(steps, 1e-9))])
    index = np.interp(share * along[-1], along, np.arange(len(path), dtype=float))
    return Motion(skeleton, path, 1.0).at(index)


def _smoothed(skeleton: Skeleton, path: Floats, width: float) -> Floats:
    """The path smoothed by a Gaussian of `width` rows in tangent space; its ends are kept."""
    middle = path[len(path) // 2]
    flat = np.array([difference(skeleton, middle, row) for row in path])
    soft = gaussian_filter1d(flat, width, axis=0, mode="nearest")
    away = np.minimum(np.arange(len(path)), np.arange(len(path))[::-1])
    share = np.clip(away / (3.0 * width), 0.0, 1.0)[:, None]
    return np.array([integrate(skeleton, middle, v) for v in (1.0 - share) * flat + share * soft])
