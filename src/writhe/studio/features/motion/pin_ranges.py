"""Time ranges of pins on the timeline, and foot contacts offered as pins."""

from __future__ import annotations

from writhe.animation.foot_contacts import contacts_of_keys, detect_contacts
from writhe.errors import WritheError
from writhe.solvers.posing import Pin
from writhe.studio.document import PinRow
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import Feature
from writhe.studio.protocol import Command

feature = Feature("pin_ranges")


class SetPinRange(Command):
    """Set the time range of a pin; None means from the start, or to the end, of the timeline."""

    actor: int
    joint: int
    start_s: float | None = None
    end_s: float | None = None


class PinContacts(Command):
    """Pin the feet of an actor while they stand on the floor in its keys."""

    actor: int


@feature.command("Pin range")
def set_range(editor: Editor, edit: Edit, message: SetPinRange) -> None:
    """Change the range of one pin."""
    figure = editor.document.figure(editor.document.actor(message.actor).figure)
    joint = figure.skeleton.joint_name(message.joint)
    edits.set_pin_range(editor.document, edit, message.actor, joint, message.start_s, message.end_s)


@feature.command("Pin feet on the floor")
def pin_contacts(editor: Editor, edit: Edit, message: PinContacts) -> None:
    """Pin feet from the first to the last key in which they stand in the same place.

    A joint has at most one pin, so only the longest contact of each foot is pinned.
    """
    document = editor.document
    actor = document.actor(message.actor)
    figure, timeline = document.figure(actor.figure), document.timeline(actor.id)
    if timeline.keys is not None:
        found = contacts_of_keys(figure, timeline.keys.times_s, timeline.keys.q)
    elif timeline.clip is not None:
        found = detect_contacts(figure, timeline.clip)
    else:
        raise WritheError("set two keys first: contacts are found between keys")
    longest: dict[str, PinRow] = {}
    for timed in sorted(found, key=lambda timed: timed.end_s - timed.start_s):
        pin = timed.pin
        if isinstance(pin, Pin):
            longest[pin.joint] = PinRow(
                pin.joint,
                pin.position_in_world,
                pin.orientation_in_world,
                timed.start_s,
                timed.end_s,
            )
    if not longest:
        raise WritheError(
            "No foot stands at the same place in two keys. Pin a part by clicking it instead."
        )
    others = [pin for pin in actor.pins if pin.joint not in longest]
    edit.update("actors", actor.id, pins=edits.encode_pins((*others, *longest.values())))
