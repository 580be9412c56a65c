"""The shapes that the octopus's skin is blended from, in the rest pose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.mesh.body_field import Blobs
from writhe.skeleton.figure import Skin
from writhe.skeleton.figures.octopus import (
    BODY_HEIGHT_M,
    LEGS,
    SEGMENTS,
    leg_direction,
    leg_points,
    leg_radius,
    octopus_capsules,
    octopus_skeleton,
)
from writhe.skeleton.modelling.blobs import Blob, pack_blobs, tube
from writhe.skeleton.modelling.limb_weights import SkinLimb, limb_memberships
from writhe.skeleton.modelling.remesh import blob_mesh
from writhe.skeleton.modelling.weights import weights_from_memberships

_AT = np.array([0.0, BODY_HEIGHT_M, 0.0])
# in the body's frame, raised by its height: between the legs, head, mantle, eyes
_BODY = (
    Blob((0, 0.066, 0), (0, 0.068, 0), (0.074, 0.074), 0.66, (0, 1, 0), blend_m=0.0),
    *tube(
        (
            (0.0, 0.095, -0.004, 0.056),
            (0.0, 0.130, -0.012, 0.066),
            (0.0, 0.170, -0.030, 0.080),
            (0.0, 0.215, -0.055, 0.096),
            (0.0, 0.260, -0.085, 0.095),
            (0.0, 0.310, -0.120, 0.068),
        ),
        blend_m=0.03,
    ),
    Blob((0.050, 0.145, 0.036), (0.050, 0.145, 0.036), (0.021, 0.021), blend_m=0.012),
    Blob((-0.050, 0.145, 0.036), (-0.050, 0.145, 0.036), (0.021, 0.021), blend_m=0.012),
)


def octopus_blobs() -> Blobs:
    """All blobs of the octopus; every leg is a group of its own."""
    blobs = list(_BODY)
    for leg in range(LEGS):
        points = leg_points(leg) + _AT
        points[-1] -= leg_radius(SEGMENTS) * leg_direction(leg)
        inner = 0.03 * leg_direction(leg) + _AT
        knots = [(*inner, leg_radius(0))]
        knots += [(*points[i], leg_radius(i)) for i in range(SEGMENTS + 1)]
        blobs += [replace(blob, group=leg + 1) for blob in tube(knots, step_m=0.025)]
    return pack_blobs(blobs, (0.0, *[0.022] * LEGS), hull=_hull(), hull_blend_m=0.003)


def _hull() -> list[tuple[Floats, Floats, float]]:
    skeleton = octopus_skeleton()
    out: list[tuple[Floats, Floats, float]] = []
    for capsule in octopus_capsules():
        at = skeleton.rest_positions[skeleton.index(capsule.joint)]
        start, end = at + capsule.start_in_joint, at + capsule.end_in_joint
        out.append((start, end, capsule.radius_m - 0.0005))
    return out


def _edge_lengths(points: Floats) -> Floats:
    outwards = np.hypot(points[:, 0], points[:, 2])
    return np.interp(outwards, [0.10, 0.30, 0.68], [0.0150, 0.0110, 0.0045])


def make_octopus_skin() -> Skin:
    """Generate the octopus's skin from its blobs."""
    skeleton = octopus_skeleton()
    vertices, triangles = blob_mesh(octopus_blobs(), 0.0048, _edge_lengths)
    limbs = [
        SkinLimb(
            tuple(f"leg{leg + 1}_{i + 1}" for i in range(SEGMENTS)),
            leg_points(leg) + _AT,
            (0.022, *[0.014] * (SEGMENTS - 1)),
            reach_m=0.048,
        )
        for leg in range(LEGS)
    ]
    memberships = limb_memberships(vertices, limbs, web_m=0.012)
    joints, weights = weights_from_memberships(skeleton, memberships, len(vertices))
    return Skin(vertices, triangles, joints, weights)
