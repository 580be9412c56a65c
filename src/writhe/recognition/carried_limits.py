"""Joint limits of the built-in human transferred to another person's skeleton by roles.

Limits are relative to the T-pose of the human. For a body with another rest pose (an A-pose), the
swing bounds are shifted by the rotation between the two rest poses. Elbows, knees and toes, hinges
of the human, become ball joints that bend about one axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.skeleton.joint_limits import swing_twist
from writhe.recognition.body_map import BodyMap
from writhe.skeleton import JointKind, Limits, Skeleton, quaternions
from writhe.skeleton.limits import limit_frame

_LEAST = np.radians(4.0)  # least swing, in each direction, between the rest pose and its bounds
_HINGE_TWIST, _HINGE_SIDE = np.radians(20.0), np.radians(18.0)
_BETWEEN = (
    0.6  # joints between two roles (further vertebrae) get this fraction of the next role's limits
)
# degrees: bending towards the palm, spreading
_FINGER_BEND, _FINGER_SPREAD = (-20.0, 95.0), (16.0, 8.0)
_THUMB = 55.0


def carried_limits(mapping: BodyMap) -> dict[str, Limits]:
    """Limits by joint name of the body, for its ball joints with a role and those between."""
    body, reference = mapping.body, mapping.reference
    roles, known = dict(body.roles), dict(reference.roles)
    skeleton = body.skeleton
    limits: dict[str, Limits] = {}
    for role, name in roles.items():
        joint = skeleton.joints[skeleton.index(name)]
        if role not in mapping.alignment or role == "hips" or joint.kind is not JointKind.BALL:
            continue
        source = reference.skeleton.joints[reference.skeleton.index(known[role])]
        if source.limits is None:
            continue
        base = source.limits
        if source.kind is JointKind.HINGE:
            base = _as_ball(mapping, role, np.asarray(source.axis), source.limits)
        limits[name] = _moved(mapping, role, base)
    _between(skeleton, roles, limits)
    return limits


def _as_ball(mapping: BodyMap, role: str, axis: Floats, limits: Limits) -> Limits:
    """A hinge as a ball joint: swing about the hinge's axis, little twist and sideways swing."""
    bone = mapping.reference_bone(role)
    low, high = float(limits.lower[0]), float(limits.upper[0])
    return Limits(
        np.array([-_HINGE_TWIST, min(low, -_LEAST), -_HINGE_SIDE]),
        np.array([_HINGE_TWIST, high, _HINGE_SIDE]),
        limit_frame(bone, axis),
    )


def _moved(mapping: BodyMap, role: str, limits: Limits) -> Limits:
    """Limits of the reference in the frame of the body's joint, about the body's rest pose."""
    aligned, offset = mapping.rest_offset(role)
    frame = quaternions.multiply(quaternions.conjugate(aligned), np.asarray(limits.frame))
    coordinates = np.empty(3)
    swing_twist(np.ascontiguousarray(offset), np.ascontiguousarray(limits.frame), coordinates)
    lower, upper = np.array(limits.lower), np.array(limits.upper)
    lower[1:], upper[1:] = lower[1:] - coordinates[1:], upper[1:] - coordinates[1:]
    return Limits(
        np.minimum(np.maximum(lower, -3.0), -_LEAST),
        np.maximum(np.minimum(upper, 3.0), _LEAST),
        frame,
    )


def _between(skeleton: Skeleton, roles: Mapping[str, str], limits: dict[str, Limits]) -> None:
    """Limits of joints between two roles of the trunk: those of the next role, reduced."""
    chain = [roles[r] for r in ("hips", "spine", "chest", "neck", "head") if r in roles]
    for upper, lower in pairwise(chain):
        if upper not in [skeleton.names[j] for j in skeleton.ancestors(lower)]:
            continue
        given = limits.get(lower)
        for j in skeleton.path(upper, lower)[1:-1]:
            joint = skeleton.joints[j]
            if given is None or joint.kind is not JointKind.BALL or joint.name in limits:
                continue
            # the limit frame of the next joint, expressed in the frame of this one at rest
            turn = _rest_between(skeleton, j, skeleton.index(lower))
            frame = quaternions.multiply(turn, np.asarray(given.frame))
            limits[joint.name] = Limits(_BETWEEN * given.lower, _BETWEEN * given.upper, frame)


def _rest_between(skeleton: Skeleton, above: int, below: int) -> Floats:
    """The rest rotation of joint `below` in the frame of its ancestor `above`."""
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    j = below
    while j != above:
        turn = quaternions.multiply(np.asarray(skeleton.joints[j].rest), turn)
        j = int(skeleton.tree.parent[j])
    return turn


def finger_limits(
    skeleton: Skeleton, roles: Mapping[str, str], fingers: Mapping[str, str]
) -> dict[str, Limits]:
    """Limits of finger joints: hinges towards the palm, knuckles that also spread a little.

    fingers: finger role ("left_index_1") to joint name. The palm is spanned by wrist, index and
    little finger (or the outermost fingers that exist).
    """
    at = skeleton.rest_positions
    turns = _rest_rotations(skeleton)
    out: dict[str, Limits] = {}
    for side in ("left", "right"):
        wrist = roles.get(f"{side}_wrist")
        knuckles = [
            fingers[f"{side}_{finger}_1"]
            for finger in ("index", "middle", "ring", "pinky")
            if f"{side}_{finger}_1" in fingers
        ]
        if wrist is None or len(knuckles) < 2:
            continue
        first, last = (
            at[skeleton.index(k)] - at[skeleton.index(wrist)] for k in (knuckles[0], knuckles[-1])
        )
        # the normal out of the palm
        palm = np.cross(last, first) if side == "left" else np.cross(first, last)
        for role, name in fingers.items():
            j = skeleton.index(name)
            if not role.startswith(side) or skeleton.joints[j].kind is not JointKind.BALL:
                continue
            bone = _bone(skeleton, j, at)
            if bone is None:
                continue
            axis = np.cross(bone, palm)
            if np.linalg.norm(axis) < 1e-9:
                continue
            back = quaternions.conjugate(turns[j])
            frame = limit_frame(quaternions.rotate(back, bone), quaternions.rotate(back, axis))
            thumb, knuckle = "_thumb_" in role, role.endswith("_1")
            bend = np.radians((-_THUMB, _THUMB) if thumb else _FINGER_BEND)
            side_rad = np.radians(_THUMB if thumb and knuckle else _FINGER_SPREAD[not knuckle])
            twist = np.radians(30.0 if thumb and knuckle else 5.0)
            out[name] = Limits(
                np.array([-twist, bend[0], -side_rad]), np.array([twist, bend[1], side_rad]), frame
            )
    return out


def _rest_rotations(skeleton: Skeleton) -> Floats:
    from writhe.skeleton import transforms

    return transforms.rest_world_quaternions(skeleton)


def _bone(skeleton: Skeleton, joint: int, at: Floats) -> Floats | None:
    """From a joint to its farthest child, or on from its parent if it has none."""
    children = skeleton.children(skeleton.names[joint])
    bones = [at[c] - at[joint] for c in children]
    if not bones and skeleton.tree.parent[joint] >= 0:
        bones = [at[joint] - at[int(skeleton.tree.parent[joint])]]
    bone = max(bones, key=lambda b: float(b @ b), default=None)
    return None if bone is None or np.linalg.norm(bone) < 1e-6 else bone
