"""Walks in the studio: where they are refused, and the room that they leave on the timeline."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.studio.document import Document
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.features.motion import clearing, walking
from writhe.studio.features.motion.certificate import document_certificate
from writhe.studio.features.posing import preset_poses
from writhe.studio.features.scene import objects
from writhe.studio.server.command_handlers import carry_out
from writhe.studio.server.jobs import Job
from writhe.studio.view.state import state


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    made = Document.create(tmp_path / "walk.writhe", "Walk")
    made.add_actor("human")
    return Editor(made)


def test_who_already_stands_before_the_chair_does_not_step_on_the_spot(editor: Editor) -> None:
    document = editor.document
    actor = document.actors()[0].id
    carry_out(editor, objects.AddObject("1", "chair"))  # behind the character
    chair = document.objects()[0].id
    with pytest.raises(WritheError, match="already stands there"):
        walking.walk_to(editor, walking.WalkTo("2", actor, object=chair))


def test_the_timeline_has_room_after_a_walk(editor: Editor) -> None:
    document = editor.document
    actor = document.actors()[0].id
    work = walking.walk_to(editor, walking.WalkTo("1", actor, 0.0, 0.6))
    found = work(Job("1", "Walk", True, lambda _: None))
    assert found.commit is not None
    with document.edit("Walk") as edit:
        found.commit(editor, edit)
    assert document.duration_s >= document.timeline(actor).end_s + 6.0


def test_bars_of_pins_show_when_they_act(editor: Editor) -> None:
    """Not while the character walks, nor after its last key."""
    document = editor.document
    actor = document.actors()[0].id
    carry_out(editor, objects.AddObject("1", "chair", actor=actor))
    editor.refresh()
    walked(editor, walking.WalkTo("2", actor, object=document.objects()[0].id))
    arrives_s = document.timeline(actor).end_s
    editor.time_s = arrives_s + 3.0
    editor.refresh()
    carry_out(editor, preset_poses.ApplyPresetPose("3", actor, "chair", "sit, arms folded"))
    editor.refresh()
    skeleton = document.figure(document.actor(actor).figure).skeleton
    pins = {skeleton.joint_name(pin.joint): pin.acts for pin in state(editor).actors[0].pins}
    for foot in ("left_ankle", "right_ankle"):
        ((start_s, end_s),) = pins[foot]
        assert (start_s, end_s) == pytest.approx((arrives_s, arrives_s + 3.0))
    assert pins["hips"] == []  # on the way down they move


def test_a_new_chair_stands_some_steps_away_and_can_be_walked_to(editor: Editor) -> None:
    document = editor.document
    actor = document.actors()[0].id
    for number in ("1", "2"):
        carry_out(editor, objects.AddObject(number, "chair", actor=actor))
    editor.refresh()
    first, second = (np.array(item.data.position) for item in document.objects())
    assert np.linalg.norm(first - second) > 0.8
    assert min(np.hypot(*first[[0, 2]]), np.hypot(*second[[0, 2]])) > 1.2
    chair = document.objects()[0].id
    found = walked(editor, walking.WalkTo("3", actor, object=chair))
    assert found == []


def test_a_walk_goes_around_another_character(editor: Editor) -> None:
    document = editor.document
    actor = document.actors()[0].id
    other = document.add_actor("human")
    with document.edit("Move") as edit:
        q = document.actor(other).configuration.copy()
        q[2] += 1.2
        edits.set_pose(document, edit, other, q, 0.0)
    editor.refresh()
    assert walked(editor, walking.WalkTo("1", actor, 0.0, 2.4)) == []
    assert document_certificate(document).certified
    end = document.timeline(actor).at(document.timeline(actor).end_s)
    assert np.hypot(end[0], end[2] - 2.4) < 0.1


def test_a_walk_is_not_replaced_by_a_glide_around_what_is_in_its_way(editor: Editor) -> None:
    document = editor.document
    actor = document.actors()[0].id
    assert walked(editor, walking.WalkTo("1", actor, 0.0, 1.6)) == []
    carry_out(editor, objects.AddObject("2", "chair", position=(0.44, 0.0, 0.8)))
    editor.refresh()
    assert not document_certificate(document).certified
    end_s = document.timeline(actor).end_s
    around = clearing.ClearSegment("3", actor, 0.0, end_s, "detour")
    with pytest.raises(WritheError, match="slide over the floor"):
        clearing.clear_segment(editor, around)(Job("1", "Fix", True, lambda _: None))


@pytest.mark.parametrize("where_m", [0.45, 0.6])
def test_a_walk_goes_around_who_comes_into_its_way_later(editor: Editor, where_m: float) -> None:
    document = editor.document
    actor = document.actors()[0].id
    other = document.add_actor("human")
    with document.edit("Come") as edit:
        for time_s, x in ((0.0, 2.0), (1.0, where_m), (4.0, where_m)):
            q = document.actor(other).configuration.copy()
            q[0], q[2] = x, 1.0
            edits.put_key(document, edit, other, time_s, q)
    editor.refresh()
    assert walked(editor, walking.WalkTo("1", actor, 0.0, 2.2)) == []
    assert document_certificate(document).certified


def walked(editor: Editor, message: walking.WalkTo) -> list[str]:
    """Walk; returns what is not kept."""
    outcome = walking.walk_to(editor, message)(Job("1", "Walk", True, lambda _: None))
    assert outcome.commit is not None and isinstance(outcome.show, walking.Walked)
    with editor.document.edit("Walk") as edit:
        outcome.commit(editor, edit)
    editor.refresh()
    return outcome.show.conflicts
