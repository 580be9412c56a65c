"""Holds in the studio: objects follow a dragged hand, partners stay in the handshake."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.skeleton import forward
from writhe.skeleton.move_root import moved_roots
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.document.holds import Anchor, all_holds
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import object_edits, placements
from writhe.studio.features.motion.certificate import document_certificate
from writhe.studio.features.posing.contacts import PickedPart
from writhe.studio.features.scene import holds
from writhe.studio.server.command_handlers import carry_out
from writhe.studio.server.drag_handler import drag_result

_REQUESTS = count()  # a command with the same request is carried out once


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    made = Document.create(tmp_path / "holds.writhe", "Holds")
    made.add_actor("human")
    return Editor(made)


def number_of(editor: Editor, actor: int, name: str) -> int:
    figure = editor.document.figure(editor.document.actor(actor).figure)
    return figure.skeleton.index(name)


def wrist(editor: Editor, actor: int, side: str) -> np.ndarray:
    posed = editor.posed_actor(editor.document.actor(actor))
    return forward(posed.figure.skeleton, posed.q).position(f"{side}_wrist")


def add_rod(editor: Editor, at: tuple[float, float, float], length_m: float) -> int:
    document = editor.document
    with document.edit("Add") as edit:
        number = object_edits.add_object(document, edit, "capsule", at)
        object_edits.resize_object(document, edit, number, (0.03, length_m, 0.03))
    editor.refresh()
    return number


def hold(editor: Editor, part: PickedPart, other: PickedPart) -> None:
    request = f"hold {len(all_holds(editor.document))}"
    carry_out(editor, holds.AddHold(request, part, other))
    editor.refresh()


def drag(editor: Editor, actor: int, joint: str, away: tuple[float, float, float]) -> None:
    """Drag a joint by a vector in a second, and release it."""
    index = number_of(editor, actor, joint)
    posed = editor.posed_actor(editor.document.actor(actor))
    start = forward(posed.figure.skeleton, posed.q).position(joint)
    for i in range(30):
        goal = start + min(1.0, (i + 1) / 20) * np.array(away)
        handle = protocol.DragHandle(index, (0.0, 0.0, 0.0), tuple(goal.tolist()))
        drag_result(editor, protocol.Drag(i, actor, [handle], 2))
    editor.release(protocol.Release(f"release {next(_REQUESTS)}", actor))
    editor.refresh()


def placement(editor: Editor, number: int) -> np.ndarray:
    item = editor.document.object_row(number)
    return placements.placement_at(editor.document, item, editor.time_s)


def test_a_cup_follows_the_hand_and_stays_when_let_go(editor: Editor) -> None:
    actor = editor.document.actors()[0].id
    at = wrist(editor, actor, "right") + np.array([0.0, -0.1, 0.08])
    rod = add_rod(editor, tuple(at.tolist()), 0.1)
    hand = PickedPart(actor=actor, joint=number_of(editor, actor, "right_wrist"))
    hold(editor, hand, PickedPart(object=rod))
    before = placement(editor, rod)[:3] - wrist(editor, actor, "right")
    drag(editor, actor, "right_wrist", (0.05, 0.3, 0.2))
    after = placement(editor, rod)[:3] - wrist(editor, actor, "right")
    assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(before), abs=1e-6)
    assert placement(editor, rod)[1] > at[1] + 0.2
    with pytest.raises(WritheError, match="is held"):
        object_edits.check_free(editor.document, rod, 0.0)
    there = placement(editor, rod)
    carry_out(editor, holds.RemoveHold("go", all_holds(editor.document)[0].id))
    np.testing.assert_allclose(placement(editor, rod), there, atol=1e-9)


def test_a_rod_held_by_both_hands_follows_either(editor: Editor) -> None:
    actor = editor.document.actors()[0].id
    drag(editor, actor, "right_wrist", (0.1, 0.2, 0.35))
    drag(editor, actor, "left_wrist", (-0.1, 0.2, 0.35))
    rod = add_rod(editor, (0.0, 1.1, 0.6), 0.5)
    for side in ("right", "left"):
        index = number_of(editor, actor, f"{side}_wrist")
        hold(editor, PickedPart(actor=actor, joint=index), PickedPart(object=rod))
    assert {h.part for h in all_holds(editor.document)} == {
        Anchor(object=rod),
        Anchor(actor, "left_wrist"),
    }
    apart = wrist(editor, actor, "left") - wrist(editor, actor, "right")
    for side in ("left", "right"):
        before = placement(editor, rod)[:3]
        drag(editor, actor, f"{side}_wrist", (0.0, 0.15, 0.0))
        now = wrist(editor, actor, "left") - wrist(editor, actor, "right")
        assert abs(np.linalg.norm(now) - np.linalg.norm(apart)) < 0.01
        assert placement(editor, rod)[1] > before[1] + 0.08


def two_people(editor: Editor, apart_m: float) -> tuple[int, int]:
    """A second character in front of the first, facing it."""
    document = editor.document
    first = document.actors()[0].id
    second = document.add_actor("human")
    editor.refresh()
    row = document.actor(second)
    figure = document.figure(row.figure)
    about = np.diag([-1.0, 1.0, -1.0])
    q = moved_roots(figure.skeleton, row.configuration[None], about, np.zeros(3))[0]
    centre = forward(figure.skeleton, q).positions[0]
    away = np.array([-centre[0], 0.0, apart_m - centre[2]])
    q = moved_roots(figure.skeleton, q[None], np.eye(3), away)[0]
    with document.edit("Place") as edit:
        edits.set_pose(document, edit, second, q, 0.0)
        edits.pin_only(document, edit, second, q, ["left_ankle", "right_ankle"])
    editor.refresh()
    return first, second


def test_a_partner_stays_in_the_handshake_and_holds_back(editor: Editor) -> None:
    first, second = two_people(editor, 0.85)
    for actor in (first, second):
        toward = 1.0 if actor == first else -1.0
        drag(editor, actor, "right_wrist", (0.15 * toward, 0.25, 0.36 * toward))
    picks = [
        PickedPart(actor=actor, joint=number_of(editor, actor, "right_wrist"))
        for actor in (first, second)
    ]
    hold(editor, *picks)
    before = wrist(editor, first, "right") - wrist(editor, second, "right")
    start = wrist(editor, second, "right")
    drag(editor, first, "right_wrist", (0.05, 0.12, 0.0))
    after = wrist(editor, first, "right") - wrist(editor, second, "right")
    assert abs(np.linalg.norm(after) - np.linalg.norm(before)) < 0.01
    assert wrist(editor, second, "right")[1] > start[1] + 0.08
    # pulled beyond its reach, the partner holds the hand back
    drag(editor, first, "right_wrist", (0.0, 0.0, -0.9))
    after = wrist(editor, first, "right") - wrist(editor, second, "right")
    assert abs(np.linalg.norm(after) - np.linalg.norm(before)) < 0.03


def test_between_keys_a_hand_stays_on_the_partner_and_the_object_in_the_hand(
    editor: Editor,
) -> None:
    first, second = two_people(editor, 0.8)
    for actor in (first, second):
        toward = 1.0 if actor == first else -1.0
        drag(editor, actor, "right_wrist", (0.15 * toward, 0.25, 0.32 * toward))
    cup = add_rod(editor, tuple((wrist(editor, second, "left") - [0.09, 0.1, 0]).tolist()), 0.1)
    left = PickedPart(actor=second, joint=number_of(editor, second, "left_wrist"))
    hold(editor, PickedPart(object=cup), left)
    hold(
        editor,
        *(PickedPart(actor=a, joint=number_of(editor, a, "right_wrist")) for a in (first, second)),
    )
    document = editor.document
    for actor in (first, second):
        with document.edit("Key") as edit:
            edits.put_key(document, edit, actor, 0.0, document.actor(actor).configuration)
    editor.seek(1.0)
    drag(editor, second, "right_wrist", (0.0, 0.15, 0.0))
    drag(editor, second, "left_wrist", (0.1, 0.3, -0.2))
    for actor in (first, second):
        with document.edit("Key") as edit:
            pose = editor.posed_actor(document.actor(actor)).q
            edits.put_key(document, edit, actor, 1.0, pose)
    times = np.linspace(0.0, 1.0, 11)
    ends = [
        placements.frames(document, Anchor(actor, "right_wrist"), times)[1]
        for actor in (first, second)
    ]
    apart = np.linalg.norm(ends[0] - ends[1], axis=1)
    assert np.ptp(apart) < 0.012
    turns, points = placements.frames(document, Anchor(second, "left_wrist"), times)
    item = document.object_row(cup)
    in_hand = placements.placements(document, item, times)[:, :3] - points
    local = np.einsum("tji,tj->ti", turns, in_hand)
    assert np.ptp(local, axis=0).max() < 1e-6
    assert np.ptp(points[:, 1]) > 0.2
    found = document_certificate(document)
    assert found.certified, found.segments
