"""Blender's axes and units (Z up) and those of writhe (metres, Y up)."""

from __future__ import annotations

import numpy as np

_Z_UP_TO_Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])


def metres_per_unit(scene) -> float:
    """The length of a Blender unit in metres."""
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else float(units.scale_length)


def to_writhe(scene) -> np.ndarray:
    """(4, 4) from Blender's world to writhe's."""
    s = metres_per_unit(scene)
    return np.diag([s, s, s, 1.0]) @ _Z_UP_TO_Y_UP


def scale_of(matrix: np.ndarray) -> float:
    """The uniform scale in a matrix (4, 4)."""
    return float(np.cbrt(abs(np.linalg.det(matrix[:3, :3]))))
