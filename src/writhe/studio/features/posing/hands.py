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
from writhe.studio.editing import edits, held_joints, scene_objects
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.figure_cache import per_figure
from writhe.studio.editing.hand_actions import LIFT_S, carried_by, lifted
from writhe.studio.editing.scene_builder import actor_label
from writhe.studio.feature import Feature
from writhe.studio.features.scene.holds import hold_together
from writhe.studio.features.tangling.tangles import current_configuration
from writhe.studio.protocol import Command, MessagePart, Name

feature = Feature("hands")
_REACH_S = 0.3  # from one pose of a hand that reaches to the next
_ROOM_S = 2.0  # that the timeline goes on after a grip


class SetHandPose(Command):
    """Put the fingers of one or both hands into a named pose."""

    actor: int
    side: Literal["left", "right", "both"]
    name: Name


class GripObject(Command):
    """Bring the hand of a picked joint to an object and close the fingers around it.

    `joint` -1: both hands. `at` is the place in the world where it was clicked; by default its
    handiest piece is gripped. A character without motion steps to an object out of reach.
    """

    actor: int
    joint: int
    object: int
    at: Vector3 | None = None


class ShakeHands(Command):
    """Bring the hands of two characters together, by a picked joint of each."""

    actor: int
    joint: int
    other: int
    other_joint: int


class LiftCarried(Command):
    """Straighten up with what the hands hold, and carry it before the body.

    A character with motion does so in the second after the playhead.
    """

    actor: int


class HandsState(MessagePart):
    """The names of the hand poses, and the characters that have fingers."""

    poses: list[str]
    actors: list[int]
    lift_s: float  # that straightening up takes


@per_figure
def _has_fingers(figure: Figure) -> bool:
    return bool(hands_of(figure))


@feature.state
def state(editor: Editor) -> HandsState:
    """Who can use hand poses."""
    document = editor.document
    able = [a.id for a in document.actors() if _has_fingers(document.figure(a.figure))]
    return HandsState(list(HAND_POSES), able, LIFT_S)


@feature.command("Hand pose")
def set_hand_pose(editor: Editor, edit: Edit, message: SetHandPose) -> None:
    """Close the fingers towards the pose; they stop where they meet the body."""
    actor = editor.document.actor(message.actor)
    posed = editor.posed_actor(actor)
    q = posed.q
    for side in ("left", "right") if message.side == "both" else (message.side,):
        q = hand_pose(posed.figure, q, side, message.name)
    edits.set_pose(editor.document, edit, actor.id, q, editor.time_s)


@feature.command("Grip")
def grip_object(editor: Editor, edit: Edit, message: GripObject) -> None:
    """The hand goes to the object, closes around it and takes it; a second hand holds on to it.

    A hand that held something else lets go of it. At a key, such as the end of a walk, the hand
    reaches after the playhead; otherwise the grip is the pose at the playhead.
    """
    document, number = editor.document, message.actor
    thing = scene_objects.object_label(document.object_row(message.object))
    actor, database = actor_label(number), _postures(editor)
    sides = ("right", "left") if message.joint < 0 else (_side(editor, number, message.joint),)
    free = _standing_free(editor, number)
    for side in sides:
        _let_go(editor, edit, Anchor(number, _wrist(editor, number, side)))
    q = current_configuration(editor)
    if len(sides) == 2:
        found = grip_with_both(editor.scene, actor, thing, q, step=free, database=database)
    else:
        at = None if message.at is None else _in_object(editor, q, thing, message.at)
        pins = _held_wrists(editor, number, sides[0])
        if free and not pins:
            q = stand_before(editor.scene, actor, thing, q, at=at)
        found = grip(editor.scene, actor, sides[0], thing, q, at=at, pins=pins, database=database)
    if not found.closed:
        hands = "both hands" if len(sides) == 2 else f"the {sides[0]} hand"
        raise WritheError(
            f"{hands} cannot reach it or get around it: walk to it (N, then click it), or turn it"
        )
    start_s = None
    if _is_keyed_here(editor, number):
        start_s = _key_after(editor, edit, number, [*found.approach, found.q])
    else:
        _keep(editor, edit, number, found.q, moved=free)
    for side in sides:
        hand = Anchor(number, _wrist(editor, number, side))
        hold_together(editor, edit, hand, Anchor(object=message.object), start_s)


@feature.command("Shake hands")
def shake_hands(editor: Editor, edit: Edit, message: ShakeHands) -> None:
    """Both characters reach, and their hands close; they stay together until one lets go.

    Characters without motion turn to each other and step together first.
    """
    numbers = (message.actor, message.other)
    sides = (
        _side(editor, message.actor, message.joint),
        _side(editor, message.other, message.other_joint),
    )
    names = actor_label(message.actor), actor_label(message.other)
    free = all(_standing_free(editor, number) for number in numbers)
    joined = [Anchor(n, _wrist(editor, n, side)) for n, side in zip(numbers, sides, strict=True)]
    for hand in joined:
        _let_go(editor, edit, hand)
    q = current_configuration(editor)
    if free:
        q = stand_opposite(editor.scene, *names, q)
    found = clasp(editor.scene, *names, sides, q, database=_postures(editor))
    if not found.met:
        raise WritheError(
            f"their hands stay {100 * found.apart_m:.0f} cm apart: move the two characters closer,"
            " facing each other"
        )
    for number in numbers:
        _keep(editor, edit, number, found.q, moved=free)
    hold_together(editor, edit, joined[0], joined[1])


@feature.command("Lift")
def lift_carried(editor: Editor, edit: Edit, message: LiftCarried) -> None:
    """The character stands upright with the object in front, elbows bent by a right angle."""
    document, number, now = editor.document, message.actor, editor.time_s
    holds = carried_by(editor, number)
    if not holds:
        raise WritheError("the hands are empty: grip something first (Shift+G, then click it)")
    before = editor.posed_actor(document.actor(number)).q.copy()
    actor_q = lifted(editor, number, holds[0])
    if actor_q is None:
        raise WritheError("there is no room to straighten up with it: move what is in the way")
    if not document.timeline(number).empty:
        edits.put_key(document, edit, number, now, before)
        edits.put_key(document, edit, number, now + LIFT_S, actor_q)
        return
    edits.set_pose(document, edit, number, actor_q, now)
    editor.posed_actor(document.actor(number)).set_pose(actor_q)
    held_joints.keep_places(document, edit, {number: actor_q}, set(), now)


def _standing_free(editor: Editor, number: int) -> bool:
    """Whether a character may step elsewhere: it has no motion, and only its feet are pinned."""
    document = editor.document
    actor = document.actor(number)
    feet = {joint for role, joint in document.figure(actor.figure).roles if role in ANKLES}
    return document.timeline(number).empty and {pin.joint for pin in actor.pins} <= feet


def _let_go(editor: Editor, edit: Edit, hand: Anchor) -> None:
    """End what a hand holds: now, or from the last key before the playhead on."""
    document, now = editor.document, editor.time_s
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


def _wrist(editor: Editor, number: int, side: str) -> str:
    return hand_of(editor.document.figure(editor.document.actor(number).figure), side).wrist


def _keep(editor: Editor, edit: Edit, number: int, q: Floats, *, moved: bool) -> None:
    """Set the pose of an actor from that of the scene; moved: its pins are where it stands now."""
    actor_q = q[editor.scene.layout.actor_q[actor_label(number)]]
    edits.set_pose(editor.document, edit, number, actor_q, editor.time_s)
    if moved:
        edits.update_pins(editor.document, edit, number, actor_q)
    editor.posed_actor(editor.document.actor(number)).set_pose(actor_q)


def _is_keyed_here(editor: Editor, number: int) -> bool:
    """Whether a character that moves has a key at the playhead: its pose there stays."""
    keys = editor.document.timeline(number).keys
    if keys is None or editor.time_s < SAME_TIME_S:
        return False
    return bool((abs(keys.times_s - editor.time_s) < 1.0 / editor.document.fps).any())


def _key_after(editor: Editor, edit: Edit, number: int, rows: list[Floats]) -> float:
    """Key poses of the scene one after the other, after the playhead; returns the last time."""
    document, time_s = editor.document, editor.time_s
    own = editor.scene.layout.actor_q[actor_label(number)]
    for row in rows:
        time_s += _REACH_S
        edits.put_key(document, edit, number, time_s, row[own])
    if document.duration_s < time_s:
        edit.setting("duration_s", float(np.ceil(time_s + _ROOM_S)))
    editor.posed_actor(document.actor(number)).set_pose(rows[-1][own])
    return time_s


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
    names = figure.skeleton.names
    if not 0 <= joint < len(names):
        raise WritheError(f"this figure has no joint number {joint}")
    hands = hands_of(figure)
    if not hands:
        raise WritheError("this character has no fingers: choose the body Human for it")
    for side, hand in hands.items():
        if names[joint] in hand.joints:
            return side
    role = next((role for role, name in figure.roles if name == names[joint]), "")
    side = "left" if role.startswith("left") else "right"
    return side if side in hands else next(iter(hands))
