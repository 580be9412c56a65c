"""The shapes that the human's skin is blended from, in the rest pose (T-pose), in metres.

Girths aim at a lean adult within the ranges of Gordon et al. (2014), "2012 Anthropometric Survey
of U.S. Army Personnel" (ANSUR II); see `tests/skeleton/test_human_body.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.mesh.body_field import Blobs
from writhe.skeleton.figure import Capsule, Skin
from writhe.skeleton.figures.human_capsules import human_capsules
from writhe.skeleton.figures.human_joints import human_skeleton
from writhe.skeleton.figures.human_weights import human_memberships, human_twist
from writhe.skeleton.modelling.blobs import Blob, Point, Swell, pack_blobs, tube
from writhe.skeleton.modelling.remesh import blob_mesh
from writhe.skeleton.modelling.weights import weights_from_memberships
from writhe.skeleton.skeleton import Skeleton

_INSET_M = 0.0005  # the skin stays this much inside the capsules
_SIDE: Point = (1.0, 0.0, 0.0)
_FRONT: Point = (0.0, 0.0, 1.0)

# knots: x, y, z, radius, spread (to the sides)
_TRUNK = tube(
    (
        (0, 0.845, -0.010, 0.060, 0.030),
        (0, 0.880, -0.010, 0.092, 0.056),
        (0, 0.930, -0.008, 0.105, 0.066),
        (0, 0.980, -0.004, 0.106, 0.060),
        (0, 1.030, 0.002, 0.104, 0.051),
        (0, 1.075, 0.003, 0.1005, 0.0455),
        (0, 1.120, 0.003, 0.0995, 0.0425),
        (0, 1.160, 0.002, 0.1015, 0.0415),
        (0, 1.220, 0.000, 0.1075, 0.042),
        (0, 1.290, -0.006, 0.110, 0.035),
        (0, 1.340, -0.009, 0.104, 0.030),
        (0, 1.385, -0.018, 0.088, 0.036),
        (0, 1.425, -0.026, 0.068, 0.046),
        (0, 1.455, -0.028, 0.045, 0.030),
    ),
    blend_m=0.0,
)
_NECK = tube(
    (
        (0, 1.425, -0.040, 0.060),
        (0, 1.475, -0.029, 0.0530),
        (0, 1.520, -0.012, 0.0545),
        (0, 1.575, 0.000, 0.0550),
    ),
    blend_m=0.045,
)
_HEAD = (
    # cranium, face down to the chin, nose
    Blob((0, 1.6545, -0.008), (0, 1.6545, 0.004), (0.0950, 0.0945), 0.81, _SIDE, blend_m=0.03),
    Blob((0, 1.632, 0.036), (0, 1.560, 0.055), (0.062, 0.034), 0.96, _SIDE, blend_m=0.045),
    Blob((0, 1.662, 0.086), (0, 1.607, 0.1075), (0.004, 0.0090), blend_m=0.032),
)
_PAIRED = (
    # buttock, pectoral muscle, shoulder blade, trapezius, jaw, ear; then pectoral muscle and
    # latissimus where they span the shoulder towards the arm
    Blob((0.066, 0.918, -0.050), (0.072, 0.880, -0.046), (0.078, 0.074), blend_m=0.05),
    Blob((0.056, 1.318, 0.054), (0.082, 1.340, 0.044), (0.056, 0.046), 0.8, blend_m=0.05),
    Blob((0.060, 1.270, -0.044), (0.078, 1.370, -0.053), (0.053, 0.048), 0.8, blend_m=0.06),
    Blob((0.018, 1.476, -0.038), (0.155, 1.428, -0.020), (0.038, 0.039), blend_m=0.055),
    Blob((0.034, 1.592, 0.022), (0.030, 1.570, 0.040), (0.032, 0.026), blend_m=0.05),
    Blob((0.0775, 1.640, -0.010), (0.0755, 1.620, -0.004), (0.024, 0.015), 0.40, _SIDE, 0.014),
    Blob((0.075, 1.350, 0.036), (0.165, 1.408, -0.004), (0.050, 0.033), blend_m=0.05),
    Blob((0.090, 1.342, -0.045), (0.168, 1.408, -0.022), (0.045, 0.034), blend_m=0.045),
    Blob((0.055, 1.410, 0.002), (0.155, 1.420, -0.012), (0.038, 0.034), blend_m=0.03),
)
# knots along x; the hand spreads to the front and back
ARM_KNOTS: tuple[tuple[float, ...], ...] = (
    (0.150, 1.421, -0.012, 0.0360),
    (0.195, 1.425, -0.012, 0.0455),
    (0.245, 1.430, -0.010, 0.0480),
    (0.290, 1.430, -0.010, 0.0470),
    (0.340, 1.430, -0.010, 0.0460),
    (0.390, 1.430, -0.010, 0.0440),
    (0.435, 1.430, -0.010, 0.0405),
    (0.460, 1.430, -0.010, 0.0395),
    (0.490, 1.430, -0.010, 0.0415),
    (0.525, 1.430, -0.010, 0.0425),
    (0.570, 1.430, -0.010, 0.0400),
    (0.620, 1.430, -0.010, 0.0350),
    (0.670, 1.430, -0.010, 0.0295, 0.0020),
    (0.710, 1.430, -0.010, 0.0250, 0.0050),
    (0.735, 1.430, -0.009, 0.0225, 0.0080),
    (0.758, 1.429, -0.008, 0.0195, 0.0170),
    (0.785, 1.428, -0.007, 0.0170, 0.0245),
    (0.820, 1.427, -0.007, 0.0150, 0.0275),
    (0.850, 1.425, -0.007, 0.0125, 0.0270),
    (0.880, 1.422, -0.008, 0.0105, 0.0240),
    (0.905, 1.419, -0.009, 0.0090, 0.0160),
)
_ARM = tube(ARM_KNOTS, wide_direction=_FRONT, step_m=0.016, blend_m=0.0)
_THUMB = tube(
    (
        (0.750, 1.425, 0.010, 0.0170),
        (0.775, 1.421, 0.034, 0.0160),
        (0.798, 1.418, 0.050, 0.0130),
        (0.832, 1.415, 0.064, 0.0095),
    ),
    step_m=0.012,
    blend_m=0.02,
)
_LEG = tube(
    (
        (0.094, 0.930, 0.000, 0.0860),
        (0.096, 0.880, 0.001, 0.0885),
        (0.0965, 0.820, 0.003, 0.0870),
        (0.0965, 0.760, 0.006, 0.0825),
        (0.096, 0.700, 0.007, 0.0780),
        (0.094, 0.640, 0.006, 0.0725),
        (0.092, 0.580, 0.004, 0.0660),
        (0.090, 0.540, 0.004, 0.0610),
        (0.088, 0.504, 0.004, 0.0565),
        (0.088, 0.465, 0.000, 0.0540),
        (0.088, 0.420, -0.007, 0.0565),
        (0.088, 0.370, -0.012, 0.0585),
        (0.088, 0.320, -0.013, 0.0565),
        (0.088, 0.260, -0.010, 0.0490),
        (0.088, 0.200, -0.008, 0.0400),
        (0.088, 0.150, -0.007, 0.0360),
        (0.088, 0.110, -0.007, 0.0345),
        (0.088, 0.080, -0.009, 0.0350),
        (0.088, 0.050, -0.013, 0.0350),
    ),
    blend_m=0.0,
)
_FOOT = tube(
    (
        (0.088, 0.030, -0.026, 0.0330, 0.0000),
        (0.088, 0.038, 0.010, 0.0370, 0.0000),
        (0.0885, 0.038, 0.045, 0.0340, 0.0020),
        (0.0900, 0.027, 0.090, 0.0270, 0.0120),
        (0.0920, 0.019, 0.125, 0.0210, 0.0240),
        (0.0925, 0.015, 0.155, 0.0170, 0.0260),
        (0.0910, 0.012, 0.188, 0.0130, 0.0200),
    ),
    blend_m=0.03,
)
# In joint zones the skin may fill the grooves between capsules: start, end, radius; both sides.
_ZONE_FILLERS: tuple[tuple[Point, Point, float], ...] = (
    ((0.0, 1.066, 0.002), (0.050, 1.066, 0.002), 0.1090),
    ((0.0, 1.232, -0.003), (0.036, 1.232, -0.003), 0.1145),
)
# Muscles between chest, clavicle, arm and neck, which have no capsules; both sides.
_SWELLS = (
    Swell((0.132, 1.380, 0.030), 0.045, 0.090, 0.0145),
    Swell((0.137, 1.380, -0.045), 0.045, 0.090, 0.0145),
    Swell((0.122, 1.435, 0.020), 0.040, 0.068, 0.015),
    Swell((0.088, 1.480, -0.030), 0.030, 0.060, 0.015),
    Swell((0.185, 1.405, -0.010), 0.035, 0.065, 0.014),
    Swell((0.0, 1.478, -0.082), 0.006, 0.028, 0.008),
)
LEFT_ARM, RIGHT_ARM, LEFT_LEG, RIGHT_LEG = 1, 2, 3, 4


def human_blobs(*, clipped: bool = True) -> Blobs:
    """All blobs of the human, for the field kernels; optionally `clipped` to its capsules."""
    return body_blobs((*_ARM, *_THUMB), hull=_hull() if clipped else ())


def body_blobs(
    arm: Sequence[Blob],
    fingers: Sequence[Sequence[Blob]] = (),
    hull: Sequence[tuple[Floats, Floats, float]] = (),
) -> Blobs:
    """The blobs of a human with this left arm, each of the left hand's `fingers` a group."""
    blobs = [*_TRUNK, *_NECK, *_HEAD]
    for blob in _PAIRED:
        blobs += [blob, blob.mirrored(0)]
    leg = (*_LEG, *_FOOT)
    limbs = [(arm, LEFT_ARM, RIGHT_ARM), (leg, LEFT_LEG, RIGHT_LEG)]
    limbs += [(finger, 5 + 2 * i, 6 + 2 * i) for i, finger in enumerate(fingers)]
    for limb, left, right in limbs:
        blobs += [replace(blob, group=left) for blob in limb]
        blobs += [blob.mirrored(right) for blob in limb]
    return pack_blobs(
        blobs,
        (0.0, 0.050, 0.050, 0.04, 0.04, *[0.001] * (2 * len(fingers))),
        floor_m=0.0,
        floor_blend_m=0.012,
        hull=hull,
        hull_blend_m=0.008,
        swells=[*_SWELLS, *(s._replace(centre=(-s.centre[0], *s.centre[1:])) for s in _SWELLS)],
    )


def _hull() -> list[tuple[Floats, Floats, float]]:
    return capsule_hull(human_skeleton(), human_capsules(folds=False))


def capsule_hull(
    skeleton: Skeleton, given: Sequence[Capsule]
) -> list[tuple[Floats, Floats, float]]:
    """Capsules (start, end, radius) in the rest pose that the skin stays inside."""
    capsules: list[tuple[Floats, Floats, float]] = []
    for capsule in given:
        at = skeleton.rest_positions[skeleton.index(capsule.joint)]
        start, end = at + capsule.start_in_joint, at + capsule.end_in_joint
        capsules.append((start, end, capsule.radius_m - _INSET_M))
    for side in (1.0, -1.0):
        mirror = np.array([side, 1.0, 1.0])
        for start, end, radius_m in _ZONE_FILLERS:
            capsules.append((np.array(start) * mirror, np.array(end) * mirror, radius_m))
    return capsules


def human_edge_lengths(points: Floats) -> Floats:
    """Target edge length of the skin (p,) at points (p, 3): finer on hands, feet and head."""
    x, y = np.abs(points[:, 0]), points[:, 1]
    hand = np.interp(x, [0.60, 0.74], [0.0235, 0.0090])
    foot = np.interp(y, [0.05, 0.15], [0.0135, 0.0235])
    head = np.interp(y, [1.40, 1.53], [0.0235, 0.0120])
    return np.minimum(np.minimum(hand, foot), head)


def make_human_skin() -> Skin:
    """Generate the human's skin from its blobs (takes some seconds)."""
    skeleton = human_skeleton()
    vertices, triangles = blob_mesh(human_blobs(), 0.008, human_edge_lengths)
    memberships = human_memberships(vertices, triangles)
    joints, weights = weights_from_memberships(skeleton, memberships, len(vertices))
    twist = human_twist(skeleton, vertices, memberships)
    return Skin(vertices, triangles, joints, weights, twist)
