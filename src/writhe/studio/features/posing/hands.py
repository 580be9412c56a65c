"""Hands: hand poses, and a hand that grips an object or shakes another character's hand."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from writhe.arrays import Floats, Vector3, floats
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.hands import (
    HAND_POSES,
    clasp,
    grip,
    grip_with_both,
    hand_of,
    hand_pose,
    hands_of,
    stand_before,
    stand_opposite,
)
from writhe.skeleton import Figure, forward
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.posing import Pin, pin_here
from writhe.studio.document.history import Edit
from writhe.studio.document.holds import Anchor, all_holds, put_hold, remove_hold
from writhe.studio.document.row_types import SAME_TIME_S
from writhe.studio.document.solver_settings import SolverSettings
from writhe.studio.editing import edits, held_joints
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.figure_cache import per_figure
from writhe.studio.editing.hand_actions import LIFT_S, carried_by, plan_lift, put_lift
from writhe.studio.editing.meetings import plan_meeting
from writhe.studio.editing.scene import scene_objects
from writhe.studio.editing.scene.scene_builder import actor_label
from writhe.studio.editing.walks import plan_approach
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.scene.holds import hold_together
from writhe.studio.protocol import Command, Message, MessagePart, Name, Task
from writhe.studio.server.jobs import Job

feature = Feature("hands")
_REACH_S = 0.3  # from one pose of a hand that reaches to the next
_RAISE_S = 0.3  # added to the first reach of a handshake, from arms that hang
_ROOM_S = 2.0  # that the timeline goes on after a grip


class SetHandPose(Command):
    """Put the fingers of one or both hands into a named pose."""

    actor: int
    side: Literal["left", "right", "both"]
    name: Name


class GripObject(Task):
    """Bring the hand of a picked joint to an object and close the fingers around it.

    `joint` -1: both hands. `at` is the place in the world where it was clicked; by default its
    handiest piece is gripped. A character steps or walks to an object out of reach.
    """

    actor: int
    joint: int
    object: int
    at: Vector3 | None = None


class ShakeHands(Task):
    """Bring the hands of two characters together, by a picked joint of each."""

    actor: int
    joint: int
    other: int
    other_joint: int


class LiftCarried(Task):
    """Straighten up with what the hands hold, and carry it before the body.

    A character with motion does so in the second after the playhead.
    """

    actor: int


class HandsMoved(Message):
    """What hands were asked to do is done; `time_s` is the time at which they have done it."""

    job: str
    time_s: float


class HandsState(MessagePart):
    """The names of the hand poses, and the characters that have fingers."""

    poses: list[str]
    actors: list[int]


@per_figure
def _has_fingers(figure: Figure) -> bool:
    return bool(hands_of(figure))


@feature.state
def state(editor: Editor) -> HandsState:
    """Who can use hand poses."""
    document = editor.document
    able = [a.id for a in document.actors() if _has_fingers(document.figure(a.figure))]
    return HandsState(list(HAND_POSES), able)


@feature.command("Hand pose")
def set_hand_pose(editor: Editor, edit: Edit, message: SetHandPose) -> None:
    """Close the fingers towards the pose; they stop where they meet the body."""
    actor = editor.document.actor(message.actor)
    posed = editor.posed_actor(actor)
    q = posed.q
    for side in ("left", "right") if message.side == "both" else (message.side,):
        q = hand_pose(posed.figure, q, side, message.name)
    edits.set_pose(editor.document, edit, actor.id, q, editor.time_s)


@feature.task("Grip", needs=("planning",))
def grip_object(editor: Editor, message: GripObject) -> Work:
    """The hand goes to the object, closes around it and takes it; a second hand holds on to it.

    A character without motion is placed before an object out of reach. One with motion, or one
    that shakes a hand, walks there after the playhead, faces it, and then reaches; the hold begins
    when the hands have closed.
    """
    document, number, now = editor.document, message.actor, editor.time_s
    object_name = scene_objects.object_label(document.object_row(message.object))
    both = message.joint < 0
    sides = ("right", "left") if both else (_side(editor, number, message.joint),)
    wrists = [Anchor(number, _wrist(editor, number, side)) for side in sides]
    scene, q, database = editor.scene, editor.configuration, _postures(editor)
    at = None if both or message.at is None else _in_object(editor, q, object_name, message.at)
    pins = [] if both else _held_wrists(editor, number, sides[0])
    coming = plan_approach(editor, number, object_name, at, both=both)
    free = coming is None and _standing_free(editor, number)
    actor, fps = actor_label(number), document.fps
    own = scene.layout.actor_q[actor]

    def work(job: Job) -> Outcome:
        walked, row = None, q.copy()
        if coming is not None:
            if coming.walk is not None:
                job.report(0.1, "walks there")
                walked = coming.walk.solve()
            row[own] = coming.pose if walked is None else walked.motion.q[-1]
        job.report(0.5, "reaches for it")
        if both:
            found = grip_with_both(scene, actor, object_name, row, step=free, database=database)
        else:
            if free and not pins:
                row = stand_before(scene, actor, object_name, row, at=at)
            found = grip(
                scene, actor, sides[0], object_name, row, at=at, pins=pins, database=database
            )
        if not found.closed:
            raise WritheError(
                f"{'both hands' if both else f'the {sides[0]} hand'} cannot reach it or get around"
                " it: walk to it (N, then click it), or turn it"
            )

        def commit(editor: Editor, edit: Edit) -> None:
            start_s = None
            if coming is None:
                for wrist in wrists:
                    _let_go(editor, edit, wrist, now)
                _keep(editor, edit, number, found.q[own], now, moved=free)
            else:
                begin_s = coming.commit(editor, edit, number, walked)
                for wrist in wrists:
                    _put_down(editor, edit, wrist, begin_s)
                rows = [reach[own] for reach in (*found.approach, found.q)]
                start_s = _key_after(editor, edit, number, begin_s, rows)
            for wrist in wrists:
                hold_together(editor, edit, wrist, Anchor(object=message.object), start_s)

        steps = len(found.approach) + 1
        done_s = now if coming is None else coming.arrives_s(walked) + _REACH_S * steps
        return Outcome(commit=commit, show=HandsMoved(job.number, _frame_from(done_s, fps)))

    return work


@feature.task("Shake hands", needs=("planning",))
def shake_hands(editor: Editor, message: ShakeHands) -> Work:
    """Both characters reach, and their hands close; they stay together until one lets go.

    Characters without motion are placed face to face first. Characters at rest of which one has
    keys turn and walk there before the playhead, so that their hands meet at the playhead; if time
    is short, as soon after it as they can.
    """
    numbers, now = (message.actor, message.other), editor.time_s
    sides = (
        _side(editor, message.actor, message.joint),
        _side(editor, message.other, message.other_joint),
    )
    names = actor_label(message.actor), actor_label(message.other)
    free = all(_standing_free(editor, number) for number in numbers)
    meeting = plan_meeting(editor, numbers)
    joined = [Anchor(n, _wrist(editor, n, side)) for n, side in zip(numbers, sides, strict=True)]
    document, fps = editor.document, editor.document.fps
    scene, q, database = editor.scene, editor.configuration, _postures(editor)

    def work(job: Job) -> Outcome:
        row = stand_opposite(scene, *names, q) if free else q
        walked = {}
        if meeting is not None:
            job.report(0.1, "they come together")
            walked = meeting.solve()
            row = meeting.arrived(walked)
        job.report(0.5, "their hands meet")
        found = clasp(scene, *names, sides, row, database=database)
        if not found.met:
            raise WritheError(
                f"their hands stay {100 * found.apart_m:.0f} cm apart: move the two characters"
                " closer, facing each other"
            )
        reach = (*found.approach, found.q)
        reach_s = _RAISE_S + _REACH_S * len(reach)
        begin_s = 0.0 if meeting is None else meeting.begin_s(walked, reach_s)

        def commit(editor: Editor, edit: Edit) -> None:
            start_s = None
            for hand in joined:
                _let_go(editor, edit, hand, now)
            arrived_s = 0.0 if meeting is None else meeting.commit(editor, edit, walked, begin_s)
            for number, name in zip(numbers, names, strict=True):
                own = scene.layout.actor_q[name]
                if meeting is None:
                    if now > SAME_TIME_S and not free and document.timeline(number).empty:
                        before_s = max(0.0, now - reach_s)  # until then it keeps its pose
                        edits.put_key(document, edit, number, before_s, q[own])
                    _keep(editor, edit, number, found.q[own], now, moved=free)
                else:
                    rows = [each[own] for each in reach]
                    start_s = _key_after(editor, edit, number, arrived_s + _RAISE_S, rows)
            hold_together(editor, edit, joined[0], joined[1], start_s)

        done_s = now
        if meeting is not None:
            done_s = meeting.arrives_s(walked, begin_s) + reach_s
        return Outcome(commit=commit, show=HandsMoved(job.number, _frame_from(done_s, fps)))

    return work


@feature.task("Lift")
def lift_carried(editor: Editor, message: LiftCarried) -> Work:
    """The character stands upright with the object in front, elbows bent by a right angle."""
    document, number, now = editor.document, message.actor, editor.time_s
    holds = carried_by(editor, number)
    if not holds:
        raise WritheError("the hands are empty: grip something first (Shift+G, then click it)")
    animated = not document.timeline(number).empty
    lifted = plan_lift(editor, number, holds[0])

    def work(job: Job) -> Outcome:
        job.report(0.2, "straightens up")
        path = lifted()
        if path is None:
            raise WritheError("there is no room to straighten up with it: move what is in the way")

        def commit(editor: Editor, edit: Edit) -> None:
            if animated:
                put_lift(editor, edit, number, now, path)
                return
            _keep(editor, edit, number, path[-1], now, moved=False)
            held_joints.keep_places(editor.document, edit, {number: path[-1]}, set(), now)

        return Outcome(
            commit=commit, show=HandsMoved(job.number, now + LIFT_S if animated else now)
        )

    return work


def _standing_free(editor: Editor, number: int) -> bool:
    """Whether a character may step elsewhere: it has no motion, and only its feet are pinned."""
    document = editor.document
    actor = document.actor(number)
    feet = {joint for role, joint in document.figure(actor.figure).roles if role in ANKLES}
    return document.timeline(number).empty and {pin.joint for pin in actor.pins} <= feet


def _let_go(editor: Editor, edit: Edit, hand: Anchor, now: float) -> None:
    """End what a hand holds: now, or from the last key before the playhead on."""
    document = editor.document
    keyed = document.timeline(hand.actor).keys
    keys = [] if keyed is None else [t for t in keyed.times_s.tolist() if t < now - SAME_TIME_S]
    for hold in all_holds(document):
        if hand not in (hold.part, hold.other) or not hold.holds(now):
            continue
        begun = 0.0 if hold.start_s is None else hold.start_s
        if keys and keys[-1] > begun:
            put_hold(document, edit, msgspec.structs.replace(hold, end_s=keys[-1]))
        else:
            remove_hold(document, edit, hold.id)


def _put_down(editor: Editor, edit: Edit, hand: Anchor, time_s: float) -> None:
    """End the holds of objects in a hand at a time."""
    for hold in all_holds(editor.document):
        objects = hold.part.object or hold.other.object
        if hand in (hold.part, hold.other) and objects and hold.holds(time_s):
            put_hold(editor.document, edit, msgspec.structs.replace(hold, end_s=time_s))


def _wrist(editor: Editor, number: int, side: str) -> str:
    return hand_of(editor.document.figure(editor.document.actor(number).figure), side).wrist


def _keep(editor: Editor, edit: Edit, number: int, q: Floats, now: float, *, moved: bool) -> None:
    """Set the pose of an actor; moved: its pins are where it stands now."""
    edits.set_pose(editor.document, edit, number, q, now)
    if moved:
        edits.update_pins(editor.document, edit, number, q)
    editor.posed_actor(editor.document.actor(number)).set_pose(q)


def _key_after(editor: Editor, edit: Edit, number: int, time_s: float, rows: list[Floats]) -> float:
    """Key poses of an actor one after the other, after a time; returns the last time."""
    document = editor.document
    for row in rows:
        time_s += _REACH_S
        edits.put_key(document, edit, number, time_s, row)
    if document.duration_s < time_s:
        edit.setting("duration_s", float(np.ceil(time_s + _ROOM_S)))
    editor.posed_actor(document.actor(number)).set_pose(rows[-1])
    return time_s


def _frame_from(time_s: float, fps: float) -> float:
    """The first frame from a time on: the playhead moves from frame to frame, and holds have begun
    there."""
    return float(np.ceil(time_s * fps - 1e-6)) / fps


def _in_object(editor: Editor, q: Floats, object_name: str, point: Vector3) -> Floats:
    """A point of the world in the frame of an object."""
    at = floats(point, (3,), "the place to grip")
    frames = forward(editor.scene.layout.skeleton, q)
    return frames.rotation(object_name).T @ (at - frames.position(object_name))


def _held_wrists(editor: Editor, number: int, but: str) -> list[Pin]:
    """Pins of the actor's other hands that hold something: they stay while this one reaches."""
    posed = editor.posed_actor(editor.document.actor(number))
    wrists = {hand.wrist for side, hand in hands_of(posed.figure).items() if side != but}
    held = held_joints.holding_joints(editor.document, number, editor.time_s)
    skeleton = posed.figure.skeleton
    return [pin_here(skeleton, posed.q, wrist, orientation=True) for wrist in wrists & held]


def _postures(editor: Editor) -> PostureDatabase | None:
    return editor.posers.postures(SolverSettings.of(editor.document))


def _side(editor: Editor, number: int, joint: int) -> str:
    """The hand on the side of the body of a picked joint; the right one for the trunk."""
    figure = editor.document.figure(editor.document.actor(number).figure)
    name = figure.skeleton.joint_name(joint)
    hands = hands_of(figure)
    if not hands:
        raise WritheError("this character has no fingers: choose the body Human for it")
    for side, hand in hands.items():
        if name in hand.joints:
            return side
    role = next((role for role, of in figure.roles if of == name), "")
    side = "left" if role.startswith("left") else "right"
    return side if side in hands else next(iter(hands))
