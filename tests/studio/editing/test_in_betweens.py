"""Between the keys of a document pinned joints stay; the range of a pin limits when."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from writhe.arrays import Floats
from writhe.postures.preset_poses import preset_pose
from writhe.skeleton import forward
from writhe.solvers.posing import make_poser, pin_here
from writhe.solvers.posing.handles import Target
from writhe.studio.document import Document
from writhe.studio.editing.edits import encode_pins


def squatting(document: Document, actor: int) -> Floats:
    """The pose after dragging the hips down with both feet pinned."""
    figure = document.figure("human")
    q = document.actor(actor).configuration
    poser = make_poser("plain", figure)
    pins = [pin_here(figure.skeleton, q, f"{s}_ankle", orientation=True) for s in ("left", "right")]
    for _ in range(120):
        q = poser.step(q, [Target("hips", (0.0, 0.55, -0.1))], pins).q
    return q


@pytest.fixture
def squat(tmp_path: Path) -> tuple[Document, int]:
    document = Document.create(tmp_path / "squat.writhe")
    actor = document.add_actor()
    stand = document.actor(actor).configuration
    document.set_key(actor, 0.0, stand)
    document.set_key(actor, 1.0, squatting(document, actor))
    return document, actor


def ankle(document: Document, actor: int, side: str) -> Floats:
    return document.motion(actor, 30.0).frames().position(f"{side}_ankle")


def test_feet_pinned_at_both_keys_stay_between_them(squat: tuple[Document, int]):
    document, actor = squat
    for side in ("left", "right"):
        path = ankle(document, actor, side)
        assert np.linalg.norm(path - path[0], axis=1).max() < 2e-3


def test_without_pins_the_feet_sink_which_the_pins_prevent(squat: tuple[Document, int]):
    document, actor = squat
    with document.edit("Free") as edit:
        edit.update("actors", actor, pins=encode_pins(()))
    path = ankle(document, actor, "left")
    assert np.linalg.norm(path - path[0], axis=1).max() > 4e-3


def test_keys_are_kept_exactly(squat: tuple[Document, int]):
    document, actor = squat
    timeline = document.timeline(actor)
    assert timeline.keys is not None
    for time_s, q in zip(timeline.keys.times_s, timeline.keys.q, strict=True):
        assert np.array_equal(timeline.at(float(time_s)), q)


def test_a_pin_holds_during_its_range_only(squat: tuple[Document, int]):
    document, actor = squat
    pins = document.actor(actor).pins
    until = tuple(msgspec.structs.replace(pin, end_s=0.0) for pin in pins)
    with document.edit("Range") as edit:
        edit.update("actors", actor, pins=encode_pins(until))
    path = ankle(document, actor, "left")
    assert np.linalg.norm(path - path[0], axis=1).max() > 4e-3


def test_a_preset_squat_after_a_stand_keeps_the_feet(tmp_path: Path):
    document = Document.create(tmp_path / "preset.writhe")
    actor = document.add_actor()
    document.set_key(actor, 0.0, document.actor(actor).configuration)
    database, number = preset_pose("basic", "squat")
    given = database.q[number]
    fitted = document.with_feet_of_previous_key(actor, given, 1.0, shift=True)
    document.set_key(actor, 1.0, fitted)
    skeleton = document.figure("human").skeleton
    assert forward(skeleton, fitted).position("hips")[1] < 0.7
    for side in ("left", "right"):
        path = ankle(document, actor, side)
        assert np.linalg.norm(path - path[0], axis=1).max() < 2e-3
