"""Hands in the studio: poses of the fingers, a gripped object, a handshake."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.arrays import vector3
from writhe.errors import WritheError
from writhe.skeleton import forward
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import rotation_matrix
from writhe.studio.document import Document
from writhe.studio.document.holds import all_holds
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import object_edits, placements
from writhe.studio.features.motion import walking
from writhe.studio.features.motion.certificate import document_certificate
from writhe.studio.features.posing import hands
from writhe.studio.features.scene import objects
from writhe.studio.protocol import Drag, DragHandle, Release, Task
from writhe.studio.server.command_handlers import carry_out
from writhe.studio.server.jobs import Job


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    made = Document.create(tmp_path / "hands.writhe", "Hands")
    made.add_actor("human_with_fingers")
    return Editor(made)


def worked(editor: Editor, message: Task) -> object:
    """Do the work of a task now, and commit it; returns the message to the page."""
    bodies = hands.feature.tasks | walking.feature.tasks
    found = bodies[type(message)].body(editor, message)(Job("1", "Task", True, lambda _: None))
    assert found.commit is not None
    with editor.document.edit("Task") as edit:
        found.commit(editor, edit)
    editor.refresh()
    return found.show


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
    worked(editor, hands.GripObject("1", actor.id, joint(editor, "right_index_2"), number))
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
    worked(editor, hands.ShakeHands("1", first, hand, second, hand))
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
        worked(editor, hands.GripObject(side, actor, hand, number, (x, 1.0, 0.42)))
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
    worked(editor, hands.ShakeHands("1", first, hand, second, hand))
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


def test_who_shakes_a_hand_lets_go_walks_to_the_bar_and_takes_it_with_both_hands(editor):
    document = editor.document
    second = document.add_actor("human_with_fingers")
    editor.refresh()
    first, hand = document.actors()[0].id, joint(editor, "right_wrist")
    worked(editor, hands.ShakeHands("1", first, hand, second, hand))
    carry_out(editor, objects.AddObject("2", "bar", actor=first))
    number = document.objects()[0].id
    shown = worked(editor, hands.GripObject("3", first, -1, number))
    handshake, *grips = all_holds(document)
    assert handshake.end_s == pytest.approx(1.0) and handshake.part.joint == "right_wrist"
    start = grips[0].start_s
    assert start is not None and start > 2.0
    assert isinstance(shown, hands.HandsMoved)  # the page goes to this frame: it is held there
    frame = shown.time_s * document.fps
    assert frame == pytest.approx(round(frame), abs=1e-6) and shown.time_s >= start - 1e-6
    held = {(h.part.object or h.part.joint, h.other.joint or h.other.object) for h in grips}
    assert held == {(number, "right_wrist"), ("left_wrist", number)}
    figure = document.figure("human_with_fingers")
    frames = forward(figure.skeleton, document.timeline(first).at(start))
    shoulders, hips = (
        frames.position(f"left_{part}") - frames.position(f"right_{part}")
        for part in ("shoulder", "hip")
    )
    bar = placements.placement_at(document, document.object_row(number), start)
    along = rotation_matrix(bar[3:])[:, 0]
    for across in (shoulders, hips):  # the whole body faces the bar: it stepped, it did not twist
        assert abs(across @ along) > np.cos(np.radians(8.0)) * np.linalg.norm(across)
    assert document_certificate(document).certified


def test_who_walks_away_carries_the_bar_and_the_partner_lowers_the_arm(editor):
    document = editor.document
    carry_out(editor, objects.AddObject("1", "bar", actor=document.actors()[0].id))
    number, first = document.objects()[0].id, document.actors()[0].id
    worked(editor, hands.GripObject("2", first, -1, number))
    editor.refresh()
    worked(editor, walking.WalkTo("3", first, 0.0, 1.5))
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


def with_bar_in_both_hands(editor: Editor, height_m: float) -> tuple[int, int]:
    """The character and a bar at this height, which it has gripped."""
    actor = editor.document.actors()[0].id
    carry_out(editor, objects.AddObject("1", "bar", (0.0, height_m, 0.36)))
    (bar,) = editor.document.objects()
    worked(editor, hands.GripObject("3", actor, -1, bar.id))
    editor.refresh()
    return actor, bar.id


def head_m(editor: Editor, actor: int, time_s: float | None = None) -> float:
    document = editor.document
    q = document.actor(actor).configuration
    if time_s is not None:
        q = document.timeline(actor).at(time_s)
    return float(forward(document.figure("human_with_fingers").skeleton, q).position("head")[1])


def test_one_click_lifts_a_bar_from_below_the_knees(editor):
    standing = head_m(editor, editor.document.actors()[0].id)
    actor, bar = with_bar_in_both_hands(editor, 0.4)
    assert head_m(editor, actor) < standing - 0.3
    worked(editor, hands.LiftCarried("4", actor))
    assert head_m(editor, actor) > standing - 0.05
    place = placements.placement_at(editor.document, editor.document.object_row(bar), 0.0)
    assert 0.9 < place[1] < 1.25
    editor.refresh()
    posed = editor.posed_actor(editor.document.actor(actor))
    assert posed.diagnostics.measure(posed.q).clearance_m > -0.001


def test_who_has_motion_lifts_in_the_second_after_the_playhead(editor):
    actor, _ = with_bar_in_both_hands(editor, 0.4)
    with editor.document.edit("Key") as edit:
        edits.put_key(editor.document, edit, actor, 0.0, editor.document.actor(actor).configuration)
    worked(editor, hands.LiftCarried("4", actor))
    assert head_m(editor, actor, 1.0) > head_m(editor, actor, 0.0) + 0.3


def test_who_walks_away_with_a_bar_from_the_floor_stands_up_first(editor):
    standing = head_m(editor, editor.document.actors()[0].id)
    actor, _ = with_bar_in_both_hands(editor, 0.4)
    worked(editor, walking.WalkTo("4", actor, 0.0, 2.0))
    end = editor.document.timeline(actor).end_s
    heights = [head_m(editor, actor, t) for t in np.linspace(1.0, end, 9)]
    assert head_m(editor, actor, 0.0) < standing - 0.3 and min(heights) > standing - 0.1


@pytest.mark.parametrize("grabbed", ["left_wrist", "right_wrist", "left_middle_2"])
def test_a_bar_in_both_hands_is_dragged_by_either_hand_without_tilting(editor, grabbed):
    actor, bar = with_bar_in_both_hands(editor, 1.0)
    worked(editor, hands.LiftCarried("4", actor))
    editor.refresh()
    skeleton = editor.document.figure("human_with_fingers").skeleton
    start = forward(skeleton, editor.posed_actor_by_number(actor).q).position(grabbed)
    for k in range(60):
        goal = start + min(1.0, (k + 1) / 30) * np.array([0.0, 0.15, 0.05])
        handle = DragHandle(skeleton.index(grabbed), (0.0, 0.0, 0.0), vector3(goal))
        editor.drag(Drag(k, actor, [handle], 2))
    editor.release(Release("5", actor))
    place = placements.placement_at(editor.document, editor.document.object_row(bar), 0.0)
    assert abs(rotation_matrix(place[3:])[1, 0]) < np.sin(np.radians(3.0))
    frames = forward(skeleton, editor.document.actor(actor).configuration)
    wrists = [frames.position(f"{side}_wrist")[1] for side in ("left", "right")]
    assert abs(wrists[0] - wrists[1]) < 0.03  # both rose with it
    assert frames.position(grabbed)[1] > start[1] + 0.12


def test_hands_that_let_go_do_not_pass_through_each_other(editor):
    document = editor.document
    second = document.add_actor("human_with_fingers")
    editor.refresh()
    first, hand = document.actors()[0].id, joint(editor, "right_wrist")
    worked(editor, hands.ShakeHands("1", first, hand, second, hand))
    worked(editor, walking.WalkTo("2", first, 0.0, 3.0))
    assert all_holds(document) == []
    assert document_certificate(document).certified


def test_at_the_end_of_a_walk_a_bar_is_gripped_after_the_playhead_without_touching_it(editor):
    document, actor = editor.document, editor.document.actors()[0].id
    carry_out(editor, objects.AddObject("1", "bar", (0.0, 1.0, 1.2)))
    (bar,) = document.objects()
    worked(editor, walking.WalkTo("2", actor, object=bar.id))
    end = document.timeline(actor).end_s
    editor.seek(end + 0.5 / document.fps)  # the page moves the playhead from frame to frame
    before = document.timeline(actor).at(end)
    worked(editor, hands.GripObject("3", actor, -1, bar.id))
    np.testing.assert_allclose(document.timeline(actor).at(end), before, atol=1e-6)
    assert all(hold.start_s > end + 0.5 for hold in all_holds(document))
    assert {hold.carries for hold in all_holds(document)} == {True, False}
    assert document_certificate(document).certified


def test_who_has_motion_walks_to_a_bar_behind_it_and_carries_it_away_upright(editor):
    document, actor = editor.document, editor.document.actors()[0].id
    standing = head_m(editor, actor)
    carry_out(editor, objects.AddObject("1", "bar", (0.3, 1.0, -1.2)))
    (bar,) = document.objects()
    with document.edit("Key") as edit:
        edits.put_key(document, edit, actor, 0.0, document.actor(actor).configuration)
        edits.put_key(document, edit, actor, 0.5, document.actor(actor).configuration)
    editor.seek(0.5)
    worked(editor, hands.GripObject("2", actor, -1, bar.id))
    start = all_holds(document)[0].start_s
    assert start is not None and start > 2.0
    editor.seek(start)
    worked(editor, walking.WalkTo("3", actor, 1.5, 0.5))  # without Lift
    end = document.timeline(actor).end_s
    skeleton = document.figure("human_with_fingers").skeleton
    for time_s in np.linspace(start + 1.0, end, 12):
        frames = forward(skeleton, document.timeline(actor).at(time_s))
        trunk = frames.position("head") - frames.position("hips")
        assert trunk[1] > np.cos(np.radians(10.0)) * np.linalg.norm(trunk)
        assert head_m(editor, actor, time_s) > standing - 0.1


def test_who_has_no_room_to_straighten_up_does_not_walk_away_stooped(editor):
    actor, _ = with_bar_in_both_hands(editor, 0.4)
    with editor.document.edit("Ceiling") as edit:
        number = object_edits.add_object(editor.document, edit, "box", (0.0, 1.45, 0.0))
        object_edits.resize_object(editor.document, edit, number, (3.0, 0.1, 3.0))
    editor.refresh()
    for message in (hands.LiftCarried("4", actor), walking.WalkTo("5", actor, 0.0, 2.0)):
        with pytest.raises(WritheError, match="no room to straighten up"):
            worked(editor, message)


def test_who_has_a_key_and_who_has_none_walk_to_each_other_and_then_shake_hands(editor):
    document, first = editor.document, editor.document.actors()[0].id
    second = document.add_actor("human_with_fingers")
    figure = document.figure("human_with_fingers")
    with document.edit("Key") as edit:
        edits.put_key(document, edit, first, 0.0, document.actor(first).configuration)
    editor.refresh()
    editor.seek(6.0)
    start = [document.actor(number).configuration for number in (first, second)]
    hand = joint(editor, "right_wrist")
    worked(editor, hands.ShakeHands("1", first, hand, second, hand))
    (hold,) = all_holds(document)
    assert hold.start_s == pytest.approx(6.0, abs=1.0 / document.fps)

    def posed(time_s: float) -> list:
        at = [document.timeline(number).at(time_s) for number in (first, second)]
        return [forward(figure.skeleton, q) for q in at]

    for frames, q in zip(posed(0.0), start, strict=True):  # both keep their pose until they set off
        here = forward(figure.skeleton, q).positions
        np.testing.assert_allclose(frames.positions, here, atol=1e-3)
    one, other = posed(6.0)
    for a, b in ((one, other), (other, one)):  # upright, untwisted, and facing the other
        towards = b.position("chest") - a.position("chest")
        for part in ("shoulder", "hip"):
            across = a.position(f"left_{part}") - a.position(f"right_{part}")
            ahead = np.cross(across, (0.0, 1.0, 0.0))
            assert ahead @ towards > 0.97 * np.linalg.norm(ahead) * np.linalg.norm(towards)
    palms = [f.position("right_middle_1") for f in posed(7.0)]
    assert np.linalg.norm(palms[0] - palms[1]) < 0.12
    assert document_certificate(document).certified


def test_two_who_are_short_of_time_shake_hands_when_they_have_come_together(editor):
    document, first = editor.document, editor.document.actors()[0].id
    second = document.add_actor("human_with_fingers")
    with document.edit("Key") as edit:
        edits.put_key(document, edit, first, 0.0, document.actor(first).configuration)
    editor.refresh()
    editor.seek(1.5)
    hand = joint(editor, "right_wrist")
    worked(editor, hands.ShakeHands("1", first, hand, second, hand))
    (hold,) = all_holds(document)
    assert hold.start_s is not None and 1.5 < hold.start_s < 4.5
    assert document.duration_s >= hold.start_s
    assert document_certificate(document).certified
