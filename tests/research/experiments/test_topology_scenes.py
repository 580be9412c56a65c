"""The fast scenes reach their topology and are certified."""

from __future__ import annotations

from typing import Any

import pytest

from writhe.errors import UnknownNameError
from writhe.research.experiments.topology_coordinates import SCENES, play


@pytest.mark.parametrize(
    "name", ["arms-swap", "piggyback", "fish", "knapsack", "wrestling", "embrace"]
)
def test_scene(name: str):
    options: dict[str, Any] = {"compare": False} if name == "piggyback" else {}
    played = play(name, **options)
    found = played.summary(played.certificate())
    assert found["certified"] and found["pass_throughs"] == 0
    assert found["topology_ok"], found["failed_claims"]
    assert found["reached"], found["notes"]


def test_there_are_eleven_and_others_are_refused():
    assert len(SCENES) == 11
    with pytest.raises(UnknownNameError, match="piggyback"):
        play("piggybank")
