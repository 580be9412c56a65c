"""The skin of the human with fingers: the human's, with the palms and fingers of the hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.figure import Skin
from writhe.skeleton.figures.hand import FINGERS
from writhe.skeleton.figures.human_blobs import (
    ARM_KNOTS,
    body_blobs,
    capsule_hull,
    human_edge_lengths,
)
from writhe.skeleton.figures.human_capsules import human_capsules
from writhe.skeleton.figures.human_weights import human_memberships, human_twist
from writhe.skeleton.figures.human_with_fingers import (
    capsules_with_fingers,
    from_hand,
    role_of,
    skeleton_with_fingers,
)
from writhe.skeleton.modelling.blobs import Blob, tube
from writhe.skeleton.modelling.isosurface import FineRegion
from writhe.skeleton.modelling.limb_weights import SkinLimb, limb_memberships
from writhe.skeleton.modelling.remesh import blob_mesh
from writhe.skeleton.modelling.weights import weights_from_memberships

_WRIST = np.array([0.728, 1.430, -0.010])  # left, in the rest pose
_PALM_FROM_M = 0.72  # x at which the arm's tube becomes the palm's
# knots of the palm in the wrist's frame: x, y, z, radius, spread (to the front and back)
_PALM = (
    (0.018, 0.0, 0.000, 0.0192, 0.0150),
    (0.045, 0.0, -0.002, 0.0158, 0.0235),
    (0.070, 0.0, -0.004, 0.0138, 0.0265),
    (0.086, 0.0, -0.0045, 0.0112, 0.0255),
)
# balls of the thumb and of the little finger: start, end, radii
_BALLS = (
    ((0.018, -0.006, 0.016), (0.040, -0.008, 0.028), (0.0150, 0.0120)),
    ((0.020, -0.005, -0.018), (0.050, -0.005, -0.026), (0.0130, 0.0110)),
)
_FRONT = (0.0, 0.0, 1.0)
# added to the capsules that the skin is clipped to: the smooth edge of the clipping takes 2 mm, and
# fingers keep within their capsules by construction
_PALM_MARGIN_M, _FINGER_MARGIN_M = 0.0015, 0.012
_FINE = FineRegion((0.74, 1.375, -0.075), (0.94, 1.465, 0.095), 0.0026)


def _at_wrist(point: tuple[float, ...]) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in _WRIST + np.array(point[:3]))
    return x, y, z


def _palm() -> tuple[Blob, ...]:
    knots = [(*_at_wrist(k), *k[3:]) for k in _PALM]
    blobs = list(tube(knots, wide_direction=_FRONT, step_m=0.006, blend_m=0.0))
    blobs += [Blob(_at_wrist(a), _at_wrist(b), radii, blend_m=0.012) for a, b, radii in _BALLS]
    return tuple(blobs)


def _arm() -> tuple[Blob, ...]:
    knots = [k for k in ARM_KNOTS if k[0] < _PALM_FROM_M]
    knots += [(*_at_wrist(k), *k[3:]) for k in _PALM]
    blobs = tube(knots, wide_direction=_FRONT, step_m=0.008, blend_m=0.0)
    balls = [Blob(_at_wrist(a), _at_wrist(b), radii, blend_m=0.012) for a, b, radii in _BALLS]
    return (*blobs, *balls)


def _fingers() -> list[tuple[Blob, ...]]:
    """The left fingers, each with a copy of the palm that it blends with."""
    groups: list[tuple[Blob, ...]] = []
    for finger in FINGERS:
        points = _WRIST + from_hand(finger.points(), 1.0)
        d = points[1] - points[0]
        d /= np.linalg.norm(d)
        radii = finger.radii_m
        knots = [(*(points[0] - 0.012 * d), radii[0])]
        knots += [(*points[i], radii[i]) for i in (0, 1, 2)]
        knots.append((*(points[3] - radii[3] * d), radii[3]))  # the tip is where the skin ends
        blend = 0.012 if finger.name == "thumb" else 0.007
        groups.append((*_palm(), *tube(knots, step_m=0.005, blend_m=blend)))
    return groups


def _edge_lengths(points: Floats) -> Floats:
    x = np.abs(points[:, 0])
    fingers = np.interp(x, [0.72, 0.78, 0.83], [0.0235, 0.0070, 0.0046])
    return np.minimum(human_edge_lengths(points), fingers)


def make_skin() -> Skin:
    """Generate the skin (takes some seconds)."""
    skeleton = skeleton_with_fingers()
    kept = [c for c in human_capsules(folds=False) if not c.joint.endswith("_wrist")]
    hands = [
        replace(c, radius_m=c.radius_m + (_PALM_MARGIN_M if c.joint == wrist else _FINGER_MARGIN_M))
        for c in capsules_with_fingers(folds=False)
        for side, _, _ in (c.joint.partition("_"),)
        for wrist in (f"{side}_wrist",)
        if c.joint not in {k.joint for k in kept}
    ]
    blobs = body_blobs(_arm(), _fingers(), capsule_hull(skeleton, [*kept, *hands]))
    mirrored = _FINE._replace(
        low=(-_FINE.high[0], *_FINE.low[1:]), high=(-_FINE.low[0], *_FINE.high[1:])
    )
    vertices, triangles = blob_mesh(blobs, 0.008, _edge_lengths, (_FINE, mirrored))
    memberships = human_memberships(vertices, triangles)
    limbs = [
        SkinLimb(
            tuple(f"{side}_{role_of(f)}_{i}" for i in (1, 2, 3)),
            _WRIST * np.array([sign, 1.0, 1.0]) + from_hand(f.points(), sign),
            (0.011, 0.0065, 0.0055),
            # the ball of the thumb belongs to the palm
            reach_m=(1.25 if f.name == "thumb" else 1.55) * f.radii_m[0],
        )
        for side, sign in (("left", 1.0), ("right", -1.0))
        for f in FINGERS
    ]
    memberships |= limb_memberships(vertices, limbs, web_m=0.003)
    joints, weights = weights_from_memberships(skeleton, memberships, len(vertices))
    return Skin(vertices, triangles, joints, weights, human_twist(skeleton, vertices, memberships))
