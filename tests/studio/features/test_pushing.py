"""Objects pushed into characters, and relations between parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.skeleton import forward
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import object_edits, scene_builder
from writhe.studio.features.scene import pushing, relations
from writhe.studio.server.command_handlers import carry_out
from writhe.studio.server.drag_handler import drag_result

STILL = (1.0, 0.0, 0.0, 0.0)


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    made = Document.create(tmp_path / "pushing.writhe", "Pushing")
    made.add_actor("human")
    with made.edit("Add") as edit:
        number = object_edits.add_object(made, edit, "ball", (0.0, 1.3, 0.8))
        object_edits.resize_object(made, edit, number, (0.2, 0.2, 0.2))
    return Editor(made)


def push_to(editor: Editor, z: float, frames: int = 60) -> pushing.Pushed:
    number = editor.document.objects()[0].id
    for k in range(frames):
        place = (0.0, 1.3, 0.8 + (z - 0.8) * (k + 1) / frames)
        answer = pushing.push(editor, pushing.PushObject(k, number, place, STILL))
    return answer


def test_a_ball_pushed_into_the_chest_moves_it_and_is_saved_as_one_command(editor: Editor):
    actor = editor.document.actors()[0]
    before = editor.pose_now(actor).copy()
    answer = push_to(editor, 0.12)
    assert abs(answer.position[2] - 0.12) < 0.02
    np.testing.assert_array_equal(editor.pose_now(actor), before)  # not the document's yet
    carry_out(editor, pushing.CommitPush(request="keepkeep", object=answer.object))
    after = editor.pose_now(editor.document.actors()[0])
    figure = editor.document.figure(actor.figure)
    moved = forward(figure.skeleton, after).position("chest")
    assert moved[2] < forward(figure.skeleton, before).position("chest")[2] - 0.01
    assert editor.document.objects()[0].data.position[2] == pytest.approx(answer.position[2])
    assert scene_builder.object_placements(editor.document, 0.0)
    editor.document.undo()
    assert np.array_equal(editor.pose_now(editor.document.actors()[0]), before)
    assert editor.document.objects()[0].data.position[2] == pytest.approx(0.8)


def test_a_ball_is_pushed_through_other_objects(editor: Editor):
    with editor.document.edit("Wall") as edit:
        object_edits.add_object(editor.document, edit, "box", (0.0, 1.3, 1.3))
    editor.refresh()
    number = editor.document.objects()[0].id
    for k in range(30):
        place = (0.0, 1.3, 0.8 + 1.0 * (k + 1) / 30)
        answer = pushing.push(editor, pushing.PushObject(k, number, place, STILL))
    assert answer.position[2] == pytest.approx(1.8, abs=1e-6)


@pytest.mark.parametrize("steps", [1, 4, 20])
def test_a_pinned_wrist_is_at_its_pin_after_a_push_of_any_speed(tmp_path: Path, steps: int):
    document = Document.create(tmp_path / "hand.writhe", "Hand")
    document.add_actor("hand")
    actor, figure = document.actors()[0], document.figure("hand")
    q = Editor(document).pose_now(actor)
    with document.edit("Add") as edit:
        number = object_edits.add_beside(document, edit, "ball", actor, q, to_walk_to=False)
    editor, before = Editor(document), forward(figure.skeleton, q)
    start, goal = np.array(document.objects()[0].data.position), before.position("middle_3")
    way, turn = np.array([goal[0], start[1], goal[2]]) - start, document.objects()[0].data.rotation
    for k in range(1, steps + 1):
        x, y, z = (float(v) for v in start + way * k / steps)
        pushing.push(editor, pushing.PushObject(k, number, (x, y, z), turn))
    carry_out(editor, pushing.CommitPush(request="keepkeep", object=number))
    after = forward(figure.skeleton, editor.pose_now(document.actors()[0]))
    np.testing.assert_allclose(after.position("wrist"), before.position("wrist"), atol=2e-4)
    assert np.linalg.norm(after.position("index_3") - before.position("index_3")) > 0.004
    found = editor.posed_actor(document.actors()[0]).diagnostics
    clearance_m = found.measure(editor.pose_now(document.actors()[0])).clearance_m
    assert clearance_m is not None
    assert clearance_m > -0.001


def test_parts_that_hold_each_other_stay_together_in_a_drag(editor: Editor):
    actor = editor.document.actors()[0]
    figure = editor.document.figure(actor.figure)
    names = figure.skeleton.names
    wrist, other = names.index("left_wrist"), names.index("right_wrist")
    hold = relations.AddRelation(request="holdhold", actor=actor.id, joint=other, other=wrist)
    carry_out(editor, hold)
    (kept,) = relations.state(editor).relations
    assert (kept.joint, kept.other) == ("right_wrist", "left_wrist")

    def apart() -> float:
        at = forward(figure.skeleton, editor.posed_actor(editor.document.actors()[0]).q)
        return float(np.linalg.norm(at.position("left_wrist") - at.position("right_wrist")))

    start = apart()
    x, y, z = forward(figure.skeleton, editor.pose_now(actor)).position("left_wrist")
    for k in range(30):
        place = (float(x), float(y + 0.01 * k), float(z + 0.005 * k))
        drag = protocol.Drag(k, actor.id, [protocol.DragHandle(wrist, (0.0, 0.0, 0.0), place)])
        drag_result(editor, drag)
    assert abs(apart() - start) < 1e-3
    carry_out(
        editor,
        relations.RemoveRelation(
            request="letgoletgo", actor=actor.id, joint="right_wrist", other="left_wrist"
        ),
    )
    assert relations.state(editor).relations == []


def test_invalid_input_is_rejected(editor: Editor):
    number = editor.document.objects()[0].id
    with pytest.raises(WritheError):
        pushing.push(editor, pushing.PushObject(1, number, (float("nan"), 0.0, 0.0), STILL))
    with pytest.raises(WritheError, match="two different parts"):
        carry_out(editor, relations.AddRelation(request="samesame", actor=1, joint=3, other=3))
