"""Tangles in the studio: measured, wound to what the sliders say, keyed, undone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.studio.document import Document, TrackKind
from writhe.studio.features import tangles
from writhe.studio.features.tangles import Chain, MeasureTangle, WindTangle
from writhe.studio.stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    document = Document.create(tmp_path / "tangles.writhe", "Tangles")
    document.add_actor("human")
    return Stage(document)


def chains(stage: Stage) -> tuple[Chain, Chain]:
    actor = stage.document.actors()[0].id
    left, right = (
        limb for limb in tangles.state(stage).actors[0].limbs if limb.name.endswith("_arm")
    )
    return Chain(actor, left.start, left.end), Chain(actor, right.start, right.end)


def run(stage: Stage, message: WindTangle) -> tangles.TangleWound:
    """The task, as a session runs it: work, then one command."""
    job = SimpleNamespace(number="job-0001", report=lambda *_: None, cancelled=False)
    outcome = tangles.wind(stage, message)(job)  # type: ignore[arg-type]
    assert outcome.commit is not None and isinstance(outcome.show, tangles.TangleWound)
    with stage.document.edit("Wind") as edit:
        outcome.commit(stage, edit)
    stage.refresh()
    return outcome.show


def test_arms_are_wound_keyed_and_undone(stage: Stage) -> None:
    first, second = chains(stage)
    before = tangles.measure(stage, MeasureTangle(first, second))
    assert before.rows * before.columns * 4 == len(before.matrix) and abs(before.writhe) < 0.1
    found = run(stage, WindTangle("request-1", first, second, first.actor, 0.4))
    assert found.reached and found.problem == ""
    after = tangles.measure(stage, MeasureTangle(first, second))
    assert after.writhe == pytest.approx(0.4, abs=0.02)
    np.testing.assert_allclose(np.frombuffer(after.matrix, "<f4").sum(), after.writhe, atol=1e-5)
    kinds = [track.kind for track in stage.document.all_tracks()]
    assert TrackKind.TANGLE in kinds
    stage.document.undo()
    stage.refresh()
    again = tangles.measure(stage, MeasureTangle(first, second))
    assert again.writhe == pytest.approx(before.writhe, abs=1e-9)


def test_the_way_there_becomes_a_motion(stage: Stage) -> None:
    first, second = chains(stage)
    found = run(stage, WindTangle("request-2", first, second, first.actor, -0.3, as_clip=True))
    timeline = stage.document.timeline(first.actor)
    assert not timeline.empty and timeline.end_s == pytest.approx(
        found.steps / stage.document.fps, abs=0.05
    )


def test_what_makes_no_sense_is_refused(stage: Stage) -> None:
    first, second = chains(stage)
    with pytest.raises(WritheError):
        tangles.measure(stage, MeasureTangle(first, Chain(first.actor, "nose", "toe")))
    with pytest.raises(WritheError):
        tangles.wind(stage, WindTangle("request-3", first, second, 99, 0.2))
