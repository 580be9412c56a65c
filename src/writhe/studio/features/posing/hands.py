"""Hands: hand poses, and a hand that grips an object or shakes another character's hand."""

from __future__ import annotations

from typing import Literal

from writhe.arrays import Floats, Vector3, floats
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.hands import HAND_POSES, clasp, grip, hand_pose, hands_of
from writhe.skeleton import Figure, forward
from writhe.solvers.posing import Pin, pin_here
from writhe.studio.document.history import Edit
from writhe.studio.document.holds import Anchor, all_holds
from writhe.studio.document.solver_settings import SolverSettings
from writhe.studio.editing import edits, scene_objects
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.figure_cache import per_figure
from writhe.studio.editing.scene_builder import actor_label
from writhe.studio.feature import Feature
from writhe.studio.features.scene.holds import hold_together
from writhe.studio.features.tangling.tangles import current_configuration
from writhe.studio.protocol import Command, MessagePart, Name

feature = Feature("hands")


class SetHandPose(Command, frozen=True, tag="set_hand_pose"):
    """Put the fingers of one or both hands into a named pose."""

    actor: int
    side: Literal["left", "right", "both"]
    name: Name


class GripObject(Command, frozen=True, tag="grip_object"):
    """Bring the hand of a picked joint to an object and close the fingers around it.

    `at` is the place in the world where it was clicked; by default its handiest piece is gripped.
    """

    actor: int
    joint: int
    object: int
    at: Vector3 | None = None


class ShakeHands(Command, frozen=True, tag="shake_hands"):
    """Bring the hands of two characters together, by a picked joint of each."""

    actor: int
    joint: int
    other: int
    other_joint: int


class HandsState(MessagePart, frozen=True):
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


@feature.command("Grip")
def grip_object(editor: Editor, edit: Edit, message: GripObject) -> None:
    """The hand goes to the object, closes around it and takes it; a second hand holds on to it."""
    side = _side(editor, message.actor, message.joint)
    object_name = scene_objects.object_label(editor.document.object_row(message.object))
    q = current_configuration(editor)
    found = grip(
        editor.scene,
        actor_label(message.actor),
        side,
        object_name,
        q,
        at=None if message.at is None else _in_object(editor, q, object_name, message.at),
        pins=_held_wrists(editor, message.actor, side),
        database=_postures(editor),
    )
    if not found.closed:
        raise WritheError(
            f"the {side} hand cannot reach it or get around it: move the character closer, or turn"
            " the object"
        )
    _keep(editor, edit, message.actor, found.q)
    hand = Anchor(message.actor, found.hand.wrist)
    hold_together(editor, edit, hand, Anchor(object=message.object))


@feature.command("Shake hands")
def shake_hands(editor: Editor, edit: Edit, message: ShakeHands) -> None:
    """Both characters reach, and their hands close; they stay together until one lets go."""
    sides = (
        _side(editor, message.actor, message.joint),
        _side(editor, message.other, message.other_joint),
    )
    names = actor_label(message.actor), actor_label(message.other)
    found = clasp(
        editor.scene, *names, sides, current_configuration(editor), database=_postures(editor)
    )
    if not found.met:
        raise WritheError(
            f"their hands stay {100 * found.apart_m:.0f} cm apart: move the two characters closer,"
            " facing each other"
        )
    joined: list[Anchor] = []
    for number, side in zip((message.actor, message.other), sides, strict=True):
        figure = editor.document.figure(editor.document.actor(number).figure)
        _keep(editor, edit, number, found.q)
        joined.append(Anchor(number, hands_of(figure)[side].wrist))
    hold_together(editor, edit, *joined)


def _keep(editor: Editor, edit: Edit, number: int, q: Floats) -> None:
    """Set the pose of an actor from that of the scene."""
    own = q[editor.scene.layout.actor_q[actor_label(number)]]
    edits.set_pose(editor.document, edit, number, own, editor.time_s)
    editor.posed_actor(editor.document.actor(number)).set_pose(own)


def _in_object(editor: Editor, q: Floats, object_name: str, point: Vector3) -> Floats:
    """A point of the world in the frame of an object."""
    at = floats(point, (3,), "the place to grip")
    frames = forward(editor.scene.layout.skeleton, q)
    return frames.rotation(object_name).T @ (at - frames.position(object_name))


def _held_wrists(editor: Editor, number: int, but: str) -> list[Pin]:
    """Pins of the actor's other hands that hold something: they stay while this one reaches."""
    posed = editor.posed_actor(editor.document.actor(number))
    wrists = {hand.wrist for side, hand in hands_of(posed.figure).items() if side != but}
    held = {
        anchor.joint
        for hold in all_holds(editor.document)
        if hold.holds(editor.time_s)
        for anchor in (hold.part, hold.other)
        if anchor.actor == number
    }
    skeleton = posed.figure.skeleton
    return [pin_here(skeleton, posed.q, wrist, orientation=True) for wrist in wrists & held]


def _postures(editor: Editor) -> PostureDatabase | None:
    return editor.posers.postures(SolverSettings.of(editor.document))


def _side(editor: Editor, number: int, joint: int) -> str:
    """The hand of a picked joint."""
    figure = editor.document.figure(editor.document.actor(number).figure)
    names = figure.skeleton.names
    if not 0 <= joint < len(names):
        raise WritheError(f"this figure has no joint number {joint}")
    for side, hand in hands_of(figure).items():
        if names[joint] == hand.wrist or names[joint] in hand.joints:
            return side
    raise WritheError(
        "pick a hand with fingers: a character without them gets them with the figure Human"
    )
