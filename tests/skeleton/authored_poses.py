"""Poses of the human that people take every day, authored by hand, in degrees."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.spatial.transform import Rotation

from writhe.skeleton import Skeleton

# joint (both sides when the side is not named): hinge angle, or rotation vectors applied in turn
# degrees: of a hinge, or rotation vectors of a ball joint, applied in this order
Pose = Mapping[str, float | list[tuple[float, float, float]]]

POSES: dict[str, Pose] = {
    "standing, arms at the sides": {
        "shoulder": [(0, 0, -77), (10, 0, 0)],
        "elbow": 12,
    },
    "arms folded": {
        "left_shoulder": [(-1, 2, -65), (-2, -29, 1), (39, 2, 1)],
        "right_shoulder": [(0, 1, 67), (0, 48, 1), (45, 1, 1)],
        "left_elbow": 92,
        "right_elbow": 98,
        "clavicle": [(0, -10, 0)],
    },
    "arms folded the other way": {
        "right_shoulder": [(-1, -2, 65), (-2, 29, -1), (39, -2, -1)],
        "left_shoulder": [(0, -1, -67), (0, -48, -1), (45, -1, -1)],
        "right_elbow": 92,
        "left_elbow": 98,
        "clavicle": [(0, -10, 0)],
    },
    "hands on hips": {
        "shoulder": [(0, 0, -48), (0, 22, 0), (55, 0, 0)],
        "elbow": 100,
        "wrist": [(0, 0, 25), (-50, 0, 0)],
    },
    "hands behind the back": {
        "left_shoulder": [(2, 41, -58), (76, 3, 1)],
        "right_shoulder": [(4, -45, 60), (76, -4, -5)],
        "left_elbow": 58,
        "right_elbow": 66,
        "clavicle": [(7, 13, 1)],
        "wrist": [(0, 0, 19)],
    },
    "seated": {
        "hip": [(-90, 0, 0), (0, 0, 6)],
        "knee": 90,
        "shoulder": [(0, 0, -70), (0, -25, 0)],
        "elbow": 55,
    },
    "squat": {
        "hip": [(-107, 0, 0), (0, 0, 27)],
        "knee": 130,
        "ankle": [(-30, 0, 0)],
        "spine": [(13, 0, 0)],
        "shoulder": [(0, -80, 0)],
    },
    "kneeling on the heels": {
        "hip": [(-55, 0, 0), (0, 0, 4)],
        "knee": 140,
        "ankle": [(48, 0, 0)],
        "shoulder": [(0, 0, -72), (0, -12, 0)],
        "elbow": 25,
    },
    "sitting cross-legged": {
        "left_hip": [(-70, 0, 52), (0, 80, 0)],
        "right_hip": [(-58, 0, -58), (0, -70, 0)],
        "left_knee": 118,
        "right_knee": 100,
        "ankle": [(20, 0, 0)],
        "shoulder": [(0, 0, -55), (0, -25, 0)],
        "elbow": 50,
    },
    "reaching overhead": {
        "clavicle": [(0, 0, 18)],
        "shoulder": [(0, 0, 64), (-30, 0, 0)],
    },
}


def configuration(skeleton: Skeleton, pose: Pose) -> np.ndarray:
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
