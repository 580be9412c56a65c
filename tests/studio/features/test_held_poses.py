"""Moving holds in the studio: which keys they are made between, and what they leave."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.studio.document import Document
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.features.motion import moving_hold
from writhe.studio.features.motion.certificate import document_certificate
from writhe.studio.server.jobs import Job


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    """Keys of one pose at 0 and 4 s, of another at 5 s."""
    document = Document.create(tmp_path / "hold.writhe", "Hold")
    actor = document.add_actor("human")
    pose = document.actor(actor).configuration
    bent = pose.copy()
    bent[1] += 0.1
    with document.edit("Keys") as edit:
        edit.setting("duration_s", 9.0)
        for time_s, q in ((0.0, pose), (4.0, pose), (5.0, bent)):
            edits.put_key(document, edit, actor, time_s, q)
    made = Editor(document)
    made.refresh()
    return made


def breathe(editor: Editor, time_s: float) -> moving_hold.MovingHoldMade:
    actor = editor.document.actors()[0].id
    work = moving_hold.make_moving_hold(editor, moving_hold.MakeMovingHold("1", actor, time_s))
    outcome = work(Job("1", "Moving hold", True, lambda _: None))
    assert outcome.commit is not None and isinstance(outcome.show, moving_hold.MovingHoldMade)
    with editor.document.edit("Moving hold") as edit:
        outcome.commit(editor, edit)
    editor.refresh()
    return outcome.show


@pytest.mark.parametrize(("time_s", "start_s", "end_s"), [(0.0, 0, 4), (2.0, 0, 4), (4.0, 0, 4)])
def test_the_pose_breathes_between_its_keys(
    editor: Editor, time_s: float, start_s: float, end_s: float
) -> None:
    document = editor.document
    actor = document.actors()[0].id
    before = document.timeline(actor).sample(np.array([0.0, 4.0, 4.5, 5.0]))
    made = breathe(editor, time_s)
    assert (made.start_s, made.end_s, made.conflicts) == (start_s, end_s, [])
    timeline = document.timeline(actor)
    np.testing.assert_allclose(timeline.sample(np.array([0.0, 4.0, 4.5, 5.0])), before, atol=1e-6)
    assert np.abs(timeline.at(1.7) - before[0]).max() > 5e-3
    assert document_certificate(document).certified


@pytest.mark.parametrize("length_s", [9.0, 5.0])
def test_the_last_pose_breathes_for_two_seconds(editor: Editor, length_s: float) -> None:
    with editor.document.edit("Length") as edit:
        edit.setting("duration_s", length_s)
    made = breathe(editor, 5.0)
    assert (made.start_s, made.end_s) == (5.0, 7.0)
    assert editor.document.duration_s >= 7.0


def test_where_no_pose_is_held_it_says_how_to_hold_one(editor: Editor) -> None:
    with pytest.raises(WritheError, match="key it again"):
        breathe(editor, 4.6)
