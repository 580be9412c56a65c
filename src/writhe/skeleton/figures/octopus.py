"""The octopus: eight legs of twelve segments on a body; 97 joints, 294 degrees of freedom.

Legs lie spread out like a star at rest, leg 1 between +X and +Z, counted towards +Z. A tentacle is
a muscular hydrostat without joints (Kier & Smith 1985, "Tongues, tentacles and trunks", Zoological
Journal of the Linnean Society 83): twelve ball joints, each bending up to 50 degrees, let it coil.
Masses are the segments' volumes at 1.05 g/cm3.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.figure import Capsule, Figure, GeneratedSkin, Skin
from writhe.skeleton.joint import Joint, JointKind, Limits, Tip
from writhe.skeleton.limits import limit_frame
from writhe.skeleton.modelling.store import stored_skin
from writhe.skeleton.skeleton import Skeleton

LEGS, SEGMENTS = 8, 12
SEGMENT_M = 0.05
BODY_HEIGHT_M = 0.06
LEG_START_M = 0.075  # from the middle of the body
BEND, TWIST = np.radians(50.0), np.radians(15.0)
_DENSITY = 1050.0
# the body's capsules in its frame: head, mantle, eyes; and across between opposite legs
BODY: tuple[tuple[tuple[float, float, float], tuple[float, float, float], float], ...] = (
    ((0.0, 0.035, -0.004), (0.0, 0.072, -0.013), 0.070),
    ((0.0, 0.095, -0.024), (0.0, 0.120, -0.036), 0.086),
    ((0.0, 0.150, -0.053), (0.0, 0.200, -0.085), 0.099),
    ((0.0, 0.205, -0.089), (0.0, 0.250, -0.120), 0.078),
    ((0.050, 0.085, 0.036), (0.050, 0.085, 0.036), 0.0220),
    ((-0.050, 0.085, 0.036), (-0.050, 0.085, 0.036), 0.0220),
)
ACROSS_M, ACROSS_RADIUS_M, LIFT = 0.034, 0.055, np.array([0.0, 0.006, 0.0])


def leg_direction(leg: int) -> Floats:
    """The unit vector along a leg (0 .. 7) at rest."""
    angle = 2 * np.pi * (leg + 0.5) / LEGS
    return np.array([np.cos(angle), 0.0, np.sin(angle)])


def leg_radius(segment: float) -> float:
    """The radius of a leg at a (fractional) segment number 0 .. 12."""
    return float(np.interp(segment, [0, 2, 12], [0.0285, 0.0235, 0.0062]))


def leg_points(leg: int) -> Floats:
    """(13, 3) the joints and the tip of a leg at rest, in the body's frame."""
    along = LEG_START_M + SEGMENT_M * np.arange(SEGMENTS + 1)
    return along[:, None] * leg_direction(leg)


def octopus_skeleton() -> Skeleton:
    """The joints and tips of the octopus."""
    body_mass = _DENSITY * 4 / 3 * np.pi * (0.094 * 0.094 * 0.120 + 0.068**3)
    joints = [
        Joint(
            "body",
            None,
            JointKind.FREE,
            np.array([0.0, BODY_HEIGHT_M, 0.0]),
            mass_kg=body_mass,
            centre_of_mass=np.array([0.0, 0.13, -0.045]),
            inertia=body_mass * np.array([0.065, 0.040, 0.060]) ** 2,
        )
    ]
    tips: list[Tip] = []
    for leg in range(LEGS):
        direction, points = leg_direction(leg), leg_points(leg)
        frame = limit_frame(direction, np.array([0.0, 1.0, 0.0]))
        limits = Limits(np.array([-TWIST, -BEND, -BEND]), np.array([TWIST, BEND, BEND]), frame)
        for i in range(SEGMENTS):
            radius = (leg_radius(i) + leg_radius(i + 1)) / 2
            mass = _DENSITY * np.pi * radius**2 * SEGMENT_M
            across = SEGMENT_M**2 / 12 + radius**2 / 4
            # moments along the axes of a rod that lies slanting in the horizontal plane
            x2, z2 = direction[0] ** 2, direction[2] ** 2
            joints.append(
                Joint(
                    f"leg{leg + 1}_{i + 1}",
                    "body" if i == 0 else f"leg{leg + 1}_{i}",
                    JointKind.BALL,
                    points[0] if i == 0 else SEGMENT_M * direction,
                    limits=limits,
                    mass_kg=mass,
                    centre_of_mass=SEGMENT_M / 2 * direction,
                    inertia=mass
                    * np.array(
                        [
                            x2 * radius**2 / 2 + z2 * across,
                            across,
                            z2 * radius**2 / 2 + x2 * across,
                        ]
                    ),
                )
            )
        tips.append(Tip(f"leg{leg + 1}_tip", f"leg{leg + 1}_{SEGMENTS}", SEGMENT_M * direction))
    return Skeleton(joints, tips)


def octopus_capsules() -> tuple[Capsule, ...]:
    """The capsules of the body and one for every segment of a leg."""
    capsules = [Capsule("body", np.array(a), np.array(b), r) for a, b, r in BODY]
    for leg in range(LEGS // 2):
        end = ACROSS_M * leg_direction(leg)
        capsules.append(Capsule("body", LIFT - end, LIFT + end, ACROSS_RADIUS_M))
    for leg in range(LEGS):
        for i in range(SEGMENTS):
            # the last capsule ends where the skin does
            reach = SEGMENT_M if i < SEGMENTS - 1 else SEGMENT_M - leg_radius(SEGMENTS)
            capsules.append(
                Capsule(
                    f"leg{leg + 1}_{i + 1}",
                    np.zeros(3),
                    reach * leg_direction(leg),
                    leg_radius(i) + 0.0008,
                )
            )
    return tuple(capsules)


def _skin() -> Skin:
    from writhe.skeleton.figures.octopus_blobs import make_octopus_skin

    return stored_skin("octopus", make_octopus_skin)


def build_octopus() -> Figure:
    """The octopus figure."""
    skeleton = octopus_skeleton()
    strands = tuple(
        (
            f"leg{leg + 1}",
            (*(f"leg{leg + 1}_{i + 1}" for i in range(SEGMENTS)), f"leg{leg + 1}_tip"),
        )
        for leg in range(LEGS)
    )
    return Figure(
        name="octopus",
        skeleton=skeleton,
        capsules=octopus_capsules(),
        skin=GeneratedSkin(_skin),
        strands=strands,
        roles=(("body", "body"),),
    )
