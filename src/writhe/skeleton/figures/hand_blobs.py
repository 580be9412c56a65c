"""The shapes that the hand's skin is blended from, in the rest pose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.mesh.body_field import Blobs
from writhe.skeleton.figure import Skin
from writhe.skeleton.figures.hand import FINGERS, WRIST_HEIGHT_M, hand_capsules, hand_skeleton
from writhe.skeleton.modelling.blobs import Blob, pack_blobs, tube
from writhe.skeleton.modelling.limb_weights import SkinLimb, limb_memberships
from writhe.skeleton.modelling.remesh import blob_mesh
from writhe.skeleton.modelling.weights import weights_from_memberships

_Y = WRIST_HEIGHT_M
_PALM = (
    *tube(
        (
            (0.000, _Y, -0.030, 0.0215, 0.0090),
            (0.000, _Y, -0.005, 0.0200, 0.0105),
            (0.000, _Y, 0.020, 0.0180, 0.0180),
            (-0.002, _Y, 0.045, 0.0155, 0.0245),
            (-0.004, _Y, 0.070, 0.0135, 0.0290),
            (-0.0045, _Y, 0.086, 0.0115, 0.0290),
        ),
        step_m=0.006,
        blend_m=0.0,
    ),
    # ball of the thumb, ball of the little finger
    Blob((0.018, _Y - 0.006, 0.020), (0.030, _Y - 0.008, 0.042), (0.0150, 0.0120), blend_m=0.012),
    Blob((-0.018, _Y - 0.005, 0.020), (-0.026, _Y - 0.005, 0.050), (0.0130, 0.0110), blend_m=0.012),
)


def hand_blobs() -> Blobs:
    """All blobs of the hand; every finger is a group of its own."""
    at = np.array([0.0, _Y, 0.0])
    blobs = list(_PALM)
    for group, finger in enumerate(FINGERS, start=1):
        points, d = finger.points() + at, np.array(finger.direction)
        d = d / np.linalg.norm(d)
        start = points[0] - 0.012 * d
        end = points[3] - finger.radii_m[3] * d  # the tip is where the skin ends
        knots = [(*start, finger.radii_m[0])]
        knots += [(*points[i], finger.radii_m[i]) for i in (0, 1, 2)]
        knots.append((*end, finger.radii_m[3]))
        blobs += [replace(blob, group=group) for blob in tube(knots, step_m=0.005)]
    hull = [
        (*_in_world(capsule.joint, capsule.start_in_joint, capsule.end_in_joint), r)
        for capsule in hand_capsules()
        for r in (capsule.radius_m - 0.0003,)
    ]
    return pack_blobs(blobs, (0.0, 0.014, *[0.010] * 4), hull=hull, hull_blend_m=0.002)


def _in_world(joint: str, start: Floats, end: Floats) -> tuple[Floats, Floats]:
    skeleton = hand_skeleton()
    at = skeleton.rest_positions[skeleton.index(joint)]
    return at + start, at + end


def _edge_lengths(points: Floats) -> Floats:
    return np.interp(points[:, 2], [0.05, 0.10], [0.0056, 0.0034])


def make_hand_skin() -> Skin:
    """Generate the hand's skin from its blobs."""
    skeleton = hand_skeleton()
    vertices, triangles = blob_mesh(hand_blobs(), 0.0022, _edge_lengths)
    limbs = [
        SkinLimb(
            tuple(f"{f.name}_{i}" for i in (1, 2, 3)),
            f.points() + np.array([0.0, _Y, 0.0]),
            (0.011, 0.0065, 0.0055),
            # the ball of the thumb belongs to the palm
            reach_m=(1.25 if f.name == "thumb" else 1.55) * f.radii_m[0],
        )
        for f in FINGERS
    ]
    memberships = limb_memberships(vertices, limbs, web_m=0.003)
    joints, weights = weights_from_memberships(skeleton, memberships, len(vertices))
    return Skin(vertices, triangles, joints, weights)
