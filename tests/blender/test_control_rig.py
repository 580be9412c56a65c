"""A control rig that Rigify generates, posed by its FK controls (`make test-blender`)."""

from __future__ import annotations

import pytest
from with_bpy import needs_bpy, script_result

pytestmark = needs_bpy


@pytest.fixture(scope="module")
def result() -> dict:
    return script_result("control_rig.py")


def test_a_metarig_is_posed_as_it_is(result):
    assert result["metarig"].startswith("metarig: a person, 21 roles")
    assert "moved by" not in result["metarig"]


def test_the_controls_of_a_person_are_found(result):
    assert result["warning"] == ""
    roles = result["roles"]
    assert roles["hips"] == "torso" and roles["left_wrist"] == "hand_fk.L"
    assert roles["right_knee"] == "shin_fk.R" and roles["chest"] == "spine_fk.003"


def test_the_rig_takes_the_solved_pose_by_its_controls(result):
    assert result["first_step_m"] < 1e-5  # from a pose of the IK control
    assert result["apart_m"] < 1e-5
    assert result["error_m"] < 0.01 and result["moved_m"] > 0.3


def test_escape_restores_controls_and_switches(result):
    assert result["restored"] and result["undone_m"] < 1e-5


def test_controls_and_switches_are_keyed_and_named(result):
    assert result["keyed"] > 3
    assert 'pose.bones["upper_arm_fk.L"].rotation_quaternion' in result["key_paths"]
    assert 'pose.bones["upper_arm_parent.L"]["IK_FK"]' in result["key_paths"]
    assert not any('["DEF-' in path or '["ORG-' in path for path in result["key_paths"])
    assert "IK_FK of upper_arm_parent.L" in result["switched"]


def test_an_action_of_ik_controls_is_cleaned_on_fk_controls(result):
    assert result["before"] in ("passes through", "penetrating")
    assert "IK_FK" in result["note"]  # sampled, and the panel says why
    assert result["after"] == result["again"] == "certified"
    assert result["note_after"] == ""  # read as curves of the controls


def test_bones_of_a_constraint_are_not_dragged_and_named(result):
    found = result["constrained"]
    assert found["rig"] == "" and "left_wrist" in found["warning"]
    assert "constraints" in found["refused"]
    assert "constraints" in found["note"]
