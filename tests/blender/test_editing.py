"""Roles, shapes, pins and handles in Blender (`make test-blender`)."""

from __future__ import annotations

import pytest
from with_bpy import needs_bpy, script_result

pytestmark = needs_bpy


@pytest.fixture(scope="module")
def result() -> dict:
    return script_result("editing.py")


def test_a_role_set_by_hand_is_kept_until_it_is_found_again(result):
    assert result["roles"] == {"found": "left_wrist", "kept": "left_elbow", "again": "left_wrist"}


def test_shapes_of_a_bone_are_scaled_and_removed(result):
    radii = result["radii"]
    assert radii["1.0"] and radii["0.0"] == []
    assert radii["0.5"] == pytest.approx([0.5 * r for r in radii["1.0"]], rel=1e-3)


def test_a_pinned_bone_stays_while_others_are_dragged(result):
    pinned, free = result["pinned_moves_m"]
    assert pinned < 0.003 < 0.01 < free


def test_several_bones_are_dragged_together_and_one_to_the_cursor(result):
    assert max(*result["both_left_m"], result["cursor_left_m"]) < 0.01


def test_a_removed_character_is_no_character(result):
    assert not result["character_after_remove"]
