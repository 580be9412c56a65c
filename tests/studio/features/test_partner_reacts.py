"""The switch *Partner reacts*: the nearest other character answers a drag."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.arrays import vector3
from writhe.database import PairDatabase
from writhe.postures.pairs.interactions import INTERACTIONS, interaction_postures
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.move_root import moved_roots
from writhe.studio.document import Document
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.posers import Posers
from writhe.studio.features.scene.partner_reacts import Reacted, SetPartnerReacts
from writhe.studio.protocol import Drag, DragHandle, Release
from writhe.studio.server.command_handlers import carry_out
from writhe.studio.server.drag_handler import drag_result


@pytest.fixture(scope="module")
def pairs() -> PairDatabase:
    chosen = [one for one in INTERACTIONS if one.name == "handshake"]
    return interaction_postures(figure("human"), chosen, 4)


@pytest.fixture
def editor(tmp_path: Path, pairs: PairDatabase) -> Editor:
    """Two people who face each other, 0.95 m apart."""
    document = Document.create(tmp_path / "two.writhe", "Two")
    first, second = (document.add_actor("human_with_fingers") for _ in range(2))
    skeleton = document.figure("human_with_fingers").skeleton
    stand = document.actor(first).configuration
    stand[[0, 2]] = 0.0
    turned = np.diag([-1.0, 1.0, -1.0]), np.array([0.0, 0.0, 0.95])
    with document.edit("Place") as edit:
        edits.set_pose(document, edit, first, stand, 0.0)
        there = moved_roots(skeleton, stand[None], *turned)[0]
        edits.set_pose(document, edit, second, there, 0.0)
        for actor, q in ((first, stand), (second, there)):
            for ankle in ("left_ankle", "right_ankle"):
                edits.set_pin(document, edit, actor, q, ankle, "both")
    posers = Posers()
    posers.pairs = pairs
    return Editor(document, posers)


def hand(editor: Editor, number: int) -> np.ndarray:
    row = editor.document.actor(number)
    frames = forward(editor.document.figure(row.figure).skeleton, row.configuration)
    return frames.position("right_wrist")


def offer_hand(editor: Editor, request: str) -> set[int]:
    """Drag the first one's right hand forward; the actors whose poses came back."""
    leader = editor.document.actors()[0]
    skeleton = editor.document.figure(leader.figure).skeleton
    start, goal, moved = hand(editor, leader.id), np.array([-0.02, 1.02, 0.4]), set[int]()
    for frame in range(36):
        at = start + min(1.0, (frame + 1) / 24) * (goal - start)
        handle = DragHandle(skeleton.index("right_wrist"), (0.0, 0.0, 0.0), vector3(at))
        result = drag_result(editor, Drag(frame, leader.id, [handle], 2))
        part = result.features.get("partner_reacts")
        if isinstance(part, Reacted):
            moved |= {pose.actor for pose in part.actors}
    editor.release(Release(request, leader.id))
    editor.refresh()
    return moved


def test_the_partner_stays_while_the_switch_is_off(editor):
    partner = editor.document.actors()[1].id
    before = hand(editor, partner)
    assert offer_hand(editor, "1") == set()
    np.testing.assert_array_equal(hand(editor, partner), before)


def test_the_partner_reacts_and_one_undo_takes_back_both_poses(editor):
    leader, partner = (actor.id for actor in editor.document.actors())
    before = hand(editor, partner)
    carry_out(editor, SetPartnerReacts("1", True))
    assert offer_hand(editor, "2") == {partner}
    assert np.linalg.norm(hand(editor, partner) - hand(editor, leader)) < 0.25
    editor.document.undo()
    np.testing.assert_allclose(hand(editor, partner), before, atol=1e-6)
