"""Retarget a motion to another skeleton by anatomical roles.

Bone directions come from the source's joint positions, twists from its joint rotations relative to
aligned rest poses (`rest_alignment`), or to a standing frame where the rest pose is of no use
(`standing_rest_pose`). Where the target has a hinge, the flexion comes from the
positions, and the limb above is twisted until the hinge plane fits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats, unit
from writhe.easing import smoothstep
from writhe.errors import WritheError
from writhe.io.figure_from_skeleton import figure_of
from writhe.kernels.skeleton.euler_channels import align_hemispheres
from writhe.recognition import ESSENTIAL, ROLES
from writhe.recognition.rest_alignment import (
    RestBody,
    align_role,
    body_alignment,
    body_axes,
    flat_foot_alignment,
    rest_body,
    shortest_rotation,
)
from writhe.retargeting.planted_feet import lock_planted_feet
from writhe.retargeting.soles import sole
from writhe.retargeting.standing_rest_pose import is_contorted, standing_body
from writhe.skeleton import Figure, Frames, JointKind, Motion, quaternions
from writhe.skeleton.limbs import ANKLES, SIDES

# confidence in the flexion plane rises from 0 at the first flexion angle to 1 at the second
PLANE_FROM_RAD, PLANE_SURE_RAD = np.radians(6.0), np.radians(25.0)
_MIN_CORRECTION_M = 1e-5  # ankles that retargeting moves by less are left as they are
_HINGED = tuple(
    (f"{s}_{upper}", f"{s}_{lower}")
    for s in ("left", "right")
    for upper, lower in (("shoulder", "elbow"), ("hip", "knee"))
)


@checked
def retarget(
    motion: Motion,
    figure: Figure,
    *,
    keep_feet: bool = True,
    source_figure: Figure | None = None,
    floor_m: float | None = None,
) -> Motion:
    """The motion on the figure's skeleton.

    keep_feet: lock the target's feet on the ground where the source's are planted.
    floor_m: height of the ground; by default at the median height of the planted soles.
    source_figure: gives the roles of the motion's joints if they cannot be guessed from names.
    `source["retarget"]` of the result holds the scale, the slide of planted feet and how far
    their soles are off the ground.
    """
    origin = source_figure or figure_of(motion)
    roles_from, roles_to = dict(origin.roles), dict(figure.roles)
    common = set(roles_from) & set(roles_to)
    missing = [role for role in ESSENTIAL if role not in common]
    if missing:
        where = figure.name if any(r not in roles_to for r in missing) else motion.name
        raise WritheError(
            f"cannot retarget: {where!r} has no joint for {', '.join(missing)}; roles must cover "
            "the pelvis (role hips) and both shoulders, elbows, hips, knees and ankles"
        )
    source = rest_body(motion.skeleton, roles_from, common)
    target = rest_body(figure.skeleton, roles_to, common)
    frames = motion.frames()
    turns = _target_rotations(frames, source, target)
    if is_contorted(turns, target):
        source = standing_body(frames, source, target)
        turns = _target_rotations(frames, source, target)
    q = _configurations(turns, target)
    align_hemispheres(figure.skeleton.tree.kind, figure.skeleton.tree.q_start, q)
    result = replace(motion, skeleton=figure.skeleton, q=q)
    scale = target.leg_length() / source.leg_length()
    result = _with_hips_placed(result, frames, source, target, scale)
    report: dict[str, object] = {"from": motion.name, "to": figure.name, "scale": scale}
    if keep_feet:
        soles = {side: sole(figure, target, side) for side in SIDES}
        balls = {side: _ball(frames, roles_from, side) for side in SIDES}
        same = _same_ankles(frames, source, result.frames(), target, scale)
        result, feet = lock_planted_feet(result, balls, target, soles, floor_m, same=same)
        report |= feet
    return replace(result, source={"format": "retarget", "retarget": report})


def _target_rotations(frames: Frames, source: RestBody, target: RestBody) -> dict[str, Floats]:
    """Target world rotations (F, 4) of the joints, by role."""
    whole = body_alignment(source, target)
    alignment: dict[str, Floats] = {}
    turns: dict[str, Floats] = {}
    lower_of = dict(_HINGED)
    for role in ROLES:
        if role not in source.joint:
            continue
        s, t = source.joint[role], target.joint[role]
        alignment[role] = align_role(role, whole, alignment, source, target)
        change = quaternions.multiply(
            quaternions.from_matrices(frames.rotations[:, s]),
            quaternions.conjugate(source.rotations[s]),
        )
        lower = lower_of.get(role)
        bends = lower is not None and lower in source.next_role
        if bends and lower is not None:
            twist = _constant_twist(frames, change, alignment[role], role, lower, source, target)
            about = quaternions.from_axis_angle(unit(target.bones[role]), np.array(twist))
            alignment[role] = quaternions.multiply(alignment[role], about)
        turn = quaternions.multiply(
            change, quaternions.multiply(alignment[role], target.rotations[t])
        )
        flat = role in ANKLES and flat_foot_alignment(role, whole, source, target) is not None
        if role in target.next_role and role != "hips" and not flat:
            turn = _swing_to_bone(frames, turn, role, source, target)
        if bends and lower is not None and _hinge(target, lower):
            angle, confidence = _plane_twist(frames, turn, role, lower, source, target)
            axis = _direction(frames, role, source)
            turn = quaternions.multiply(quaternions.from_axis_angle(axis, confidence * angle), turn)
        turns[role] = turn
    return turns


def _ball(frames: Frames, roles: dict[str, str], side: str) -> Floats:
    """(F, 3) positions of the ball of a foot: the toe joint, or the ankle if there is none."""
    return frames.position(roles.get(f"{side}_toe", roles[f"{side}_ankle"]))


def _same_ankles(
    before: Frames, source: RestBody, after: Frames, target: RestBody, scale: float
) -> bool:
    """Whether retargeting has not moved the ankles."""
    return all(
        np.abs(
            after.positions[:, target.joint[role]] - scale * before.positions[:, source.joint[role]]
        ).max()
        <= _MIN_CORRECTION_M
        for role in ANKLES
    )


def _hinge(body: RestBody, role: str) -> bool:
    return body.skeleton.joints[body.joint[role]].kind is JointKind.HINGE


def _direction(frames: Frames, role: str, body: RestBody) -> Floats:
    """(F, 3) unit directions of a role's bone."""
    after = frames.positions[:, body.joint[body.next_role[role]]]
    return unit(after - frames.positions[:, body.joint[role]])


def _swing_to_bone(
    frames: Frames, turn: Floats, role: str, source: RestBody, target: RestBody
) -> Floats:
    """`turn` followed by the smallest swing that aligns the bone with the source's."""
    t = target.joint[role]
    bone = quaternions.rotate(quaternions.conjugate(target.rotations[t]), target.bones[role])
    now = quaternions.rotate(turn, bone)
    return quaternions.multiply(shortest_rotation(now, _direction(frames, role, source)), turn)


def _hinge_axis(target: RestBody, upper: str, lower: str) -> Floats:
    """The flexion axis of the lower joint at rest, in the frame of the upper one."""
    u, low = target.joint[upper], target.joint[lower]
    joint = target.skeleton.joints[low]
    if joint.kind is JointKind.HINGE:
        in_world = quaternions.rotate(target.rotations[low], joint.axis)
        # hinges may be written with either sign; flexion takes elbows forward and knees back
        axis = in_world if float(in_world @ _flexion_axis(target, upper)) >= 0 else -in_world
    else:
        axis = _flexion_axis(target, upper)
    return quaternions.rotate(quaternions.conjugate(target.rotations[u]), axis)


def _flexion_axis(body: RestBody, upper: str) -> Floats:
    """The anatomical axis of flexion in the rest pose, in the world: u x (flexion direction)."""
    at = {role: body.positions[j] for role, j in body.joint.items()}
    left = at["left_hip"] - at["right_hip"]
    up = at.get("chest", at["left_shoulder"] + at["right_shoulder"] - at["hips"]) - at["hips"]
    ahead = np.cross(left, up)
    towards = -ahead if upper.endswith("hip") else ahead
    return unit(np.cross(body.bones[upper], towards))


def _plane_twist(
    frames: Frames, turn: Floats, upper: str, lower: str, source: RestBody, target: RestBody
) -> tuple[Floats, Floats]:
    """(F,) twist of the limb that fits the hinge plane, rad, and the confidence in it (0..1).

    Near a straight limb the plane is undefined, and a limb flexed slightly the wrong way is
    overextended rather than twisted by half a turn: there the confidence fades to 0.
    """
    u, v = _direction(frames, upper, source), _direction(frames, lower, source)
    axis = quaternions.rotate(turn, _hinge_axis(target, upper, lower))
    axis = unit(axis - (axis * u).sum(axis=1, keepdims=True) * u)
    normal = np.cross(u, v)
    bend = np.arctan2(np.linalg.norm(normal, axis=1), (u * v).sum(axis=1))
    normal = unit(normal)
    angle = np.arctan2((np.cross(axis, normal) * u).sum(axis=1), (axis * normal).sum(axis=1))
    confidence = smoothstep((bend - PLANE_FROM_RAD) / (PLANE_SURE_RAD - PLANE_FROM_RAD))
    # a strongly flexed limb cannot be overextended
    doubt = smoothstep((np.abs(angle) - np.pi / 3) / (np.pi / 3))
    doubt *= 1.0 - smoothstep((bend - np.radians(45.0)) / np.radians(30.0))
    return angle, confidence * (1.0 - doubt)


def _constant_twist(
    frames: Frames,
    change: Floats,
    alignment: Floats,
    upper: str,
    lower: str,
    source: RestBody,
    target: RestBody,
) -> float:
    """A constant twist of the limb that the source's rest pose does not show, rad; mostly zero.

    Some files have collapsed rest poses (all bones along one axis), in which the twist of a limb is
    undefined. It is then estimated from the flexion in the motion.
    """
    turn = quaternions.multiply(
        change, quaternions.multiply(alignment, target.rotations[target.joint[upper]])
    )
    turn = _swing_to_bone(frames, turn, upper, source, target)
    angle, _ = _plane_twist(frames, turn, upper, lower, source, target)
    u, v = _direction(frames, upper, source), _direction(frames, lower, source)
    bend = np.arccos(np.clip((u * v).sum(axis=1), -1.0, 1.0))
    weight = smoothstep((bend - PLANE_SURE_RAD) / np.radians(20.0))
    if weight.sum() < 3.0:
        return 0.0
    mean = complex((weight * np.exp(1j * angle)).sum() / weight.sum())
    twist = float(np.angle(mean))
    return twist if abs(mean) > 0.7 and abs(twist) > np.radians(45.0) else 0.0


def _configurations(turns: dict[str, Floats], target: RestBody) -> Floats:
    """(F, nq) configurations that realise the target world rotations as far as joints allow."""
    skeleton = target.skeleton
    count = len(next(iter(turns.values())))
    q = np.tile(skeleton.rest_configuration, (count, 1))
    role_of = {j: role for role, j in target.joint.items()}
    identity = np.array([1.0, 0.0, 0.0, 0.0])
    world: list[Floats] = []
    for j, joint in enumerate(skeleton.joints):
        parent = int(skeleton.tree.parent[j])
        above = np.tile(identity, (count, 1)) if parent < 0 else world[parent]
        base = quaternions.multiply(above, quaternions.normalised(np.asarray(joint.rest)))
        local = np.tile(identity, (count, 1))
        at = int(skeleton.tree.q_start[j + 1])
        role = role_of.get(j)
        if role is not None and joint.kind in (JointKind.BALL, JointKind.FREE):
            local = quaternions.multiply(quaternions.conjugate(base), turns[role])
            q[:, at - 4 : at] = local
        elif role is not None and joint.kind is JointKind.HINGE:
            angle = _hinge_angle(base, turns[role], role, target)
            q[:, at - 1] = angle
            local = quaternions.from_axis_angle(joint.axis, angle)
        world.append(quaternions.multiply(base, local))
    return q


def _hinge_angle(base: Floats, turn: Floats, role: str, target: RestBody) -> Floats:
    """(F,) the hinge angle that brings its bone nearest to the target direction, rad."""
    j = target.joint[role]
    joint = target.skeleton.joints[j]
    if role not in target.bones:
        between = quaternions.multiply(quaternions.conjugate(base), turn)
        return np.unwrap(quaternions.twist_angles(between, joint.axis))
    bone = quaternions.rotate(quaternions.conjugate(target.rotations[j]), target.bones[role])
    axis = quaternions.rotate(base, joint.axis)
    start, target_position = quaternions.rotate(base, bone), quaternions.rotate(turn, bone)
    along = (start * axis).sum(axis=1) * (target_position * axis).sum(axis=1)
    sine = (np.cross(start, target_position) * axis).sum(axis=1)
    return np.unwrap(np.arctan2(sine, (start * target_position).sum(axis=1) - along))


def _ankle_heights(source: RestBody, target: RestBody) -> tuple[float, float]:
    """Heights of the ankles above the balls of flat feet at rest (source, target), m."""
    whole = body_alignment(source, target)
    up = body_axes(target)[:, 1]
    source_up = quaternions.rotate(whole, up)
    heights: list[tuple[float, float]] = []
    for role in ANKLES:
        if role not in source.bones or role not in target.bones:
            continue
        bone, source_bone = target.bones[role], source.bones[role]
        turned = quaternions.rotate(whole, bone)
        # a foot that points elsewhere belongs to a collapsed rest pose
        if unit(turned) @ unit(source_bone) > 0.5:
            heights.append((max(0.0, float(-source_bone @ source_up)), max(0.0, float(-bone @ up))))
    if not heights:
        return 0.0, 0.0
    mean = np.mean(heights, axis=0)
    return float(mean[0]), float(mean[1])


def _with_hips_placed(
    result: Motion, frames: Frames, source: RestBody, target: RestBody, scale: float
) -> Motion:
    """The result with its hips at the source's position, scaled by leg length."""
    skeleton = target.skeleton
    chain = skeleton.ancestors(skeleton.names[target.joint["hips"]])
    free = next((j for j in chain if skeleton.joints[j].kind is JointKind.FREE), None)
    if free is None:
        raise WritheError("cannot retarget: neither the target's hips nor a joint above is free")
    source_middle = _hip_centre(frames.positions, source)
    target_position = scale * source_middle
    source_height, height = _ankle_heights(source, target)
    target_position[:, 1] += height - scale * source_height
    here = result.frames()
    shift = target_position - _hip_centre(here.positions, target)
    parent = int(skeleton.tree.parent[free])
    above = np.eye(3) if parent < 0 else here.rotations[:, parent]
    base = above @ skeleton.tree.rest[free]
    q = result.q.copy()
    at = int(skeleton.tree.q_start[free])
    q[:, at : at + 3] += np.einsum("...ba,...b->...a", base, shift)
    return replace(result, q=q)


def _hip_centre(positions: Floats, body: RestBody) -> Floats:
    return 0.5 * (positions[:, body.joint["left_hip"]] + positions[:, body.joint["right_hip"]])
