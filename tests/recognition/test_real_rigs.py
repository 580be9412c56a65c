"""Characters and motions from elsewhere: the roles that a look at each rig gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from writhe import load, recognise
from writhe.recognition import RigKind

FOLDER = Path(__file__).parents[3] / "shared" / "characters"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="characters from elsewhere are absent")

_MIXAMO_LIMBS = (
    "clavicle={S}Shoulder shoulder={S}Arm elbow={S}ForeArm wrist={S}Hand"
    " hip={S}UpLeg knee={S}Leg ankle={S}Foot toe={S}ToeBase"
)
# file: midline, limbs of a side
EXPECTED = {
    "Michelle.glb": (
        "hips=Hips spine=Spine chest=Spine2 neck=Neck head=Head",
        _MIXAMO_LIMBS,
        "mixamorig:",
    ),
    "rokoko_jesse.bvh": (
        "hips=Hips spine=Spine chest=Spine2 neck=Neck head=Head",
        _MIXAMO_LIMBS,
        "",
    ),
    "fair1_zombie.bvh": (
        "hips=Hips spine=Spine chest=Spine3 neck=Neck head=Head",
        _MIXAMO_LIMBS,
        "",
    ),
    "pybvh1.bvh": ("hips=Hips spine=Spine chest=Spine3 neck=Neck head=Head", _MIXAMO_LIMBS, ""),
    "pymo_walk.bvh": ("hips=Hips spine=Spine head=Head", _MIXAMO_LIMBS, ""),
    "xia_angry.bvh": (
        "hips=Hips spine=Spine chest=Spine1 neck=Neck1 head=Head",
        _MIXAMO_LIMBS.replace("{S}Hand", "{S}FingerBase"),
        "",
    ),
    "bandai_bow.bvh": (
        "hips=Hips spine=Spine chest=Chest neck=Neck head=Head",
        "clavicle=Shoulder_{C} shoulder=UpperArm_{C} elbow=LowerArm_{C} wrist=Hand_{C}"
        " hip=UpperLeg_{C} knee=LowerLeg_{C} ankle=Foot_{C} toe=Toes_{C}",
        "",
    ),
    "RiggedFigure.glb": (
        "hips=torso_joint_1 spine=torso_joint_2 chest=torso_joint_3 neck=neck_joint_1"
        " head=neck_joint_2",
        "shoulder=arm_joint_{C}_1 elbow=arm_joint_{C}_2 wrist=arm_joint_{C}_3"
        " hip=leg_joint_{C}_1 knee=leg_joint_{C}_2 ankle=leg_joint_{C}_3 toe=leg_joint_{C}_5",
        "",
    ),
}


def expected(file: str) -> dict[str, str]:
    midline, limbs, prefix = EXPECTED[file]
    rows = dict(word.split("=") for word in midline.split())
    for side in ("left", "right"):
        for word in limbs.split():
            part, joint = word.split("=")
            rows[f"{side}_{part}"] = joint.format(S=side.title(), C=side[0].upper())
    return {role: prefix + joint for role, joint in rows.items()}


@pytest.mark.parametrize("file", list(EXPECTED))
def test_people_are_recognised(file):
    found = recognise(load(FOLDER / file).skeleton)
    assert found.body_roles == expected(file)
    assert found.is_person


def test_joints_numbered_from_either_end_are_told_by_structure():
    roles = recognise(load(FOLDER / "CesiumMan.glb").skeleton).roles
    assert roles["left_shoulder"] == "Skeleton_arm_joint_L__4_"
    assert roles["left_elbow"] == "Skeleton_arm_joint_L__3_"
    assert roles["right_shoulder"] == "Skeleton_arm_joint_R"
    assert roles["right_wrist"] == "Skeleton_arm_joint_R__3_"


def test_a_fox_is_no_person():
    found = recognise(load(FOLDER / "Fox.glb").skeleton)
    assert not found.is_person
    assert found.roles == {}
    assert ("b_LeftLeg01_015", "b_LeftLeg02_016", "b_LeftFoot01_017", "b_LeftFoot02_018") in (
        found.limbs
    )


def test_a_robot_whose_feet_are_apart_from_its_legs_lacks_ankles():
    found = recognise(load(FOLDER / "RobotExpressive.glb").skeleton)
    assert not found.is_person
    assert {"left_ankle", "right_ankle"} <= set(found.missing)
    assert found.roles["left_elbow"] == "LowerArm.L"
    assert found.kinds["Foot.L"] is RigKind.HELPER


def test_the_hips_of_a_clip_stand_where_its_channels_say():
    """OFFSET and position channels on the hips: Blender reads them at 0.935 m."""
    frames = load(FOLDER / "bandai_bow.bvh").frames()
    assert frames.position("Hips")[0][1] == pytest.approx(0.935, abs=0.001)
