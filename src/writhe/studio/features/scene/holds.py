"""Holds: joints and objects kept together: a rod in a hand, a hand on a shoulder, a handshake.

While one character is dragged, what it holds moves along: objects with the hand that carries them,
and other characters who hold the same object or hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from writhe.arrays import Floats, vector3
from writhe.errors import WritheError
from writhe.hands import hands_of
from writhe.skeleton import Figure, forward
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix
from writhe.solvers.posing import Target
from writhe.studio.document import Document, relations
from writhe.studio.document.history import Edit
from writhe.studio.document.holds import (
    Anchor,
    HoldRow,
    all_holds,
    carriers,
    hold_by_number,
    next_number,
    put_hold,
    remove_hold,
)
from writhe.studio.editing import edits, held_joints
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.held_joints import JointHold
from writhe.studio.editing.scene import object_edits, placements
from writhe.studio.editing.scene.placements import Frame, composed, hold_frame, inverse
from writhe.studio.feature import Feature
from writhe.studio.features.posing.contacts import PickedPart
from writhe.studio.protocol import ActorPose, Command, MessagePart, Time
from writhe.studio.view.part_labels import display_name, display_names

feature = Feature("holds")
_FOLLOW_FRAMES = 3  # solver frames of a follower for each step of a drag
_REACHED_M = 0.006  # a follower that is farther off holds the dragged character back
_FURNITURE = ("chair", "ladder", "stand")  # objects that stay; hands are held on them


class AddHold(Command):
    """Keep two picked parts or objects together as they are now: `part` follows `other`.

    A hand picked together with an object that can be carried takes the object, in either order.
    """

    part: PickedPart
    other: PickedPart
    kept: relations.RelationKind = "place"


class RemoveHold(Command):
    """Let go; an object stays where it is."""

    hold: int


class SetHoldRange(Command):
    """Set when a hold begins and ends; None: at the start, or the end, of the timeline."""

    hold: int
    start_s: Time | None = None
    end_s: Time | None = None


class ListedHold(MessagePart):
    """A hold in words, its time range, and the joint (-1: none) or object of both sides.

    For a carried object: its placement in the frame of what carries it, and in the world where it
    is left at the end.
    """

    id: int
    text: str
    actor: int
    joint: int
    object: int
    other_actor: int
    other_joint: int
    other_object: int
    position: tuple[float, float, float]
    rotation: tuple[float, float, float, float]
    carries: bool
    start_s: float | None
    end_s: float | None
    left: list[float]


class HoldsState(MessagePart):
    """The holds of the document."""

    holds: list[ListedHold]


class HeldAlong(MessagePart):
    """The poses of characters that moved along with the dragged one (which may be among them)."""

    actors: list[ActorPose]


@feature.state
def state(editor: Editor) -> HoldsState:
    """The holds of the document."""
    document = editor.document
    names = display_names(document) if all_holds(document) else {}
    return HoldsState([_hold_state(document, hold, names) for hold in all_holds(document)])


def _hold_state(document: Document, hold: HoldRow, names: dict[str, str]) -> ListedHold:
    from writhe.studio.editing.scene.scene_builder import anchor_label

    def joint(anchor: Anchor) -> int:
        if not anchor.actor:
            return -1
        return document.figure(document.actor(anchor.actor).figure).skeleton.index(anchor.joint)

    left: list[float] = []
    if hold.carries and hold.end_s is not None:
        item = document.object_row(hold.part.object)
        left = placements.placement_at(document, item, hold.end_s).tolist()
    labels = [display_name(anchor_label(document, t), names) for t in (hold.part, hold.other)]
    return ListedHold(
        hold.id,
        f"{labels[0]} {'in' if hold.carries else 'on'} {labels[1]}",
        hold.part.actor,
        joint(hold.part),
        hold.part.object,
        hold.other.actor,
        joint(hold.other),
        hold.other.object,
        hold.position,
        hold.rotation,
        hold.carries,
        hold.start_s,
        hold.end_s,
        left,
    )


@feature.command("Hold")
def add_hold(editor: Editor, edit: Edit, message: AddHold) -> None:
    """Keep two parts or objects together as they are now."""
    document = editor.document
    part, other = _anchor(document, message.part), _anchor(document, message.other)
    if part is None or other is None:
        held = part or other
        if held is None or held.object:
            raise WritheError("objects rest on the floor by themselves: pick a part of a character")
        actor = document.actor(held.actor)
        edits.set_pin(document, edit, actor.id, editor.posed_actor(actor).q, held.joint, "both")
        return
    if part.actor and part.actor == other.actor:
        actor = document.actor(part.actor)
        q, figure = editor.posed_actor(actor).q, document.figure(actor.figure)
        relations.add_relation(
            document, edit, actor.id, figure, q, part.joint, other.joint, message.kept
        )
        return
    hold_together(editor, edit, part, other)


def hold_together(
    editor: Editor, edit: Edit, part: Anchor, other: Anchor, start_s: float | None = None
) -> None:
    """Keep two anchors together from now, or from a later time, on, as in the current poses."""
    document = editor.document
    when = editor.time_s if start_s is None else start_s
    if part.actor and other.object and _can_be_carried(document, other.object, when):
        part, other = other, part  # the hand takes it
    elif part.object and not _can_be_carried(document, part.object, when) and other.actor:
        part, other = other, part  # the hand is held on it
    frames = {t: _frame_now(editor, t) for t in (part, other)}
    turn, position = composed(inverse(frames[other]), frames[part])
    actors = {t.actor for t in (part, other) if t.actor}
    animated = any(not document.timeline(number).empty for number in actors)
    if start_s is None and animated and editor.time_s > 0.0:
        start_s = editor.time_s
    hold = HoldRow(
        next_number(document), part, other, vector3(position), quaternion_of(turn), start_s
    )
    put_hold(document, edit, hold)
    for anchor in (part, other):  # the hold replaces a pin of the hand
        if anchor.actor:
            actor = document.actor(anchor.actor)
            q = editor.posed_actor(actor).q
            edits.set_pin(document, edit, actor.id, q, anchor.joint, "none")


@feature.command("Let go")
def let_go(editor: Editor, edit: Edit, message: RemoveHold) -> None:
    """Remove a hold; an object stays where it is."""
    document = editor.document
    hold = hold_by_number(document, message.hold)
    if hold.carries and hold.start_s is None and not document.placement_keys(hold.part.object):
        turn, position = _frame_now(editor, hold.part)
        remove_hold(document, edit, hold.id)
        object_edits.place_object(
            document,
            edit,
            hold.part.object,
            vector3(position),
            quaternion_of(turn),
            editor.time_s,
        )
        return
    remove_hold(document, edit, hold.id)


@feature.command("Time of hold")
def set_range(editor: Editor, edit: Edit, message: SetHoldRange) -> None:
    """Set when a hold begins and ends."""
    hold = hold_by_number(editor.document, message.hold)
    start, end = message.start_s, message.end_s
    if start is not None and end is not None and start >= end:
        raise WritheError("a hold must begin before it ends")
    put_hold(editor.document, edit, msgspec.structs.replace(hold, start_s=start, end_s=end))


@dataclass(frozen=True)
class _Link:
    """A follower's joint and the frame that the hold wants it to have."""

    actor: int
    joint: str
    goal: Frame
    leader: int  # the actor whose joint it is held by
    leader_joint: str


@feature.drag_follower
def follow(editor: Editor, actor: int) -> HeldAlong | None:
    """Characters joined by holds move along; one that cannot stops the dragged one."""
    holds = editor.holds_now
    if not any(a.actor and b.actor and a.actor != b.actor for _, a, b in holds):
        return None
    moved, out = [actor], dict[int, Floats]()
    while links := _links(editor, holds, moved):
        follower = links[0].actor
        mine = [link for link in links if link.actor == follower]
        off = _step(editor, follower, mine)
        out[follower] = editor.posed_actor_by_number(follower).q
        if off > _REACHED_M and mine[0].leader == actor:
            _hold_back(editor, actor, mine)
            out[actor] = editor.posed_actor_by_number(actor).q
        moved.append(follower)
    if not out:
        return None
    editor.followers |= set(out) - {actor}
    return HeldAlong([ActorPose(n, q.astype("<f4").tobytes()) for n, q in out.items()])


def _links(editor: Editor, holds: list[JointHold], moved: list[int]) -> list[_Link]:
    """What joins actors that have moved to actors that have not."""
    found: list[_Link] = []
    for hold, part, other in holds:
        relative = composed(composed(other.frame, hold_frame(hold)), inverse(part.frame))
        if part.actor in moved and other.actor and other.actor not in moved:
            lead, led, step = part, other, inverse(relative)
        elif other.actor in moved and part.actor and part.actor not in moved:
            lead, led, step = other, part, relative
        else:
            continue
        goal = composed(_joint_frame(editor, lead.actor, lead.joint), step)
        found.append(_Link(led.actor, led.joint, goal, lead.actor, lead.joint))
    return found


def _step(editor: Editor, number: int, links: list[_Link]) -> float:
    """Move a follower towards the goals of its joints; returns how far it stays off, in metres."""
    document = editor.document
    actor = document.actor(number)
    posed = editor.posed_actor(actor)
    editor.update_environment(posed)
    held = {link.joint for link in links}
    pins = [pin for pin in editor.pins_now(actor, posed) if pin.joint not in held]
    own_holds = held_joints.on_own_tree(document, number, editor.time_s)
    targets = [
        Target(link.joint, vector3(link.goal[1]), orientation_in_world=quaternion_of(link.goal[0]))
        for link in links
    ]
    posed.step(targets, [*pins, *own_holds], _FOLLOW_FRAMES)
    return max(
        float(np.linalg.norm(_joint_frame(editor, number, link.joint)[1] - link.goal[1]))
        for link in links
    )


def _hold_back(editor: Editor, number: int, links: list[_Link]) -> None:
    """Move the dragged actor back to where its follower's hand is."""
    posed = editor.posed_actor_by_number(number)
    editor.update_environment(posed)
    targets: list[Target] = []
    for link in links:
        here = _joint_frame(editor, link.actor, link.joint)
        step = composed(inverse(link.goal), _joint_frame(editor, number, link.leader_joint))
        turn, position = composed(here, step)
        targets.append(
            Target(link.leader_joint, vector3(position), orientation_in_world=quaternion_of(turn))
        )
    actor = editor.document.actor(number)
    pins = editor.pins_now(actor, posed)
    own_holds = held_joints.on_own_tree(editor.document, number, editor.time_s)
    held = {target.joint for target in targets}
    posed.step(targets, [*(p for p in pins if p.joint not in held), *own_holds], _FOLLOW_FRAMES)


def _joint_frame(editor: Editor, number: int, joint: str) -> Frame:
    posed = editor.posed_actor_by_number(number)
    frames = forward(posed.figure.skeleton, posed.q)
    return frames.rotation(joint), frames.position(joint)


def _frame_now(editor: Editor, anchor: Anchor) -> Frame:
    """The frame of a joint or object in the current poses."""
    if anchor.actor:
        posed = editor.posed_actor(editor.document.actor(anchor.actor))
        frames = forward(posed.figure.skeleton, posed.q)
        return frames.rotation(anchor.joint), frames.position(anchor.joint)
    at = held_joints.attachment(
        editor.document,
        anchor,
        carriers(all_holds(editor.document), editor.time_s, editor.time_s),
    )
    if at.actor:
        return composed(_joint_frame(editor, at.actor, at.joint), at.frame)
    item = editor.document.object_row(anchor.object)
    placed = placements.placement_at(editor.document, item, editor.time_s)
    return rotation_matrix(placed[3:]), placed[:3]


def _can_be_carried(document: Document, number: int, time_s: float) -> bool:
    """Whether an object follows a hand: no furniture, and nothing carries it yet."""
    furniture = document.object_row(number).kind in _FURNITURE
    return not furniture and number not in carriers(all_holds(document), time_s, time_s)


def _anchor(document: Document, picked: PickedPart) -> Anchor | None:
    """The anchor of a pick; a finger counts as its hand, None is the ground."""
    if picked.object:
        return Anchor(object=document.object_row(picked.object).id)
    if not picked.actor:
        return None
    figure = document.figure(document.actor(picked.actor).figure)
    return Anchor(picked.actor, _hand_joint(figure, figure.skeleton.joint_name(picked.joint)))


def _hand_joint(figure: Figure, joint: str) -> str:
    found = (hand.wrist for hand in hands_of(figure).values() if joint in hand.joints)
    return next(found, joint)
