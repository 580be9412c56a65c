"""Ranges of motion of the human, with three named profiles.

`everyday` has the ranges of published samples of healthy adults, in degrees:

- limbs: Boone & Azen (1979), "Normal range of motion of joints in male subjects", Journal of Bone
  and Joint Surgery 61-A; Soucie et al. (2011), "Range of motion measurements: reference values",
  Haemophilia 17; AAOS (1965), "Joint Motion: Method of Measuring and Recording";
- spine and neck: White & Panjabi (1990), "Clinical Biomechanics of the Spine", summed over the
  vertebrae that one joint represents;
- clavicle: Ludewig et al. (2009), "Motion of the shoulder complex during multiplanar humeral
  elevation", Journal of Bone and Joint Surgery 91-A;
- ankle dorsiflexion under load (squatting): Bennell et al. (1998), "Intra-rater and inter-rater
  reliability of a weight-bearing lunge measure", Australian Journal of Physiotherapy 44.

The swing of a ball joint is bounded by one ellipse about the T-pose, so its half-axes are chosen
to enclose the published combinations. The hip abducts further when flexed (sitting cross-legged)
than in the frontal plane, and its twist is measured relative to the shortest swing. Clinical
angles are measured from the flexed thigh instead: 50 degrees of external rotation of a hip that is
flexed and abducted are a twist of 85 degrees here. The shoulder's ellipse leans so that the
arm hangs, extends behind the back and reaches overhead (with the clavicle's help) but does not
swing straight backwards.

`athletic` and `contortionist` widen these by factors per joint; dancers' and gymnasts' hips and
spines exceed everyday ones by 20-60 % (Gannon & Bird 1999, Journal of Sports Sciences 17).

`human` is built with `everyday` unless another profile is named. Elbows, wrists and knees have a
second bound, beyond which their skin folds into the parent part: `human_folds`.
"""

from __future__ import annotations

from math import cos, radians, sin
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats
from writhe.errors import UnknownNameError
from writhe.skeleton.joint import Limits
from writhe.skeleton.limits import limit_frame, mirror_limits

PROFILES = ("everyday", "athletic", "contortionist")


class _Ball(NamedTuple):
    twist: tuple[float, float]
    swing_y: tuple[float, float]
    swing_z: tuple[float, float]
    bone: tuple[float, float, float]
    y_axis: tuple[float, float, float]
    factors: tuple[float, float]  # athletic, contortionist
    lean: float = 0.0  # degrees by which the swing axes are turned about the bone


_UP, _DOWN, _LEFT, _RIGHT, _FRONT = (
    (0.0, 1.0, 0.0),
    (0.0, -1.0, 0.0),
    (1.0, 0.0, 0.0),
    (-1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0),
)

# Left side and midline. Comments give the meaning of the negative and the positive bound.
_BALLS: dict[str, _Ball] = {
    # twist: turning; y: extension, flexion; z: side bending
    "spine": _Ball((-15, 15), (-20, 50), (-22, 22), _UP, _LEFT, (1.25, 1.9)),
    "chest": _Ball((-35, 35), (-15, 35), (-22, 22), _UP, _LEFT, (1.2, 1.8)),
    "neck": _Ball((-30, 30), (-35, 30), (-25, 25), _UP, _LEFT, (1.1, 1.3)),
    "head": _Ball((-45, 45), (-25, 25), (-18, 18), _UP, _LEFT, (1.1, 1.2)),
    # twist: rolling; y: protraction, retraction; z: depression, elevation
    "clavicle": _Ball((-30, 30), (-25, 22), (-12, 38), _LEFT, _UP, (1.15, 1.3)),
    # twist: external, internal; leaning y: forwards-down, backwards-up; z: down-back, up-forwards
    "shoulder": _Ball((-100, 90), (-138, 58), (-108, 112), _LEFT, _UP, (1.1, 1.25), 30.0),
    # twist: supination, pronation; y: radial, ulnar; z: flexion, extension
    "wrist": _Ball((-85, 80), (-22, 35), (-76, 72), _LEFT, _UP, (1.08, 1.2)),
    # twist: external, internal; leaning y: extension, flexion; z: abduction, adduction
    "hip": _Ball((-88, 50), (-30, 135), (-66, 40), _DOWN, _RIGHT, (1.15, 1.3), -10.0),
    # twist: inversion, eversion; y: dorsiflexion, plantar flexion; z: turning in, out
    "ankle": _Ball((-35, 22), (-38, 54), (-15, 15), _FRONT, _LEFT, (1.1, 1.3)),
}
# lower and upper for the profiles in order, in degrees
_HINGES: dict[str, tuple[tuple[float, float], ...]] = {
    "elbow": ((0, 145), (-5, 150), (-12, 155)),
    "knee": ((0, 142), (-4, 152), (-10, 160)),
    "toe": ((-32, 65), (-40, 80), (-50, 95)),
}


def _ball_limits(ball: _Ball, profile: str) -> Limits:
    factor = (1.0, *ball.factors)[PROFILES.index(profile)]
    bounds: Floats = np.radians([ball.twist, ball.swing_y, ball.swing_z]) * factor
    # a swing beyond half a turn has no meaning
    bounds = np.clip(bounds, -radians(172), radians(172))
    c, s = cos(radians(ball.lean)), sin(radians(ball.lean))
    bone, y = np.array(ball.bone), np.array(ball.y_axis)
    leaning = c * y + s * np.cross(bone, y)
    return Limits(bounds[:, 0].copy(), bounds[:, 1].copy(), limit_frame(bone, leaning))


def limits_profile(profile: str) -> dict[str, Limits]:
    """The limits of every joint of the human but its root, for a named profile."""
    if profile not in PROFILES:
        raise UnknownNameError("limits profile", profile, list(PROFILES))
    middle = {n: _ball_limits(_BALLS[n], profile) for n in ("spine", "chest", "neck", "head")}
    left = {n: _ball_limits(ball, profile) for n, ball in _BALLS.items() if n not in middle}
    out = dict(middle)
    for name, limits in left.items():
        out[f"left_{name}"] = limits
        out[f"right_{name}"] = mirror_limits(limits)
    for name, by_profile in _HINGES.items():
        lower, upper = np.radians(by_profile[PROFILES.index(profile)])
        for side in ("left", "right"):  # mirrored axes: the angles are the same on both sides
            out[f"{side}_{name}"] = Limits(np.array([lower]), np.array([upper]))
    return out
