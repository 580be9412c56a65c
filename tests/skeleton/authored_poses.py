"""Poses of the human that people take every day, authored by hand, in degrees."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from writhe.skeleton import Skeleton

# joint (both sides when the side is not named): hinge angle, or rotation vectors applied in turn
POSES: dict[str, dict[str, object]] = {
    "standing, arms at the sides": {
        "shoulder": [(0, 0, -78), (10, 0, 0)],
        "clavicle": [(0, 0, -4)],
        "elbow": 12,
    },
    "arms folded": {
        "left_shoulder": [(0, 0, -70), (0, -35, 0), (28, 0, 0)],
        "right_shoulder": [(0, 0, 66), (0, 42, 0), (30, 0, 0)],
        "left_elbow": 98,
        "right_elbow": 104,
        "clavicle": [(0, -12, 0)],
    },
    "hands on hips": {
        "shoulder": [(0, 0, -52), (0, 18, 0), (50, 0, 0)],
        "elbow": 100,
        "wrist": [(0, 0, -25), (-50, 0, 0)],
    },
    "hands behind the back": {
        "shoulder": [(0, 56, -70), (80, 0, 0)],
        "elbow": 60,
        "clavicle": [(0, 15, 0)],
    },
    "squat": {
        "hip": [(-115, 0, 0), (0, 0, 15)],
        "knee": 130,
        "ankle": [(-30, 0, 0)],
        "spine": [(25, 0, 0)],
        "shoulder": [(0, -80, 0)],
    },
    "sitting cross-legged": {
        "left_hip": [(-66, 0, 52), (0, 84, 0)],
        "right_hip": [(-62, 0, -52), (0, -80, 0)],
        "left_knee": 122,
        "right_knee": 115,
        "ankle": [(20, 0, 0)],
        "shoulder": [(0, 0, -55), (0, -25, 0)],
        "elbow": 50,
    },
    "reaching overhead": {
        "clavicle": [(0, 0, 32)],
        "shoulder": [(0, 0, 68), (-30, 0, 0)],
    },
}


def configuration(skeleton: Skeleton, pose: dict[str, object]) -> np.ndarray:
    q = skeleton.rest_configuration.copy()
    for name, value in pose.items():
        both = name not in skeleton
        for joint in (f"left_{name}", f"right_{name}") if both else (name,):
            if isinstance(value, list):
                mirror = [1, -1, -1] if both and joint.startswith("right_") else [1, 1, 1]
                turn = Rotation.identity()
                for vector in value:
                    turn *= Rotation.from_rotvec(np.radians(vector) * mirror)
                q[skeleton.q_slice(joint)] = np.roll(turn.as_quat(), 1)
            else:
                q[skeleton.q_slice(joint)] = np.radians(value)
    return q
