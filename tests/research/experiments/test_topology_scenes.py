"""Every scene shows what it is named after, certified, and not without its places or tangles."""

from __future__ import annotations

from typing import Any

import pytest

from writhe.errors import UnknownNameError
from writhe.research.experiments.topology_coordinates import SCENES, WITHOUT_PLACES, play
from writhe.research.experiments.topology_coordinates.scene_setup import (
    Removed,
    solved_as,
    solved_without,
)


def _options(name: str) -> dict[str, Any]:
    return {"compare": False} if name == "piggyback" else {}


@pytest.mark.parametrize("name", list(SCENES))
def test_scene(name: str):
    played = play(name, **_options(name))
    found = played.summary(played.certificate())
    assert found["certified"] and found["pass_throughs"] == 0
    assert found["topology_ok"], found["failed_claims"]
    assert found["geometry_ok"], found["failed_seen"]
    assert not found["failed_contrast"]
    assert found["reached"], found["notes"]


@pytest.mark.parametrize(
    "moved_m",
    [(1e-9, 0.0), (0.006, -0.004), (-0.012, 0.009), (0.015, 0.015), (-0.03, -0.02), (0.025, -0.03)],
)
def test_the_chair_is_held_and_carried_from_other_starts_too(moved_m: tuple[float, float]):
    played = play("chair", moved_m=moved_m)
    assert played.reached, played.notes
    assert played.shows_it, [c.what for c in (*played.claims, *played.seen) if not c.holds]
    assert played.certificate().certified


@pytest.mark.parametrize(
    ("name", "removed"),
    [
        *((name, "places") for name in SCENES if name not in WITHOUT_PLACES),
        *((name, "tangles") for name in SCENES),
    ],
)
def test_a_scene_needs_both_its_places_and_its_tangle(name: str, removed: Removed):
    with solved_without(removed):
        assert not play(name, **_options(name)).shows_it


@pytest.mark.parametrize("name", ["arms-swap", "bundle"])
def test_as_published_a_scene_is_judged_by_its_motion_alone(name: str):
    with solved_as("published"):
        played = play(name)
    found = played.published_summary(played.certificate())
    assert played.shows_it, found["failed"]
    assert found["line_crossings"] == 0 and found["failed"] == {} and found["checks"] >= 10
    assert found["penetrating_frames"] > 0  # bodies are no concern of the published rows


def test_there_are_eleven_and_others_are_refused():
    assert len(SCENES) == 11
    with pytest.raises(UnknownNameError, match="piggyback"):
        play("piggybank")
