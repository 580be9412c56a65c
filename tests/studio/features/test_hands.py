"""Hands in the studio: poses of the fingers, a gripped object, a handshake."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.skeleton import forward
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import rotation_matrix
from writhe.studio.document import Document
from writhe.studio.document.holds import all_holds
from writhe.studio.editing import edits, object_edits, placements
from writhe.studio.editing.editor import Editor
from writhe.studio.features.motion import walking
from writhe.studio.features.posing import hands
from writhe.studio.features.scene import objects
from writhe.studio.server.command_handlers import carry_out
from writhe.studio.server.jobs import Job


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    made = Document.create(tmp_path / "hands.writhe", "Hands")
    made.add_actor("human_with_fingers")
    return Editor(made)


def joint(editor: Editor, name: str) -> int:
    actor = editor.document.actors()[0]
    return editor.document.figure(actor.figure).skeleton.index(name)


def test_a_hand_pose_bends_the_fingers_of_the_chosen_hand(editor):
    actor = editor.document.actors()[0]
    skeleton = editor.document.figure(actor.figure).skeleton
    before = editor.posed_actor(actor).q
    carry_out(editor, hands.SetHandPose("1", actor.id, "left", "fist"))
    after = editor.document.actors()[0].configuration
    left, right = (skeleton.q_slice(f"{side}_middle_2") for side in ("left", "right"))
    assert after[left] - before[left] > 0.8
    np.testing.assert_array_equal(after[right], before[right])
    assert hands.state(editor).actors == [actor.id]


def test_two_clicks_grip_an_object_and_the_hand_takes_it(editor):
    document = editor.document
    with document.edit("Add") as edit:
        number = object_edits.add_object(document, edit, "capsule", (-0.25, 1.1, 0.42))
        object_edits.resize_object(document, edit, number, (0.03, 0.8, 0.03))
    editor.refresh()
    actor = document.actors()[0]
    carry_out(editor, hands.GripObject("1", actor.id, joint(editor, "right_index_2"), number))
    actor = document.actors()[0]
    (hold,) = all_holds(document)
    assert hold.part.object == number and hold.other.joint == "right_wrist"
    measured = editor.posed_actor(actor).diagnostics.measure(actor.configuration)
    assert measured.clearance_m > -0.001


def test_two_clicks_make_two_characters_shake_hands(editor):
    document = editor.document
    second = document.add_actor("human_with_fingers")
    figure = document.figure("human_with_fingers")
    row = document.actor(second).configuration
    half_turn = np.array([[-1.0, 0, 0], [0, 1.0, 0], [0, 0, -1.0]])
    there = moved_roots(figure.skeleton, row[None], half_turn, np.array([0.0, 0.0, 0.95]))[0]
    there[[0, 2]] = 0.0, 0.95
    with document.edit("Move") as edit:
        edits.set_pose(document, edit, second, there, 0.0)
    editor.refresh()
    first, hand = document.actors()[0].id, joint(editor, "right_wrist")
    carry_out(editor, hands.ShakeHands("1", first, hand, second, hand))
    palms = [
        forward(figure.skeleton, document.actor(n).configuration).position("right_middle_1")
        for n in (first, second)
    ]
    assert np.linalg.norm(palms[0] - palms[1]) < 0.12


def test_both_hands_grip_a_bar_where_it_was_clicked(editor):
    document = editor.document
    with document.edit("Add") as edit:
        number = object_edits.add_object(document, edit, "capsule", (0.0, 1.0, 0.42))
        object_edits.resize_object(document, edit, number, (0.03, 1.0, 0.03))
        half = float(np.sqrt(0.5))
        object_edits.place_object(
            document, edit, number, (0.0, 1.0, 0.42), (half, 0.0, 0.0, half), 0.0
        )
    editor.refresh()
    actor = document.actors()[0].id
    for side, x in (("left", 0.2), ("right", -0.2)):
        hand = joint(editor, f"{side}_wrist")
        carry_out(editor, hands.GripObject(side, actor, hand, number, (x, 1.0, 0.42)))
        editor.refresh()
    one, other = all_holds(document)
    assert one.part.object == number and one.other.joint == "left_wrist"
    assert other.part.joint == "right_wrist" and other.other.object == number
    figure = document.figure("human_with_fingers")
    frames = forward(figure.skeleton, document.actor(actor).configuration)
    assert frames.position("left_middle_1")[0] - frames.position("right_middle_1")[0] > 0.25
    measured = editor.posed_actor(document.actor(actor)).diagnostics
    assert measured.measure(document.actor(actor).configuration).clearance_m > -0.001


def test_two_characters_side_by_side_turn_to_each_other_and_shake_hands(editor):
    document = editor.document
    second = document.add_actor("human_with_fingers")
    editor.refresh()
    first, hand = document.actors()[0].id, joint(editor, "right_wrist")
    carry_out(editor, hands.ShakeHands("1", first, hand, second, hand))
    figure = document.figure("human_with_fingers")
    frames = [forward(figure.skeleton, document.actor(n).configuration) for n in (first, second)]
    palms = [f.position("right_middle_1") for f in frames]
    assert np.linalg.norm(palms[0] - palms[1]) < 0.12
    for one, other in (frames, frames[::-1]):  # upright, and facing the other
        across = one.position("left_shoulder") - one.position("right_shoulder")
        towards = other.position("chest") - one.position("chest")
        ahead = np.cross(across, (0.0, 1.0, 0.0))
        assert ahead @ towards > 0.7 * np.linalg.norm(ahead) * np.linalg.norm(towards)
        assert (one.position("head") - one.position("hips"))[1] > 0.55
    for number, posed in zip((first, second), frames, strict=True):  # the feet are pinned there
        for pin in document.actor(number).pins:
            np.testing.assert_allclose(pin.position_in_world, posed.position(pin.joint), atol=0.01)


def test_a_click_on_a_bar_takes_it_with_both_hands_and_lets_go_of_the_handshake(editor):
    document = editor.document
    second = document.add_actor("human_with_fingers")
    editor.refresh()
    first, hand = document.actors()[0].id, joint(editor, "right_wrist")
    carry_out(editor, hands.ShakeHands("1", first, hand, second, hand))
    carry_out(editor, objects.AddObject("2", "bar", actor=first))
    number = document.objects()[0].id
    carry_out(editor, hands.GripObject("3", first, -1, number))
    held = {
        (h.part.object or h.part.joint, h.other.joint or h.other.object)
        for h in all_holds(document)
    }
    assert held == {(number, "right_wrist"), ("left_wrist", number)}
    actor = document.actor(first)
    measured = editor.posed_actor(actor).diagnostics.measure(actor.configuration)
    assert measured.clearance_m > -0.001


def test_who_walks_away_carries_the_bar_and_the_partner_lowers_the_arm(editor):
    document = editor.document
    carry_out(editor, objects.AddObject("1", "bar", actor=document.actors()[0].id))
    number, first = document.objects()[0].id, document.actors()[0].id
    carry_out(editor, hands.GripObject("2", first, -1, number))
    editor.refresh()
    found = walking.walk_to(editor, walking.WalkTo("3", first, 0.0, 1.5))(
        Job("1", "Walk", True, lambda _: None)
    )
    assert found.commit is not None
    with document.edit("Walk") as edit:
        found.commit(editor, edit)
    editor.refresh()
    end = document.timeline(first).end_s
    figure = document.figure("human_with_fingers")
    for time_s in (0.5 * end, end):
        frames = forward(figure.skeleton, document.timeline(first).at(time_s))
        bar = placements.placement_at(document, document.object_row(number), time_s)
        for side in ("left", "right"):
            wrist = frames.position(f"{side}_wrist")
            along = rotation_matrix(bar[3:]) @ np.array([1.0, 0.0, 0.0])
            aside = wrist - bar[:3]
            assert np.linalg.norm(aside - along * (aside @ along)) < 0.12  # both hands on it
    assert bar[2] > 1.2  # it came along
