"""The extension in Blender's Python: `make test-blender` installs it and runs these tests."""

from __future__ import annotations

import pytest
from with_bpy import needs_bpy, script_result

pytestmark = needs_bpy


@pytest.fixture(scope="module")
def result() -> dict:
    return script_result("in_blender.py")


def test_the_body_is_recognised(result):
    assert {"hips", "left_wrist", "right_ankle", "head"} <= set(result["roles"])


def test_curves_are_read_as_blender_evaluates_them(result):
    assert result["note"] == ""  # read as curves, not sampled
    assert result["exact_m"] < 1e-5


def test_a_pass_through_is_found_marked_and_cleaned(result):
    assert result["before"] in ("passes through", "penetrating")
    assert result["markers"] > 0
    assert result["after"] == result["again"] == "certified"


def test_the_certificate_holds_for_blenders_own_evaluation(result):
    assert result["evaluated"] == "certified"


def test_a_drag_is_written_keyed_and_undone(result):
    assert result["reached_m"] == pytest.approx(result["error_m"], abs=1e-5)
    assert result["error_m"] < 0.02
    assert result["keyed"] > 0 and result["curves"] > 0
    assert result["keyed_again"] == 0  # by Blender's default setting, only keys that are needed
    assert result["undone"]


def test_a_rotation_that_is_only_written_otherwise_is_not_keyed(result):
    assert result["normalised"] == []


def test_limbs_are_wound_by_the_slider_and_by_keys(result):
    found = result["wound"]
    assert found["writhe"] == pytest.approx(0.2, abs=0.03)
    assert found["verdict"] == "certified"
    assert found["start_m"] < 1e-4 < found["moved_m"]


def test_a_hand_follows_a_curve_object(result):
    assert result["followed"]["away_m"] < 0.03
    assert result["followed"]["verdict"] == "certified"


def test_a_saved_file_keeps_its_shapes(result):
    assert result["after_loading"]["same_shapes"]
