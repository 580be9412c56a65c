"""Collision capsules, joint limits and masses of a character that a file does not give.

Capsules are fitted to the skin if there is one (`skeleton/shape_fitting/fit_to_skin.py`), else to
the bones (`skeleton/shape_fitting/fit_to_bones.py`). Structural joints, helpers and end markers get
none: the skin of a helper is covered by the shapes of the nearest joint of the body above it. The
fingers and the hand form one part, and so do the joints of the spine; shapes of one part are not
tested against each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.recognition.body_map import BodyMap
from writhe.recognition.carried_limits import carried_limits, finger_limits
from writhe.recognition.recognise import Recognition
from writhe.recognition.roles import FINGER_ROLES, RigKind
from writhe.skeleton import Capsule, Figure, JointKind, Skeleton, Skin, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.shape_fitting.capsule_masses import with_masses
from writhe.skeleton.shape_fitting.fit_to_bones import fit_to_bones
from writhe.skeleton.shape_fitting.fit_to_skin import fit_to_skin
from writhe.skeleton.shape_fitting.store import stored_capsules

# Bodies other than persons with more joints get shapes by their bones, because fitting to the skin
# takes seconds per hundred joints.
_MAX_JOINTS = 200
_ARM_ASIDE = 0.24  # tangent of the angle of a hanging arm to the vertical, as the human stands
_WITHOUT_SHAPES = (RigKind.HAIR, RigKind.CLOTH, RigKind.ATTACHMENT)
_OF_THE_JOINT_ABOVE = (RigKind.HELPER, RigKind.END, RigKind.FACE, RigKind.TOE)


def body_shapes(skeleton: Skeleton, match: Recognition, skin: Skin | None) -> tuple[Capsule, ...]:
    """Fitted capsules; none if there is neither skin nor a bone to fit them to."""
    if skin is not None and (match.is_person or len(skeleton) <= _MAX_JOINTS):
        carrier = skin_carriers(skeleton, match)
        parts = shape_parts(skeleton, match)
        fingers = _fingers(skeleton, match)
        clear = "left_clavicle" in match.roles  # else the arm's own shapes reach into the chest
        postures = _hanging_arms(skeleton, match.roles) if match.is_person and clear else []
        # many small shapes of a trunk would hinder its limbs
        detailed = frozenset(
            [skeleton.index(match.roles["head"])] if "head" in match.roles else range(len(skeleton))
        )
        body = skeleton, skin, carrier, parts, fingers, postures, detailed
        found = stored_capsules(*body, lambda: fit_to_skin(*body))
        if found:
            return found
    try:
        return fit_to_bones(skeleton, roles=match.body_roles)
    except WritheError:
        return ()


def skin_carriers(skeleton: Skeleton, match: Recognition) -> Ints:
    """(n,) the joint whose shapes cover the skin of each joint; -1 for skin without shapes.

    Hair, cloth, weapons and other attachments with their own joints get no shapes: they are meant
    to move with the body and would obstruct its poses. Skin on a container (armature node) is
    carried by the hips.
    """
    out = np.arange(len(skeleton), dtype=np.int64)
    hips = match.roles.get("hips") if match.is_person else None
    for j, name in enumerate(skeleton.names):
        kind = match.kinds.get(name, RigKind.UNKNOWN)
        parent = int(skeleton.tree.parent[j])
        if kind in _WITHOUT_SHAPES and hips is not None:
            out[j] = -1
        elif kind is RigKind.CONTAINER and hips is not None:
            out[j] = skeleton.index(hips)
        elif kind in _OF_THE_JOINT_ABOVE and parent >= 0 and hips is not None:
            out[j] = out[parent]
    return out


def shape_parts(skeleton: Skeleton, match: Recognition) -> dict[int, str]:
    """Joint to the part of its shapes, where that is not the joint's name."""
    parts: dict[int, str] = {}
    roles = match.roles
    for side in ("left", "right"):
        wrist = roles.get(f"{side}_wrist")
        if wrist is not None:
            at = skeleton.index(wrist)
            for j in range(at, int(skeleton.tree.subtree_end[at])):
                parts[j] = wrist
    for first, last in (("spine", "chest"), ("neck", "head")):
        if first in roles and last in roles:
            path = skeleton.path(roles[first], roles[last])
            inner = path if first == "spine" else path[:-1]
            for j in inner:
                parts[j] = roles[last] if first == "spine" else roles[first]
    return parts


def _fingers(skeleton: Skeleton, match: Recognition) -> frozenset[int]:
    found: set[int] = set()
    for side in ("left", "right"):
        wrist = match.roles.get(f"{side}_wrist")
        if wrist is not None:
            at = skeleton.index(wrist)
            found |= set(range(at + 1, int(skeleton.tree.subtree_end[at])))
    return frozenset(found)


def _hanging_arms(skeleton: Skeleton, roles: Mapping[str, str]) -> list[Floats]:
    """The rest pose with both arms hanging beside the body; none if the arms are not known."""
    from scipy.spatial.transform import Rotation  # a sixth of the start of `writhe certify`

    rest = forward(skeleton, skeleton.rest_configuration)
    if not {"left_shoulder", "right_shoulder"} <= set(roles):
        return []
    aside = rest.position(roles["left_shoulder"]) - rest.position(roles["right_shoulder"])
    aside /= max(float(np.linalg.norm(aside)), 1e-9)
    q = skeleton.rest_configuration.copy()
    for side, sign in (("left", 1.0), ("right", -1.0)):
        shoulder, elbow = roles[f"{side}_shoulder"], roles.get(f"{side}_elbow")
        if elbow is None or skeleton.joints[skeleton.index(shoulder)].kind is not JointKind.BALL:
            return []
        bone = rest.position(elbow) - rest.position(shoulder)
        down = sign * _ARM_ASIDE * aside - np.array([0.0, 1.0, 0.0])
        turn = Rotation.align_vectors(down[None], bone[None])[0]
        own = Rotation.from_matrix(rest.rotations[skeleton.index(shoulder)])
        local = cast("Floats", (own.inv() * turn * own).as_quat())
        q[skeleton.q_slice(shoulder)] = np.roll(local, 1)
    return [q]


def with_anatomy(body: Figure, match: Recognition) -> Figure:
    """The figure with masses by volume and, for a person, the limits of the built-in human."""
    skeleton = with_masses(body.skeleton, body.capsules)
    human = figure("human")
    if dict(body.roles).keys() >= {"hips", "left_ankle", "right_ankle", "left_elbow"}:
        try:
            mapping = BodyMap(body, human)
        except WritheError:
            return replace(body, skeleton=skeleton)
        fingers = {role: match.roles[role] for role in FINGER_ROLES if role in match.roles}
        known = carried_limits(mapping) | finger_limits(skeleton, dict(body.roles), fingers)
        missing = {
            joint.name: known[joint.name]
            for joint in skeleton.joints
            if joint.limits is None and joint.name in known and joint.kind is JointKind.BALL
        }
        skeleton = skeleton.with_limits(missing)
    return replace(body, skeleton=skeleton)
