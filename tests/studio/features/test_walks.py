"""Walks in the studio: where they are refused, and the room that they leave on the timeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from writhe.errors import WritheError
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor
from writhe.studio.features.motion import walking
from writhe.studio.features.scene import objects
from writhe.studio.server.command_handlers import carry_out
from writhe.studio.server.jobs import Job


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    made = Document.create(tmp_path / "walk.writhe", "Walk")
    made.add_actor("human")
    return Editor(made)


def test_who_already_stands_before_the_chair_does_not_step_on_the_spot(editor: Editor) -> None:
    document = editor.document
    actor = document.actors()[0].id
    carry_out(editor, objects.AddObject("1", "chair", actor=actor))
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
    assert document.duration_s >= document.timeline(actor).end_s + 4.0
