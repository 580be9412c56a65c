"""The mesh of a capsule."""

from __future__ import annotations

from functools import cache

import numpy as np

from writhe.arrays import Floats, Ints

_AROUND, _RINGS = 32, 9  # capsule mesh: vertices around it, rings of each hemisphere


@cache
def _ball_template() -> tuple[Floats, Floats, Ints]:
    """Unit directions (v, 3) of two hemispheres, the end of each vertex (v), triangles."""
    up = np.linspace(-np.pi / 2, 0.0, _RINGS)
    heights = np.concatenate([up, -up[::-1]])
    turns = np.linspace(0.0, 2 * np.pi, _AROUND, endpoint=False)
    h, t = np.meshgrid(heights, turns, indexing="ij")
    directions = np.stack([np.cos(h) * np.cos(t), np.cos(h) * np.sin(t), np.sin(h)], axis=2)
    end = np.repeat([0.0, 1.0], _RINGS * _AROUND)
    row, column = np.meshgrid(np.arange(2 * _RINGS - 1), np.arange(_AROUND), indexing="ij")
    here, beside = row * _AROUND + column, row * _AROUND + (column + 1) % _AROUND
    above, across = here + _AROUND, beside + _AROUND
    corners = np.stack([here, beside, across, here, across, above], axis=2)
    return directions.reshape(-1, 3), end, corners.reshape(-1, 3).astype(np.int64)


def capsule_mesh(a: Floats, b: Floats, radius_m: float) -> tuple[Floats, Ints]:
    """Vertices and triangles of the capsule between two points; a sphere if they coincide."""
    directions, end, triangles = _ball_template()
    axis = b - a
    length = float(np.linalg.norm(axis))
    axis = axis / length if length > 1e-6 else np.array([0.0, 0.0, 1.0])
    aside = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.9 else [0.0, 1.0, 0.0])
    aside = aside / np.linalg.norm(aside)
    frame = np.stack([aside, np.cross(axis, aside), axis])
    return a + end[:, None] * (b - a) + radius_m * directions @ frame, triangles
