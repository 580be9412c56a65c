"""Relations between parts of an actor, kept in the document: a hand that holds a leg."""

from __future__ import annotations

import msgspec

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.skeleton import Figure, forward
from writhe.studio.document import Document
from writhe.studio.document.history import Edit
from writhe.studio.document.rows import Vector3
from writhe.terms import Term, keep_relative

SETTING = "relations"
MOST_RELATIONS = 32


class Relation(msgspec.Struct, frozen=True):
    """`joint` stays at a place seen from `other`."""

    actor: int
    joint: str
    other: str
    place_in_other: Vector3


def all_relations(document: Document) -> list[Relation]:
    """The relations of a document, those of actors that have gone left out."""
    present = {actor.id: actor.figure for actor in document.actors()}
    return [
        relation
        for relation in document.setting(SETTING, list[Relation], [])
        if relation.actor in present
        and relation.joint in document.figure(present[relation.actor]).skeleton
        and relation.other in document.figure(present[relation.actor]).skeleton
    ]


def hold(
    document: Document, edit: Edit, actor: int, figure: Figure, q: Floats, joint: str, other: str
) -> None:
    """From now on `joint` stays where it is at q, seen from `other`."""
    if joint == other:
        raise WritheError("a part always keeps its place to itself: pick two parts")
    kept = [r for r in all_relations(document) if {r.joint, r.other} != {joint, other}]
    if len(kept) >= MOST_RELATIONS:
        raise WritheError(f"a document holds at most {MOST_RELATIONS} relations")
    frames = forward(figure.skeleton, q)
    place = frames.rotation(other).T @ (frames.position(joint) - frames.position(other))
    x, y, z = (float(v) for v in place)
    edit.setting(SETTING, [*kept, Relation(actor, joint, other, (x, y, z))])


def let_go(document: Document, edit: Edit, actor: int, joint: str, other: str) -> None:
    """Forget a relation."""
    gone = (actor, joint, other)
    edit.setting(
        SETTING, [r for r in all_relations(document) if (r.actor, r.joint, r.other) != gone]
    )


def terms_of(document: Document, actor: int, prefix: str) -> tuple[Term, ...]:
    """The relations of an actor as terms on a layout in which its joints have this prefix."""
    return tuple(
        keep_relative(prefix + r.joint, prefix + r.other, r.place_in_other)
        for r in all_relations(document)
        if r.actor == actor
    )
