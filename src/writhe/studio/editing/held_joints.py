"""Holds of a document as constraints of the characters' joints, while posing and between keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import numpy as np

from writhe.animation.pins import TimedPin
from writhe.arrays import Floats, vector3
from writhe.skeleton import forward
from writhe.skeleton.quaternions import quaternion_of
from writhe.solvers.posing import Hold
from writhe.studio.document import Document
from writhe.studio.document.history import Edit
from writhe.studio.document.holds import Anchor, HoldRow, all_holds, carriers, put_hold
from writhe.studio.editing.scene import placements, scene_objects
from writhe.studio.editing.scene.placements import Frame, composed, hold_frame, inverse

_UNIT: Frame = (np.eye(3), np.zeros(3))


@dataclass(frozen=True)
class Attachment:
    """What an anchor moves with: a joint of an actor (0: none), and its frame in the joint's."""

    actor: int
    joint: str
    frame: Frame


def attachment(document: Document, anchor: Anchor, carried: Mapping[int, HoldRow]) -> Attachment:
    """The joint that an anchor moves with, through the objects that carry it."""
    frame, seen = _UNIT, set[int]()
    while anchor.object and anchor.object in carried and anchor.object not in seen:
        seen.add(anchor.object)
        hold = carried[anchor.object]
        frame, anchor = composed(hold_frame(hold), frame), hold.other
    return Attachment(anchor.actor, anchor.joint, frame)


# a hold of a joint, with what its two sides move with
JointHold = tuple[HoldRow, Attachment, Attachment]


def joints_held_at(document: Document, time_s: float) -> list[JointHold]:
    """The holds that constrain joints at a time, with what both sides move with."""
    holds = all_holds(document)
    carried = carriers(holds, time_s, time_s)
    out: list[JointHold] = []
    for hold in holds:
        if hold.holds(time_s) and carried.get(hold.part.object) != hold:
            part = attachment(document, hold.part, carried)
            out.append((hold, part, attachment(document, hold.other, carried)))
    return out


def joined_actors(document: Document, actor: int, time_s: float) -> set[int]:
    """The other actors that holds join to an actor at a time, directly or through others."""
    joints = joints_held_at(document, time_s)
    found = {actor}
    while True:
        more = {
            number
            for _, part, other in joints
            for number in (part.actor, other.actor)
            if number and {part.actor, other.actor} & found
        }
        if more <= found:
            return found - {actor}
        found |= more


def on_own_tree(document: Document, actor: int, time_s: float) -> list[Hold]:
    """Holds of an actor's joint on another joint of it, or on an object that it carries."""
    return [
        _own_hold(hold, part, other)
        for hold, part, other in joints_held_at(document, time_s)
        if part.actor == actor == other.actor and part.joint != other.joint
    ]


def holding_joints(document: Document, actor: int, time_s: float) -> set[str]:
    """The joints of an actor that hold something or are held on something at a time."""
    return {
        anchor.joint
        for hold in all_holds(document)
        if hold.holds(time_s)
        for anchor in (hold.part, hold.other)
        if anchor.actor == actor
    }


def on_fixed(document: Document, actor: int, time_s: float) -> list[Hold]:
    """Holds of an actor's joint on an object that nobody carries."""
    found: list[Hold] = []
    for hold, part, other in joints_held_at(document, time_s):
        if part.actor == actor and other.actor == 0:
            name = scene_objects.object_label(document.object_row(hold.other.object))
            found.append(
                Hold(hold.part.joint, name, hold.position, orientation_in_other=hold.rotation)
            )
    return found


def _own_hold(hold: HoldRow, part: Attachment, other: Attachment) -> Hold:
    """part.joint in the frame of other.joint: F_p T_p = F_o T_o H."""
    turn, position = composed(composed(other.frame, hold_frame(hold)), inverse(part.frame))
    return Hold(
        part.joint, other.joint, vector3(position), orientation_in_other=quaternion_of(turn)
    )


def timed_holds(document: Document, actor: int, start_s: float, end_s: float) -> list[TimedPin]:
    """The holds of an actor's joints in a span of times; joints of others are named by markers."""
    out: list[TimedPin] = []
    holds = all_holds(document)
    carried, led = carriers(holds, start_s, end_s), partners(document, actor)
    for hold in holds:
        begin = start_s if hold.start_s is None else max(start_s, hold.start_s)
        stop = end_s if hold.end_s is None else min(end_s, hold.end_s)
        if hold.part.actor != actor or begin >= stop:
            continue
        other = attachment(document, hold.other, carried)
        if other.actor == actor:
            pin = _own_hold(hold, Attachment(actor, hold.part.joint, _UNIT), other)
        else:
            name = marker(hold.other)
            if hold.other.object:
                name = scene_objects.object_label(document.object_row(hold.other.object))
            elif name not in led:
                continue
            pin = Hold(hold.part.joint, name, hold.position, orientation_in_other=hold.rotation)
        out.append(TimedPin(pin, begin, stop))
    return out


def marker(anchor: Anchor) -> str:
    """The name of the moving frame that stands for a joint of another actor."""
    return f"held {anchor.actor} {anchor.joint}".replace(".", " ")[:100]


def partners(document: Document, actor: int) -> dict[str, Anchor]:
    """By marker, the joints of other actors that joints of this one are held on.

    Of actors that hold each other, the one whose hold was made first follows the other.
    """
    follows: dict[int, set[int]] = {}  # by actor, those that it follows, directly or not
    found: dict[str, Anchor] = {}
    for hold in all_holds(document):
        one, other = hold.part.actor, hold.other.actor
        if 0 in (one, other) or one == other or one in follows.get(other, set()):
            continue
        led = {other} | follows.get(other, set())
        for number in {one, *(n for n, whom in follows.items() if one in whom)}:
            follows[number] = follows.get(number, set()) | led
        if one == actor:
            found[marker(hold.other)] = hold.other
    return found


def keep_places(
    document: Document,
    edit: Edit,
    poses: Mapping[int, Floats],
    dragged: set[str],
    time_s: float,
) -> None:
    """After a drag: carried objects get their new places, dragged hands new places on objects.

    poses: configurations of the actors that moved. An object that is carried from the start on is
    stored where it is now, so that it stays there when it is let go of.
    """
    holds = all_holds(document)
    carried = carriers(holds, time_s, time_s)
    for number, hold in carried.items():
        at = attachment(document, Anchor(object=number), carried)
        if at.actor in poses and hold.start_s is None and not document.placement_keys(number):
            turn, position = composed(_joint_frame(document, at, poses[at.actor]), at.frame)
            data = msgspec.structs.replace(
                document.object_row(number).data,
                position=vector3(position),
                rotation=quaternion_of(turn),
            )
            edit.update("objects", number, data=msgspec.msgpack.encode(data))
    for hold, part, other in joints_held_at(document, time_s):
        if part.actor in poses and part.joint in dragged and other.actor == 0:
            item = document.object_row(hold.other.object)
            base = placements.placement_frame(placements.placement_at(document, item, time_s))
            here = _joint_frame(document, part, poses[part.actor])
            turn, position = composed(inverse(base), here)
            put_hold(
                document,
                edit,
                msgspec.structs.replace(
                    hold, position=vector3(position), rotation=quaternion_of(turn)
                ),
            )


def _joint_frame(document: Document, at: Attachment, q: Floats) -> Frame:
    figure = document.figure(document.actor(at.actor).figure)
    posed = forward(figure.skeleton, q)
    return posed.rotation(at.joint), posed.position(at.joint)
