"""Documents of the studio in Blender and back (`make test-blender`)."""

from __future__ import annotations

import pytest
from with_bpy import needs_bpy, script_result

pytestmark = needs_bpy


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> dict:
    return script_result("exchange.py", str(tmp_path_factory.mktemp("documents")))


def test_a_document_opens_as_characters_and_obstacles_where_they_are(result):
    assert result["people"] == ["Ann", "Bob"] and result["obstacles"] == ["Box", "Ball"]
    assert result["apart_m"] < 1e-5
    assert result["verdict"] == "certified"


def test_a_document_that_was_not_changed_comes_back_row_by_row(result):
    assert result["unchanged"]


def test_only_what_was_changed_is_written_and_the_studio_can_undo_it(result):
    assert result["tracks"] == [["place", 0], ["clip", 1]]
    assert result["box_x"] == pytest.approx(1.1, abs=1e-5)
    assert result["undone"]


def test_curves_with_handles_come_back_from_a_document(result):
    assert result["same_curves"]
    assert result["same_pose_m"] < 1e-6


def test_a_motion_changed_in_the_studio_replaces_the_action_of_the_same_armature(result):
    assert result["armatures"] == 1 and result["studios_motion"]
