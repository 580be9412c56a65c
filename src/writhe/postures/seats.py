"""Seated postures of the human on the built-in chair, for people of other proportions.

The buttocks lie on the seat at any leg length: the height of the hips follows from the shapes of
pelvis and thighs, their place on the seat from the length of the thighs. Feet that would not reach
the floor hang.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.postures.builtin.pose_setting import ACTOR
from writhe.quantities import Point
from writhe.recognition.body_map import BodyMap
from writhe.scene.objects.chair import HALF_DEPTH_M, SEAT_HEIGHT_M, TUBE_RADIUS_M
from writhe.skeleton import Figure, Frames, forward
from writhe.skeleton.limbs import SIDES
from writhe.skeleton.move_root import moved_roots
from writhe.terms import Term

SEAT = "chair"  # the built-in object that is sat on
_PRESSED_M = 0.002  # depth of the buttocks in the seat
_BUTTOCKS = 0.4  # share of the thigh, from the hip, that the body sits on
_CALF_M = 0.02  # between the front of the seat and the calves
_SLOPE = 0.3  # by which share of their length thighs may slope down to let feet reach the floor
_WEIGHT = 30.0


@dataclass(frozen=True)
class SeatedStart:
    """A posture moved onto the seat, and what keeps it there while it is solved for."""

    posture: Floats
    feet_hang: bool
    goals: list[Term]


def is_seated(mapping: BodyMap, q: Floats) -> bool:
    """Whether the hips of the reference posture q are on the seat of a chair at the origin."""
    hips = forward(mapping.reference.skeleton, q).position(mapping.reference.joint_of("hips"))
    return bool(np.abs(hips[[0, 2]]).max() < 0.25 and hips[1] < SEAT_HEIGHT_M + 0.25)


def on_seat(
    mapping: BodyMap, figure: Figure, q: Floats, posture: Floats, standing_ankle_m: float
) -> SeatedStart:
    """The retargeted `posture` of `figure` on the seat, placed on it like the reference's q.

    standing_ankle_m: height of the ankles above the soles.
    """
    frames = forward(figure.skeleton, posture)
    reference = forward(mapping.reference.skeleton, q)
    hips = _middle(frames, figure, "hip")
    known = _middle(reference, mapping.reference, "hip")
    height = SEAT_HEIGHT_M - _PRESSED_M + _buttocks_depth(figure, frames)
    knees, calf_m = _middle(frames, figure, "knee"), _calf_radius(figure)
    edge = HALF_DEPTH_M + TUBE_RADIUS_M + _CALF_M + calf_m
    ahead = max(float(known[2]), edge - float(knees[2] - hips[2]))
    shift = np.array([known[0], height, ahead]) - hips
    moved = moved_roots(figure.skeleton, posture[None], np.eye(3), shift)[0]
    pelvis = figure.joint_of("hips")
    x, y, z = (frames.rotation(pelvis).T @ (hips - frames.position(pelvis))).tolist()
    target = hips + shift
    weights = _WEIGHT * np.array([0.25, 1.0, 0.25])
    goal = Term(Point(f"{ACTOR}.{pelvis}", (x, y, z)), target, target, weights, label="seat")
    thigh, shank = (_length(frames, figure, *pair) for pair in (("hip", "knee"), ("knee", "ankle")))
    hang = standing_ankle_m + shank < height - _SLOPE * thigh
    return SeatedStart(moved, hang, [goal])


def _buttocks_depth(figure: Figure, frames: Frames) -> float:
    """How far pelvis and thighs reach below the hip joints with the thighs level, metres."""
    down, hips = np.array([0.0, -1.0, 0.0]), _middle(frames, figure, "hip")
    pelvis, depth = figure.joint_of("hips"), 0.0
    for c in figure.capsules:
        for side in SIDES:
            if c.joint != figure.joint_of(f"{side}_hip"):
                continue
            start = frames.position(c.joint)
            along = frames.position(figure.joint_of(f"{side}_knee")) - start
            length = float(np.linalg.norm(along))
            along /= length
            below = down - (down @ along) * along
            below /= max(float(np.linalg.norm(below)), 1e-9)
            first, last = (
                frames.point(c.joint, c.start_in_joint),
                frames.point(c.joint, c.end_in_joint),
            )
            for t in np.linspace(0.0, 1.0, 5):
                away = first + t * (last - first) - start
                if float(away @ along) < _BUTTOCKS * length:
                    depth = max(depth, float(away @ below) + c.radius_m)
        if c.joint == pelvis:
            for end in (c.start_in_joint, c.end_in_joint):
                depth = max(depth, float((frames.point(c.joint, end) - hips) @ down) + c.radius_m)
    return depth


def _calf_radius(figure: Figure) -> float:
    """The largest radius of the shapes of the shanks, metres."""
    shanks = {figure.joint_of(f"{side}_knee") for side in SIDES}
    return max((c.radius_m for c in figure.capsules if c.joint in shanks), default=0.0)


def _middle(frames: Frames, figure: Figure, part: str) -> Floats:
    """(3,) midway between the left and the right joint of a kind."""
    return np.mean([frames.position(figure.joint_of(f"{s}_{part}")) for s in SIDES], axis=0)


def _length(frames: Frames, figure: Figure, first: str, second: str) -> float:
    """The mean length of a bone of the legs, metres."""
    ends = (
        [frames.position(figure.joint_of(f"{s}_{part}")) for part in (first, second)] for s in SIDES
    )
    return float(np.mean([np.linalg.norm(b - a) for a, b in ends]))


def seat_gap(figure: Figure, q: Floats) -> float:
    """How far the buttocks of a seated posture are above the seat of a chair at the origin, m."""
    frames = forward(figure.skeleton, q)
    height = float(_middle(frames, figure, "hip")[1])
    return height - _buttocks_depth(figure, frames) - SEAT_HEIGHT_M
