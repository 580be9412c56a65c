"""Characters in the conventions of other software, generated from the built-in human.

Joints have other names and frames (axes along bones) and are all ball joints. There are container
nodes above the hips, end markers, twist bones and, in some, another rest pose. The true roles are
known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.io.figure_from_skeleton import figure_of
from writhe.skeleton import Figure, Joint, JointKind, Skeleton, Skin, Tip, forward, quaternions
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate

_ROLES = (
    "hips", "spine", "chest", "neck", "head",
    "clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe",
)  # fmt: skip


def _names(trunk: str, arm: str, leg: str) -> dict[str, str]:
    """Patterns of joint names by role, separated by spaces."""
    return dict(zip(_ROLES, f"{trunk} {arm} {leg}".split(), strict=True))


_MIXAMO = _names(
    "Hips Spine Spine2 Neck Head",
    "{S}Shoulder {S}Arm {S}ForeArm {S}Hand",
    "{S}UpLeg {S}Leg {S}Foot {S}ToeBase",
)
_UNREAL = _names(
    "pelvis spine_01 spine_03 neck_01 head",
    "clavicle_{s} upperarm_{s} lowerarm_{s} hand_{s}",
    "thigh_{s} calf_{s} foot_{s} ball_{s}",
)
_SMPL = _names(
    "pelvis spine1 spine3 neck head",
    "{S}_collar {S}_shoulder {S}_elbow {S}_wrist",
    "{S}_hip {S}_knee {S}_ankle {S}_foot",
)


@dataclass(frozen=True)
class NamingStyle:
    """How a rig names and orients its joints."""

    name: str
    names: dict[str, str]
    prefix: str = ""
    container: str = ""
    hanging_rad: float = 0.0  # arms lowered from the T-pose
    along_bones: bool = True  # joint frames with an axis along the bone, else random ones
    size: float = 1.0


STYLES = (
    NamingStyle("mixamo", _MIXAMO, "mixamorig:", "Armature"),
    NamingStyle("unreal", _UNREAL, "", "root", hanging_rad=0.8, along_bones=False),
    NamingStyle("smpl", _SMPL, "", "", hanging_rad=0.5, size=0.9),
)


@dataclass(frozen=True)
class GeneratedCharacter:
    """A figure made from the human, and the joint of each role."""

    figure: Figure
    roles: dict[str, str]


def generate(style: NamingStyle, build: Callable[..., Figure] = figure_of) -> GeneratedCharacter:
    """The human in another style, with its skin."""
    human = figure("human")
    skeleton = human.skeleton
    q = skeleton.rest_configuration
    step = np.zeros(skeleton.dof_count)
    for side, sign in (("left", -1.0), ("right", 1.0)):
        step[skeleton.v_slice(f"{side}_shoulder").start + 2] = sign * style.hanging_rad
    posed = forward(skeleton, integrate(skeleton, q, step))
    names = {role: _name(style, role) for role in skeleton.names}
    turns = [_axes(style, j, skeleton, posed.positions) for j in range(len(skeleton))]
    joints: list[Joint] = []
    if style.container:
        joints.append(Joint(style.container, None, JointKind.FIXED))
    for j, joint in enumerate(skeleton.joints):
        parent = int(skeleton.tree.parent[j])
        above = turns[parent] if parent >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
        back = quaternions.conjugate(above)
        origin = posed.positions[parent] if parent >= 0 else np.zeros(3)
        joints.append(
            Joint(
                names[joint.name],
                names[str(joint.parent)] if parent >= 0 else (style.container or None),
                JointKind.FREE if parent < 0 else JointKind.BALL,
                style.size * quaternions.rotate(back, posed.positions[j] - origin),
                quaternions.multiply(back, turns[j]),
            )
        )
    tips = [
        Tip(
            f"{names[t.joint]}_end",
            names[t.joint],
            style.size
            * quaternions.rotate(
                quaternions.conjugate(turns[skeleton.index(t.joint)]),
                posed.tip(t.name) - posed.position(t.joint),
            ),
        )
        for t in skeleton.tips
    ]
    body = Skeleton(joints, tips)
    assert human.skin is not None
    vertices = human.skin.deform(skeleton, posed.positions, posed.rotations)
    index = np.array([body.index(names[name]) for name in skeleton.names], dtype=np.int64)
    skin = Skin(
        style.size * vertices,
        human.skin.triangles,
        index[human.skin.joints],
        human.skin.weights,
    )
    made = build(body, name=f"generated {style.name}", skin=skin, partial=True, anatomy=True)
    return GeneratedCharacter(made, {role: names[joint] for role, joint in human.roles})


def _name(style: NamingStyle, role: str) -> str:
    side, _, part = role.partition("_")
    pattern = style.names.get(part if side in ("left", "right") else role, role)
    upper = side if "collar" in pattern or style.name == "smpl" else side.title()
    return style.prefix + pattern.format(S=upper, s=side[0])


def _axes(style: NamingStyle, joint: int, skeleton: Skeleton, positions: Floats) -> Floats:
    """World rotation (wxyz) of a joint's frame at rest."""
    if not style.along_bones:
        turn = np.random.default_rng(joint).normal(size=4)
        return turn / np.linalg.norm(turn)
    children = np.flatnonzero(skeleton.tree.parent == joint)
    if len(children) == 0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    bone = positions[children[0]] - positions[joint]
    y = bone / np.linalg.norm(bone)
    x = np.cross(y, [0.0, 0.0, 1.0]) if abs(y[2]) < 0.9 else np.cross(y, [0.0, 1.0, 0.0])
    x /= np.linalg.norm(x)
    return quaternions.from_matrices(np.stack([x, y, np.cross(x, y)], axis=1))
