"""Objects pushed into characters, and parts held together, in a document."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.skeleton import forward
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing import object_edits, scene_builder
from writhe.studio.editing.editor import Stage
from writhe.studio.features import pushing
from writhe.studio.server.command_handlers import answer_drag, carry_out

STILL = (1.0, 0.0, 0.0, 0.0)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    made = Document.create(tmp_path / "pushing.writhe", "Pushing")
    made.add_actor("human")
    with made.edit("Add") as edit:
        number = object_edits.add_thing(made, edit, "ball", (0.0, 1.3, 0.8))
        object_edits.resize_thing(made, edit, number, (0.2, 0.2, 0.2))
    return Stage(made)


def push_to(stage: Stage, z: float, frames: int = 60) -> pushing.Pushed:
    thing = stage.document.objects()[0].id
    for k in range(frames):
        place = (0.0, 1.3, 0.8 + (z - 0.8) * (k + 1) / frames)
        answer = pushing.push(stage, pushing.PushThing(k, thing, place, STILL))
    return answer


def test_a_ball_pushed_into_the_chest_moves_it_and_is_kept_by_one_command(stage: Stage):
    actor = stage.document.actors()[0]
    before = stage.pose_now(actor).copy()
    answer = push_to(stage, 0.12)
    assert abs(answer.position[2] - 0.12) < 0.02
    np.testing.assert_array_equal(stage.pose_now(actor), before)  # not the document's yet
    carry_out(stage, pushing.KeepPush(request="keepkeep", thing=answer.thing))
    after = stage.pose_now(stage.document.actors()[0])
    figure = stage.document.figure(actor.figure)
    moved = forward(figure.skeleton, after).position("chest")
    assert moved[2] < forward(figure.skeleton, before).position("chest")[2] - 0.01
    assert stage.document.objects()[0].body.position[2] == pytest.approx(answer.position[2])
    assert scene_builder.places_at(stage.document, 0.0)
    stage.document.undo()
    assert np.array_equal(stage.pose_now(stage.document.actors()[0]), before)
    assert stage.document.objects()[0].body.position[2] == pytest.approx(0.8)


def test_parts_that_hold_each_other_stay_together_in_a_drag(stage: Stage):
    actor = stage.document.actors()[0]
    figure = stage.document.figure(actor.figure)
    names = figure.skeleton.names
    wrist, other = names.index("left_wrist"), names.index("right_wrist")
    hold = pushing.HoldParts(request="holdhold", actor=actor.id, joint=other, other=wrist)
    carry_out(stage, hold)
    (kept,) = pushing.state(stage).relations
    assert (kept.joint, kept.other) == ("right_wrist", "left_wrist")

    def apart() -> float:
        at = forward(figure.skeleton, stage.puppet(stage.document.actors()[0]).q)
        return float(np.linalg.norm(at.position("left_wrist") - at.position("right_wrist")))

    start = apart()
    x, y, z = forward(figure.skeleton, stage.pose_now(actor)).position("left_wrist")
    for k in range(30):
        place = (float(x), float(y + 0.01 * k), float(z + 0.005 * k))
        drag = protocol.Drag(k, actor.id, [protocol.Hold(wrist, (0.0, 0.0, 0.0), place)])
        answer_drag(stage, drag)
    assert abs(apart() - start) < 1e-3
    carry_out(
        stage,
        pushing.LetGoParts(
            request="letgoletgo", actor=actor.id, joint="right_wrist", other="left_wrist"
        ),
    )
    assert pushing.state(stage).relations == []


def test_what_makes_no_sense_is_refused(stage: Stage):
    thing = stage.document.objects()[0].id
    with pytest.raises(WritheError):
        pushing.push(stage, pushing.PushThing(1, thing, (float("nan"), 0.0, 0.0), STILL))
    with pytest.raises(WritheError, match="two parts"):
        carry_out(stage, pushing.HoldParts(request="samesame", actor=1, joint=3, other=3))
