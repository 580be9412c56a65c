"""Roles of joints in rigs of many families, by names and by structure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from writhe import figure_of, recognise
from writhe.errors import WritheError
from writhe.recognition import RigKind, roles_of_vrm
from writhe.recognition.roles import ROLES
from writhe.research.evaluation.rigs import STYLES, build_rig
from writhe.research.evaluation.rigs.language_styles import LANGUAGE_STYLES
from writhe.skeleton import Joint, JointKind, Skeleton
from writhe.skeleton.figures import figure

# without names, these cannot be told from another arrangement: Biped's legs hang on the spine,
# Second Life's foot has two joints in front of the ankle, a lone thumb is not a hand
# MMD's clavicle has a helper before and behind it
NAMES_NEEDED = ("biped", "second life", "asf", "cmu", "mmd with helpers")


def test_the_rigs_are_many():
    assert len(STYLES) >= 25
    assert len({style.family for style in STYLES.values()}) >= 12


@pytest.mark.parametrize("name", list(STYLES))
def test_each_rig_is_recognised_without_a_wrong_role(name):
    rig = build_rig(STYLES[name])
    found = recognise(rig.skeleton)
    assert found.roles == {role: rig.roles[role] for role in found.roles}
    assert set(found.roles) == set(rig.roles)
    assert found.is_person
    assert set(found.missing) == set(ROLES) - set(rig.roles)
    assert found.confidence > 0.6
    assert found.family == STYLES[name].family


@pytest.mark.parametrize("name", [name for name in STYLES if name not in NAMES_NEEDED])
def test_structure_alone_finds_a_standing_person(name):
    rig = build_rig(STYLES[name], names_hidden=True)
    found = recognise(rig.skeleton)
    assert found.roles == {role: rig.roles[role] for role in found.roles}
    assert set(found.roles) == set(rig.roles)
    assert found.is_person


@pytest.mark.parametrize("name", list(LANGUAGE_STYLES))
def test_names_in_other_languages_are_understood(name):
    assert recognise(build_rig(LANGUAGE_STYLES[name]).skeleton).confidence > 0.95


def with_bones(rig, lengths, shifts=None):
    """The skeleton with the bones to some roles scaled, and shifted (metres)."""
    role_of = {joint: role.split("_", 1)[-1] for role, joint in rig.roles.items()}
    joints = []
    for joint in rig.skeleton.joints:
        part = role_of.get(joint.name, "")
        offset = lengths.get(part, 1.0) * joint.offset_in_parent
        joints.append(replace(joint, offset_in_parent=offset + (shifts or {}).get(part, 0.0)))
    return Skeleton(joints, rig.skeleton.tips)


CHILD = {"knee": 0.62, "ankle": 0.62, "elbow": 0.6, "wrist": 0.6, "spine": 0.85, "chest": 0.85}
TALL = {"knee": 1.7, "ankle": 1.7, "elbow": 1.5, "wrist": 1.5}
# legs of a faun: the knee far in front, the heel high behind it
FAUN = {"knee": (0.0, 0.12, 0.18), "ankle": (0.0, 0.12, -0.3), "toe": (0.0, -0.1, 0.0)}


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("lengths", "shifts"), [(CHILD, {}), (TALL, {}), ({}, FAUN)])
def test_children_giants_and_fauns_are_recognised(lengths, shifts, hidden):
    rig = build_rig(STYLES["mixamo"], names_hidden=hidden)
    moved = {part: np.array(shift) for part, shift in shifts.items()}
    found = recognise(with_bones(rig, lengths, moved))
    assert found.is_person
    assert found.roles == rig.roles


def test_names_and_structure_together_are_surer_than_structure_alone():
    style = STYLES["unreal 4"]
    named = recognise(build_rig(style).skeleton)
    hidden = recognise(build_rig(style, names_hidden=True).skeleton)
    assert named.confidence > hidden.confidence > 0.5


@pytest.mark.parametrize(
    ("style", "joint", "kind"),
    [
        ("unreal 4", "root", RigKind.CONTAINER),
        ("unreal 4", "upperarm_twist_01_l", RigKind.HELPER),
        ("unreal 4", "ik_foot_l", RigKind.HELPER),
        ("unreal 4", "spine_02", RigKind.BODY),
        ("mixamo", "mixamorig:HeadTop_End", RigKind.END),
        ("mixamo", "mixamorig:LeftToe_End", RigKind.END),
        ("mixamo", "mixamorig:LeftHandIndex4", RigKind.END),
        ("mixamo", "mixamorig:LeftHandIndex2", RigKind.FINGER),
        ("vroid", "J_Sec_L_SkirtSide_01", RigKind.CLOTH),
        ("vroid", "J_Sec_L_SkirtSide_01_1_2_3", RigKind.CLOTH),
        ("vroid", "J_Sec_Hair1_01", RigKind.HAIR),
        ("vroid", "J_Adj_L_FaceEye", RigKind.FACE),
        ("unity", "LeftWeaponSocket", RigKind.ATTACHMENT),
        ("bandai-namco", "joint_Root", RigKind.CONTAINER),
        ("unreal 5", "index_metacarpal_l", RigKind.FINGER),
    ],
)
def test_the_other_joints_have_kinds(style, joint, kind):
    assert recognise(build_rig(STYLES[style]).skeleton).kinds[joint] is kind


def test_twist_bones_without_names_are_helpers():
    style = STYLES["unreal 4"]
    rig, hidden = build_rig(style), build_rig(style, names_hidden=True)
    label = dict(zip(rig.skeleton.names, hidden.skeleton.names, strict=True))
    kinds = recognise(hidden.skeleton).kinds
    for name in ("upperarm_twist_01_l", "thigh_twist_01_r"):
        assert kinds[label[name]] is RigKind.HELPER


def quadruped(names: dict[str, str]) -> Skeleton:
    """Four legs, a level trunk, a tail; metres, Y up."""
    rows: list[tuple[str, str | None, tuple[float, float, float]]] = [
        ("hips", None, (0.0, 0.6, 0.0)),
        ("spine", "hips", (0.0, 0.02, 0.3)),
        ("chest", "spine", (0.0, 0.0, 0.3)),
        ("neck", "chest", (0.0, 0.1, 0.15)),
        ("head", "neck", (0.0, 0.1, 0.15)),
        ("tail", "hips", (0.0, 0.0, -0.2)),
        ("tail2", "tail", (0.0, -0.1, -0.2)),
    ]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for parent, parts in (("hips", ("hip", "knee", "ankle", "toe")),
                              ("chest", ("shoulder", "elbow", "wrist", "finger"))):  # fmt: skip
            above = parent
            steps = ((0.1 * sign, -0.05, 0.0), (0.0, -0.25, 0.03), (0.0, -0.25, -0.03))
            for part, step in zip(parts, (*steps, (0.0, -0.04, 0.06)), strict=True):
                rows.append((f"{side}_{part}", above, step))
                above = f"{side}_{part}"
    return Skeleton(
        Joint(
            names.get(name, name),
            None if parent is None else names.get(parent, parent),
            JointKind.FREE if parent is None else JointKind.BALL,
            np.array(offset),
        )
        for name, parent, offset in rows
    )


@pytest.mark.parametrize("named", [True, False])
def test_an_animal_is_no_person_but_has_limbs(named):
    skeleton = quadruped({})
    if not named:
        skeleton = quadruped({n: f"j{i}" for i, n in enumerate(skeleton.names)})
    found = recognise(skeleton)
    assert not found.is_person
    assert found.roles == {}
    legs = [chain for chain in found.limbs if len(chain) == 4]
    assert len(legs) == 4


def test_left_and_right_are_not_guessed():
    """A nameless figure without feet, knees straight, shows no front."""
    human = figure("human").skeleton
    kept = [j for j in human.joints if "toe" not in j.name]
    label = {j.name: f"j{i}" for i, j in enumerate(kept)}
    skeleton = Skeleton(
        replace(j, name=label[j.name], parent=None if j.parent is None else label[j.parent])
        for j in kept
    )
    found = recognise(skeleton)
    assert not found.is_person
    assert all(not role.startswith(("left", "right")) for role in found.roles)
    assert found.roles["hips"] == label["hips"]


def test_given_roles_win_and_the_rest_is_found_around_them():
    rig = build_rig(STYLES["mixamo"])
    given = recognise(rig.skeleton, {"chest": "mixamorig:Spine1"})
    assert given.roles["chest"] == "mixamorig:Spine1"
    assert given.role_confidence["chest"] == 1.0
    assert given.roles["left_elbow"] == "mixamorig:LeftForeArm"
    without = recognise(rig.skeleton, {"left_clavicle": None})
    assert "left_clavicle" not in without.roles
    assert "left_clavicle" in without.missing


def test_given_roles_make_a_person_of_a_nameless_heap():
    human = figure("human").skeleton
    number = {name: f"j{j}" for j, name in enumerate(human.names)}
    nameless = Skeleton(
        Joint(number[j.name], number.get(j.parent or ""), j.kind, j.offset_in_parent, axis=j.axis)
        for j in human.joints
    )
    built = figure_of(nameless, roles=number)
    assert built.joint_of("left_knee") == number["left_knee"]
    with pytest.raises(WritheError, match="not a role"):
        figure_of(nameless, roles={"left_fin": "j0"})
    with pytest.raises(WritheError, match="both roles"):
        figure_of(nameless, roles={"left_knee": "j3", "left_hip": "j3"})


def test_a_skeleton_that_is_no_person_lists_what_is_missing():
    skeleton = Skeleton(
        [Joint("hips", None, JointKind.FREE), Joint("tail", "hips", JointKind.BALL)]
    )
    with pytest.raises(WritheError, match=r"left_shoulder.*its joints are: hips, tail"):
        figure_of(skeleton)
    assert figure_of(skeleton, partial=True).roles == (("hips", "hips"),)


def test_the_table_of_a_vrm_gives_roles():
    table = {"hips": "a", "chest": "b", "upperChest": "c", "leftUpperArm": "d"}
    table |= {"leftThumbMetacarpal": "e", "leftThumbProximal": "f", "leftLittleDistal": "g"}
    assert roles_of_vrm(table) == {
        "hips": "a",
        "chest": "c",
        "left_shoulder": "d",
        "left_thumb_1": "e",
        "left_thumb_2": "f",
        "left_pinky_3": "g",
    }
    assert roles_of_vrm({"leftThumbProximal": "e"}) == {"left_thumb_1": "e"}


def test_strands_of_the_human_are_its_own():
    human = figure("human")
    assert figure_of(human.skeleton).strands == human.strands
