"""The gaze follows a hand: neck and head turn part of the way towards a point."""

from __future__ import annotations

from math import atan2, cos, hypot, sin, sqrt
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.rotation import quaternion_difference, quaternion_multiply

SHARE = 0.6  # of the angle to the point by which the head turns
MOST_ASIDE, MOST_UP, MOST_DOWN = 0.8, 0.5, 0.35  # radians
# a point this far aside, or this far below, is no longer looked at (radians)
SEEN_FROM, SEEN_TO = 1.4, 1.8
LOW_FROM, LOW_TO = 0.85, 1.2
NEAR_M, FAR_M = 0.3, 0.5  # between these distances from the head the gaze fades out
GAIN, MAX_RAD = 0.1, 0.02  # fraction of the way in a frame, and the most by which a joint turns


class GazeJoints(NamedTuple):
    """The neck and head joints of a body and their rest pose."""

    joints: Ints  # (3,) the parent of the neck (chest), neck, head; empty: no gaze
    q_start: Ints  # (2,) of neck and head
    v_start: Ints  # (2,)
    chest: Floats  # (3, 3) world rotation of the chest at rest
    frames: Floats  # (2, 3, 3) world rotations of the joints' frames at rest
    turns: Floats  # (2, 4) their configurations at rest
    wanted: Floats  # (4,) workspace
    step: Floats  # (3,) workspace


@kernel
def _between(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


@kernel
def add_gaze_pull(
    gaze: GazeJoints,
    positions: Floats,
    rotations: Floats,
    q: Floats,
    point: Floats,
    strength: float,
    inertia: Floats,
    pull: Floats,
) -> None:
    """Add to pull (nv) the pulls on neck and head that turn the face towards a point (3).

    The goal is SHARE of the angles, aside and up, from straight ahead of the chest to the point;
    neck and head turn by half of it each. Alone, the pull would turn a joint by GAIN of the way.
    """
    chest, head = gaze.joints[0], gaze.joints[2]
    left, up, ahead = 0.0, 0.0, 0.0
    for r in range(3):  # the direction in the frame of the chest, at rest: left, up, ahead
        seen = 0.0
        for c in range(3):
            seen += rotations[chest, c, r] * (point[c] - positions[head, c])
        left += gaze.chest[0, r] * seen
        up += gaze.chest[1, r] * seen
        ahead += gaze.chest[2, r] * seen
    aside, raised = atan2(left, ahead), atan2(up, hypot(left, ahead))
    away = sqrt(left * left + up * up + ahead * ahead)
    share = SHARE * _between((away - NEAR_M) / (FAR_M - NEAR_M), 0.0, 1.0)
    share *= _between((SEEN_TO - abs(aside)) / (SEEN_TO - SEEN_FROM), 0.0, 1.0)
    share *= _between((LOW_TO + raised) / (LOW_TO - LOW_FROM), 0.0, 1.0)
    yaw = 0.25 * _between(share * aside, -MOST_ASIDE, MOST_ASIDE)  # half of a half angle
    pitch = -0.25 * _between(share * raised, -MOST_DOWN, MOST_UP)
    w = cos(yaw) * cos(pitch)
    x, y, z = cos(yaw) * sin(pitch), sin(yaw) * cos(pitch), -sin(yaw) * sin(pitch)
    wanted, step = gaze.wanted, gaze.step
    for i in range(2):
        frame, at, v_at = gaze.frames[i], gaze.q_start[i], gaze.v_start[i]
        wanted[0] = w
        for r in range(3):
            wanted[r + 1] = frame[0, r] * x + frame[1, r] * y + frame[2, r] * z
        quaternion_multiply(wanted, gaze.turns[i], wanted)
        quaternion_difference(q[at : at + 4], wanted, step)
        angle = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2])
        gain = strength * min(GAIN, MAX_RAD / max(angle, 1e-9))
        for r in range(3):
            pull[v_at + r] += inertia[v_at + r] * gain * step[r]
