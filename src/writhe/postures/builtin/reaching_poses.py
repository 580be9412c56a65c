"""Reaching poses on a grid of directions and heights."""

from __future__ import annotations

from math import cos, radians, sin

from writhe.postures.builtin.anatomical_angles import ArmAngles, LegAngles, PelvisPose, TrunkAngles
from writhe.postures.builtin.key_pose import KeyPose, Vector, hand, key

REACH_M = 0.60  # from shoulder to palm: the arm nearly straight
SHOULDER: Vector = (0.175, 1.44, 0.0)
AZIMUTHS = (-60, -25, 10, 45, 80, 120)  # degrees outwards from straight ahead
ELEVATIONS = (-62, -34, -8, 18, 46, 74)


def _place(azimuth: float, elevation: float, reach_m: float, side: float = 1.0) -> Vector:
    a, e = radians(azimuth), radians(elevation)
    x, y, z = SHOULDER
    return (
        side * (x + reach_m * sin(a) * cos(e)),
        y + reach_m * sin(e),
        z + reach_m * cos(a) * cos(e),
    )


def _arm(azimuth: float, elevation: float) -> ArmAngles:
    lift = 90.0 + elevation
    return ArmAngles(
        flex=lift * max(0.15, cos(radians(azimuth))),
        abduct=12.0 + (lift - 20.0) * sin(radians(max(azimuth, -30.0))),
        rotate=15.0,
        elbow=30.0,
    )


def reach(azimuth: float, elevation: float, reach_m: float = REACH_M) -> KeyPose:
    """The left hand in a direction (degrees) from the shoulder; trunk and head follow in part."""
    low = max(0.0, -elevation - 20.0)
    return key(
        f"reach {azimuth} {elevation} {reach_m:.2f}",
        left_arm=_arm(azimuth, elevation),
        trunk=TrunkAngles(
            bend=0.45 * low - 0.06 * max(0.0, elevation),
            turn=0.22 * azimuth - 4.0,
            look=0.35 * azimuth,
            nod=-0.35 * elevation,
            lean=0.10 * azimuth if elevation > 0 else 0.0,
        ),
        legs=LegAngles(flex=0.4 * low, knee=0.35 * low, abduct=6.0),
        pelvis=PelvisPose(pitch=0.3 * low),
        goals=hand("left", _place(azimuth, elevation, reach_m)),
    )


def reach_both(azimuth: float, elevation: float, width: float = 0.0) -> KeyPose:
    """Both hands at one height, turned by `azimuth`, `width` degrees further apart."""
    low = max(0.0, -elevation - 20.0)
    left = _place(width - 14.0 + azimuth, elevation, REACH_M)
    right = _place(width - 14.0 - azimuth, elevation, REACH_M, -1.0)
    return key(
        f"reach both {azimuth} {elevation} {width}",
        left_arm=_arm(width + azimuth, elevation),
        right_arm=_arm(width - azimuth, elevation),
        trunk=TrunkAngles(
            bend=0.5 * low, turn=0.6 * azimuth, look=0.3 * azimuth, nod=-0.35 * elevation
        ),
        legs=LegAngles(flex=0.4 * low, knee=0.4 * low, abduct=7.0),
        pelvis=PelvisPose(pitch=0.35 * low),
        goals=hand("left", left) + hand("right", right),
    )


def reaches() -> list[KeyPose]:
    """All reaches: near and far with one hand, ahead and turned with both."""
    one = [
        reach(a, e, r)
        for e in ELEVATIONS
        for a in AZIMUTHS
        for r in (REACH_M, 0.42)
        if not (a == 120 and e > 50)
    ]
    both = [
        reach_both(a, e, w)
        for e in ELEVATIONS
        for a, w in ((0.0, 0.0), (0.0, 32.0), (0.0, 66.0), (30.0, 6.0))
    ]
    return one + both
