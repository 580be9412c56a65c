"""Points and directions that are fixed to a joint, in the world frame."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.jit import kernel


@kernel
def point_in_world(
    positions: Floats, rotations: Floats, joint: int, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """p_j + R_j (x, y, z) of a point in the frame of `joint`; joint -1 is the world."""
    if joint < 0:
        return x, y, z
    r = rotations[joint]
    return (
        positions[joint, 0] + r[0, 0] * x + r[0, 1] * y + r[0, 2] * z,
        positions[joint, 1] + r[1, 0] * x + r[1, 1] * y + r[1, 2] * z,
        positions[joint, 2] + r[2, 0] * x + r[2, 1] * y + r[2, 2] * z,
    )


@kernel
def direction_in_world(
    rotations: Floats, joint: int, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """R_j (x, y, z) of a direction in the frame of `joint`."""
    r = rotations[joint]
    return (
        r[0, 0] * x + r[0, 1] * y + r[0, 2] * z,
        r[1, 0] * x + r[1, 1] * y + r[1, 2] * z,
        r[2, 0] * x + r[2, 1] * y + r[2, 2] * z,
    )
