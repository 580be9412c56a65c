"""Every scene shows what it is named after, certified, and not without its places or tangles."""

from __future__ import annotations

from typing import Any

import pytest

from writhe.errors import UnknownNameError
from writhe.research.experiments.topology_coordinates import SCENES, WITHOUT_PLACES, play
from writhe.research.experiments.topology_coordinates.scene_setup import Removed, solved_without


def _options(name: str) -> dict[str, Any]:
    return {"compare": False} if name == "piggyback" else {}


@pytest.mark.parametrize("name", list(SCENES))
def test_scene(name: str):
    played = play(name, **_options(name))
    found = played.summary(played.certificate())
    assert found["certified"] and found["pass_throughs"] == 0
    assert found["topology_ok"], found["failed_claims"]
    assert found["geometry_ok"], found["failed_seen"]
    assert found["reached"], found["notes"]


@pytest.mark.parametrize("removed", ["places", "tangles"])
@pytest.mark.parametrize("name", [name for name in SCENES if name not in WITHOUT_PLACES])
def test_a_scene_needs_both_its_places_and_its_tangle(name: str, removed: Removed):
    with solved_without(removed):
        assert not play(name, **_options(name)).shows_it


def test_there_are_eleven_and_others_are_refused():
    assert len(SCENES) == 11
    with pytest.raises(UnknownNameError, match="piggyback"):
        play("piggybank")
