"""Roles of the joint names of every naming family."""

from __future__ import annotations

import pytest

from writhe import figure_of
from writhe.errors import WritheError
from writhe.recognition.names import FAMILIES, ROLES, match_roles
from writhe.skeleton import Joint, JointKind, Skeleton
from writhe.skeleton.figures import figure

LIMBS = "{S}UpLeg {S}Leg {S}Foot {S}Shoulder {S}Arm {S}ForeArm {S}Hand"
# joints as the programs write them, with helpers and twist bones that must stay unassigned
REAL_NAMES = {
    "cmu": "Hips LHipJoint RHipJoint LowerBack Spine Spine1 Neck Neck1 Head LThumb RThumb "
    + LIMBS
    + " {S}ToeBase {S}FingerBase {S}HandIndex1",
    "mixamo": "Hips Spine Spine1 Spine2 Neck Head HeadTop_End {S}ToeBase {S}Toe_End {S}HandThumb1 "
    + LIMBS,
    "lafan1": "Hips Spine Spine1 Spine2 Neck Head {S}Toe " + LIMBS,
    "smpl": "pelvis spine1 spine2 spine3 neck head {l}_hip {l}_knee {l}_ankle {l}_foot {l}_collar "
    "{l}_shoulder {l}_elbow {l}_wrist {l}_hand",
    "rigify": "root DEF-spine DEF-spine.001 DEF-spine.002 DEF-spine.003 DEF-spine.004 "
    "DEF-spine.005 DEF-spine.006 DEF-shoulder.{C} DEF-upper_arm.{C} DEF-upper_arm.{C}.001 "
    "DEF-forearm.{C} DEF-forearm.{C}.001 DEF-hand.{C} DEF-thigh.{C} DEF-thigh.{C}.001 "
    "DEF-shin.{C} DEF-foot.{C} DEF-toe.{C} DEF-pelvis.{C} ORG-thigh.{C} ORG-spine",
    "unreal": "root pelvis spine_01 spine_02 spine_03 neck_01 head clavicle_{s} upperarm_{s} "
    "upperarm_twist_01_{s} lowerarm_{s} lowerarm_twist_01_{s} hand_{s} thigh_{s} "
    "thigh_twist_01_{s} calf_{s} foot_{s} ball_{s} ik_foot_{s} index_01_{s}",
    "human": " ".join(figure("human").skeleton.names),
}


def names_of(family: str) -> list[str]:
    out: list[str] = []
    for word in REAL_NAMES[family].split():
        for side in ("left", "right"):
            name = word.format(S=side.title(), s=side[0], C=side[0].upper(), l=side)
            name = f"mixamorig:{name}" if family == "mixamo" else name
            if name not in out:
                out.append(name)
    return out


@pytest.mark.parametrize("family", list(FAMILIES))
def test_each_family_is_recognised_whole(family):
    match = match_roles(names_of(family))
    assert match.family == family
    assert match.missing == ()
    assert set(match.roles) == set(ROLES)
    assert len(set(match.roles.values())) == len(ROLES)


@pytest.mark.parametrize(
    ("family", "role", "joint"),
    [
        ("cmu", "left_wrist", "LeftFingerBase"),
        ("mixamo", "chest", "mixamorig:Spine2"),
        ("mixamo", "left_clavicle", "mixamorig:LeftShoulder"),
        ("smpl", "left_toe", "left_foot"),
        ("rigify", "hips", "DEF-spine"),
        ("rigify", "right_hip", "DEF-thigh.R"),
        ("unreal", "right_elbow", "lowerarm_r"),
    ],
)
def test_roles_go_to_the_right_joint(family, role, joint):
    assert match_roles(names_of(family)).roles[role] == joint


def test_a_skeleton_that_is_no_person_lists_what_is_missing():
    skeleton = Skeleton(
        [Joint("hips", None, JointKind.FREE), Joint("tail", "hips", JointKind.BALL)]
    )
    with pytest.raises(WritheError, match=r"left_shoulder.*its joints are: hips, tail"):
        figure_of(skeleton)
    assert figure_of(skeleton, partial=True).roles == (("hips", "hips"),)


def test_roles_can_be_given():
    human = figure("human").skeleton
    number = {name: f"j{j}" for j, name in enumerate(human.names)}
    renamed = Skeleton(
        Joint(number[j.name], number.get(j.parent or ""), j.kind, j.offset_in_parent, axis=j.axis)
        for j in human.joints
    )
    built = figure_of(renamed, roles=number)
    assert built.joint_of("left_knee") == number["left_knee"]
    with pytest.raises(WritheError, match="no role"):
        figure_of(renamed, roles={"left_fin": "j0"})


def test_strands_of_the_human_are_its_own():
    human = figure("human")
    assert figure_of(human.skeleton).strands == human.strands
