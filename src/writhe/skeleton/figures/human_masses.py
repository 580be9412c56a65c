"""Masses of the human's segments.

Mass shares, centres and radii of gyration are the male values of de Leva (1996), "Adjustments to
Zatsiorsky-Seluyanov's segment inertia parameters", Journal of Biomechanics 29(9), table 4. His
"head" includes the neck: a sixth of it is given to the neck joint. Feet are split at the ball.
The clavicles' mass is part of the chest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats

BODY_MASS_KG = 73.0


class SegmentMass(NamedTuple):
    """Mass of a segment, with its centre and principal moments of inertia in the joint's frame."""

    mass_kg: float
    centre: Floats
    inertia: Floats


class _SegmentMass(NamedTuple):
    share: float  # of the body's mass
    centre: tuple[float, float, float]  # in the left or middle joint's frame, metres
    length_m: float  # to which the radii of gyration refer
    gyration: tuple[float, float, float]  # about the joint's x, y, z, in lengths


# The longitudinal axis is x for arms, y for trunk and legs, z for feet.
_SEGMENTS: dict[str, _SegmentMass] = {
    "hips": _SegmentMass(0.1117, (0.0, 0.030, 0.0), 0.1465, (0.551, 0.587, 0.615)),
    "spine": _SegmentMass(0.1633, (0.0, 0.128, 0.010), 0.2166, (0.383, 0.468, 0.482)),
    "chest": _SegmentMass(0.1596, (0.0, 0.160, 0.005), 0.2434, (0.320, 0.465, 0.505)),
    "neck": _SegmentMass(0.0694 / 6, (0.0, 0.045, 0.008), 0.11, (0.35, 0.35, 0.35)),
    "head": _SegmentMass(0.0694 * 5 / 6, (0.0, 0.085, 0.018), 0.2442, (0.315, 0.261, 0.303)),
    "shoulder": _SegmentMass(0.0271, (0.163, 0.0, 0.0), 0.283, (0.158, 0.269, 0.285)),
    "elbow": _SegmentMass(0.0162, (0.1235, 0.0, 0.0), 0.270, (0.121, 0.265, 0.276)),
    "wrist": _SegmentMass(0.0061, (0.068, 0.0, 0.005), 0.0866, (0.401, 0.513, 0.628)),
    "hip": _SegmentMass(0.1416, (0.0, -0.174, 0.0), 0.424, (0.329, 0.149, 0.329)),
    "knee": _SegmentMass(0.0433, (0.0, -0.192, -0.004), 0.436, (0.246, 0.102, 0.251)),
    "ankle": _SegmentMass(0.0137 * 0.87, (0.0, -0.030, 0.045), 0.2594, (0.245, 0.257, 0.124)),
    "toe": _SegmentMass(0.0137 * 0.13, (0.0, -0.002, 0.032), 0.07, (0.30, 0.30, 0.30)),
}


def segment_mass(joint: str) -> SegmentMass:
    """The mass of the segment of a joint of the human; zero for the clavicles."""
    side, _, rest = joint.partition("_")
    part = rest if side in ("left", "right") else joint
    if part not in _SEGMENTS:
        return SegmentMass(0.0, np.zeros(3), np.zeros(3))
    row = _SEGMENTS[part]
    mass = row.share * BODY_MASS_KG
    mirror = np.array([-1.0 if side == "right" else 1.0, 1.0, 1.0])
    inertia = mass * (np.array(row.gyration) * row.length_m) ** 2
    return SegmentMass(mass, np.array(row.centre) * mirror, inertia)
