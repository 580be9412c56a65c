"""The fast scenes reach their topology and are certified."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import pytest

from writhe.errors import UnknownNameError
from writhe.research.experiments import topology_coordinates
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


@pytest.mark.parametrize("name", ["piggyback", "knapsack"])
def test_a_scene_needs_both_its_places_and_its_tangle(name: str, monkeypatch: pytest.MonkeyPatch):
    module = importlib.import_module(f"{topology_coordinates.__name__}.{name}")
    options: dict[str, Any] = {"compare": False} if name == "piggyback" else {}
    animate = module.animate

    def played_without(**left_out: Any):
        def changed(setup: Any, q: Any, keys: Any, **more: Any) -> Any:
            return animate(setup, q, [replace(key, **left_out) for key in keys], **more)

        monkeypatch.setattr(module, "animate", changed)
        return play(name, **options)

    assert not played_without(terms=()).geometry_ok
    assert not played_without(goals=()).topology_ok
    monkeypatch.setattr(module, "animate", animate)
    whole = play(name, **options)
    assert whole.geometry_ok and whole.topology_ok


def test_there_are_eleven_and_others_are_refused():
    assert len(SCENES) == 11
    with pytest.raises(UnknownNameError, match="piggyback"):
        play("piggybank")
