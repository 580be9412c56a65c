"""Obstacles, several characters and connected keys in Blender (`make test-blender`)."""

from __future__ import annotations

import pytest
from with_bpy import needs_bpy, script_result

pytestmark = needs_bpy


@pytest.fixture(scope="module")
def result() -> dict:
    return script_result("environment.py")


def test_an_animated_obstacle_that_flies_through_a_body_is_marked(result):
    assert result["flying"] == "passes through"
    assert {"Flying", "chest"} <= set(result["marks"])
    assert "writhe: chest through Flying" in result["markers"]


def test_a_hand_is_not_dragged_into_a_wall(result):
    assert result["hand_y"] > -0.5  # the front of the wall
    assert result["clearance_m"] > 0.0


def test_a_split_obstacle_is_passed_by_a_planned_path(result):
    assert result["pieces"] >= 2
    assert result["straight"] in ("passes through", "penetrating")
    assert result["connect"] == ["FINISHED"] and result["connected"] == "certified"


def test_two_characters_are_certified_together(result):
    # the axes of their outstretched arms lie on one line: cores meet, also if nothing moves
    assert result["two"] == "passes through"
    assert result["two_beside"] == "penetrating"
    assert result["two_marks"] == ["Human", "Human.001"]


def test_a_hand_is_not_dragged_into_another_person(result):
    people = result["people"]
    assert people["clearance_m"] > 0.0
    assert people["hand_to_chest_m"] > 0.1


def test_an_arm_that_swings_through_another_person_is_marked_and_cleaned(result):
    people = result["people"]
    assert people["swing"] == "passes through"
    assert people["red"] == [True, False]  # at the overlap, and where there is none
    assert people["cleaned"] == "certified"
    assert not people["other_is_keyed"]  # only the active character is changed


def test_arms_of_two_people_are_wound(result):
    people = result["people"]
    assert people["wound"] == pytest.approx(0.2, abs=0.03)
    assert people["wound_verdict"] == "certified"
