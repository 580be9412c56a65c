"""Carried objects are tested against the other objects, on screen and in the exported file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.skeleton import Motion
from writhe.skeleton.quaternions import rotation_matrix
from writhe.studio.document import Document
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import object_edits, placements
from writhe.studio.features.motion.certificate import document_certificate
from writhe.studio.features.posing import hands
from writhe.studio.features.scene import objects
from writhe.studio.files.exports import certificate_of_all, export
from writhe.studio.protocol import Task
from writhe.studio.server.command_handlers import carry_out
from writhe.studio.server.jobs import Job

ACTOR, BAR = 1, 1


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    """A character with a key at 0 s who grips a bar on its stand with both hands."""
    document = Document.create(tmp_path / "bar.writhe", "Bar")
    assert document.add_actor("human_with_fingers") == ACTOR
    made = Editor(document)
    carry_out(made, objects.AddObject("1", "bar", actor=ACTOR))
    assert document.object_row(BAR).kind == "bar"
    worked(made, hands.GripObject("2", ACTOR, -1, BAR))
    with document.edit("Key") as edit:
        edits.put_key(document, edit, ACTOR, 0.0, document.actor(ACTOR).configuration)
    made.refresh()
    return made


def worked(editor: Editor, message: Task) -> None:
    found = hands.feature.tasks[type(message)].body(editor, message)(
        Job("1", "Task", True, lambda _: None)
    )
    assert found.commit is not None
    with editor.document.edit("Task") as edit:
        found.commit(editor, edit)
    editor.refresh()


def rise(editor: Editor, height_m: float) -> None:
    """The whole body rises and sinks again within a second, with what it carries."""
    document = editor.document
    q = document.actor(ACTOR).configuration
    rows = np.tile(q, (31, 1))
    rows[:, 1] += height_m * np.sin(np.linspace(0.0, np.pi, 31))
    motion = Motion(document.timeline(ACTOR).skeleton, rows, 30.0, "Rise")
    with document.edit("Rise") as edit:
        edits.put_sampled_track(document, edit, ACTOR, motion, 0.0)


@pytest.mark.parametrize(("height_m", "certified"), [(0.003, True), (0.03, False)])
def test_a_carried_bar_that_rises_into_a_shelf_is_not_certified(editor, height_m, certified):
    document = editor.document
    bar = document.object_row(BAR).data
    with document.edit("Shelf") as edit:  # its lower side is 5 mm above the end of the bar
        under = bar.position[1] + bar.size[1] / 2 + 0.005
        at = (bar.position[0] + 0.48, under + 0.02, bar.position[2])
        shelf = object_edits.add_object(document, edit, "box", at)
        object_edits.resize_object(document, edit, shelf, (0.1, 0.04, 0.1))
    rise(editor, height_m)
    found = document_certificate(document)
    assert found.certified == certified
    data, _ = export(document, [ACTOR], "glb")
    assert certificate_of_all(document, [ACTOR], data, "glb").certified == certified
    if not certified:
        worst = min(found.segments, key=lambda segment: segment.clearance_m)
        assert {worst.a, worst.b} == {"Bar", "Box"}
        assert worst.clearance_m == pytest.approx(0.005 - height_m, abs=5e-4)


def test_a_bar_is_lifted_off_its_stand_straight_up(editor):
    document = editor.document
    worked(editor, hands.LiftCarried("3", ACTOR))
    row = document.object_row(BAR)
    placed = placements.placements(document, row, np.linspace(0.0, 1.0, 121))
    half = 0.5 * (row.data.size[0] - row.data.size[1])
    tilt = np.array([abs(rotation_matrix(p[3:])[1, 0]) for p in placed])
    lowest = placed[:, 1] - half * tilt
    assert np.degrees(np.arcsin(tilt.max())) < 1.0
    assert np.diff(lowest).min() > -5e-4 and lowest[-1] > lowest[0] + 0.03  # it never sinks
    on_stand = lowest < lowest[0] + 0.01
    across = np.linalg.norm(placed[on_stand][:, [0, 2]] - placed[0, [0, 2]], axis=1)
    assert across.max() < 0.004
    assert document_certificate(document).certified
