"""Holds of a document: two joints or objects that are kept together for a range of times.

A hold keeps the frame of `part` fixed in the frame of `other`. A part is a joint of a character or
an object. An object that is held follows: the hold carries it. A joint that is held on another
joint, or on an object, is a constraint of its character.
"""

from __future__ import annotations

import msgspec

from writhe.arrays import Quaternion, Vector3
from writhe.errors import WritheError
from writhe.studio.document.document import Document
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import SAME_TIME_S

SETTING = "holds"
MAX_HOLDS = 64


class Anchor(msgspec.Struct, frozen=True):
    """One side of a hold: a joint of an actor, or an object."""

    actor: int = 0
    joint: str = ""
    object: int = 0


class HoldRow(msgspec.Struct, frozen=True):
    """`part` at a constant placement in the frame of `other`, from `start_s` to `end_s`.

    None means from the start, or to the end, of the timeline.
    """

    id: int
    part: Anchor
    other: Anchor
    position: Vector3
    rotation: Quaternion
    start_s: float | None = None
    end_s: float | None = None

    def holds(self, time_s: float) -> bool:
        """Whether the hold is active at a time."""
        return self.covers(time_s, time_s)

    def covers(self, start_s: float, end_s: float) -> bool:
        """Whether the hold is active over a whole range of times."""
        after = self.start_s is None or start_s >= self.start_s - SAME_TIME_S
        return after and (self.end_s is None or end_s <= self.end_s + SAME_TIME_S)

    @property
    def carries(self) -> bool:
        """Whether it carries an object."""
        return self.part.object != 0


def all_holds(document: Document) -> list[HoldRow]:
    """The holds of a document whose actors, joints and objects still exist."""
    stored = document.setting(SETTING, list[HoldRow], [])
    if not stored:
        return []
    actors = {actor.id: actor.figure for actor in document.actors()}
    objects = {item.id for item in document.objects()}

    def exists(anchor: Anchor) -> bool:
        if anchor.object:
            return anchor.object in objects
        figure = actors.get(anchor.actor)
        return figure is not None and anchor.joint in document.figure(figure).skeleton

    return [hold for hold in stored if exists(hold.part) and exists(hold.other)]


def put_hold(document: Document, edit: Edit, hold: HoldRow) -> None:
    """Add a hold, or replace the one with its id or of the same two anchors."""
    if hold.part == hold.other:
        raise WritheError("a hold needs two different things")
    same = {hold.part, hold.other}
    kept = [h for h in all_holds(document) if h.id != hold.id and {h.part, h.other} != same]
    if len(kept) >= MAX_HOLDS:
        raise WritheError(f"a document holds at most {MAX_HOLDS} holds")
    edit.setting(SETTING, [*kept, hold])


def remove_hold(document: Document, edit: Edit, number: int) -> None:
    """Remove a hold."""
    edit.setting(SETTING, [hold for hold in all_holds(document) if hold.id != number])


def hold_by_number(document: Document, number: int) -> HoldRow:
    """A hold by its id."""
    for hold in all_holds(document):
        if hold.id == number:
            return hold
    raise WritheError("that hold no longer exists")


def next_number(document: Document) -> int:
    """An id that no hold has."""
    return 1 + max((hold.id for hold in all_holds(document)), default=0)


def carriers(holds: list[HoldRow], start_s: float, end_s: float) -> dict[int, HoldRow]:
    """By object, the first hold that carries it over a whole range of times."""
    out: dict[int, HoldRow] = {}
    for hold in holds:
        if hold.carries and hold.covers(start_s, end_s):
            out.setdefault(hold.part.object, hold)
    return out
