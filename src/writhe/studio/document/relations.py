"""Relations between parts of an actor, kept in the document: a hand that holds a leg."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from writhe.arrays import Floats, Vector3, vector3
from writhe.errors import WritheError
from writhe.skeleton import Figure, forward
from writhe.studio.document import Document
from writhe.studio.document.history import Edit
from writhe.terms import Term, keep_direction, keep_distance, keep_relative

SETTING = "relations"
_X_AND_Y: tuple[Vector3, Vector3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
MOST_RELATIONS = 32


Kept = Literal["place", "distance", "direction"]


class Relation(msgspec.Struct, frozen=True):
    """What `joint` keeps of how it is to `other`: its place seen from there, how far it is, or
    how it is turned."""

    actor: int
    joint: str
    other: str
    place_in_other: Vector3
    kept: Kept = "place"
    turn_in_other: tuple[Vector3, Vector3] | None = None  # its x and y axes, for the direction


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
    document: Document,
    edit: Edit,
    actor: int,
    figure: Figure,
    q: Floats,
    joint: str,
    other: str,
    kept: Kept = "place",
) -> None:
    """From now on `joint` keeps its place, distance or direction at q, seen from `other`."""
    if joint == other:
        raise WritheError("a part always keeps its place to itself: pick two parts")
    same = (actor, {joint, other}, kept)
    others = [r for r in all_relations(document) if (r.actor, {r.joint, r.other}, r.kept) != same]
    if len(others) >= MOST_RELATIONS:
        raise WritheError(f"a document holds at most {MOST_RELATIONS} relations")
    frames = forward(figure.skeleton, q)
    back = frames.rotation(other).T
    place = vector3(back @ (frames.position(joint) - frames.position(other)))
    turn = back @ frames.rotation(joint)
    axes = (vector3(turn[:, 0]), vector3(turn[:, 1])) if kept == "direction" else None
    edit.setting(SETTING, [*others, Relation(actor, joint, other, place, kept, axes)])


def let_go(
    document: Document, edit: Edit, actor: int, joint: str, other: str, kept: Kept = "place"
) -> None:
    """Forget a relation."""
    gone = (actor, joint, other, kept)
    edit.setting(
        SETTING,
        [r for r in all_relations(document) if (r.actor, r.joint, r.other, r.kept) != gone],
    )


def terms_of(document: Document, actor: int, prefix: str) -> tuple[Term, ...]:
    """The relations of an actor as terms on a layout in which its joints have this prefix."""
    return tuple(
        term
        for relation in all_relations(document)
        if relation.actor == actor
        for term in _terms(relation, prefix)
    )


def _terms(relation: Relation, prefix: str) -> list[Term]:
    joint, other = prefix + relation.joint, prefix + relation.other
    match relation.kept:
        case "distance":
            return [keep_distance(joint, other, float(np.linalg.norm(relation.place_in_other)))]
        case "direction":
            axes = zip(_X_AND_Y, relation.turn_in_other or _X_AND_Y, strict=True)
            return [keep_direction(joint, mine, other, seen) for mine, seen in axes]
        case "place":
            return [keep_relative(joint, other, relation.place_in_other)]
