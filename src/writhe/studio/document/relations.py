"""Relations between two joints of an actor, stored in the document: a hand that holds a leg."""

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
MAX_RELATIONS = 32


RelationKind = Literal["place", "distance", "direction"]


class Relation(msgspec.Struct, frozen=True):
    """A constraint: `joint` keeps its position ("place"), distance or direction to `other`."""

    actor: int
    joint: str
    other: str
    position_in_other: Vector3 = msgspec.field(name="place_in_other")
    kept: RelationKind = "place"
    # x and y axes of `joint` in the frame of `other`, for "direction"
    axes_in_other: tuple[Vector3, Vector3] | None = msgspec.field(
        name="turn_in_other", default=None
    )


def all_relations(document: Document) -> list[Relation]:
    """The relations of a document whose actor and joints still exist."""
    present = {actor.id: actor.figure for actor in document.actors()}
    return [
        relation
        for relation in document.setting(SETTING, list[Relation], [])
        if relation.actor in present
        and relation.joint in document.figure(present[relation.actor]).skeleton
        and relation.other in document.figure(present[relation.actor]).skeleton
    ]


def add_relation(
    document: Document,
    edit: Edit,
    actor: int,
    figure: Figure,
    q: Floats,
    joint: str,
    other: str,
    kept: RelationKind = "place",
) -> None:
    """Add a relation that keeps the position, distance or direction of `joint` at q."""
    if joint == other:
        raise WritheError("a relation needs two different parts")
    same = (actor, {joint, other}, kept)
    others = [r for r in all_relations(document) if (r.actor, {r.joint, r.other}, r.kept) != same]
    if len(others) >= MAX_RELATIONS:
        raise WritheError(f"a document holds at most {MAX_RELATIONS} relations")
    frames = forward(figure.skeleton, q)
    back = frames.rotation(other).T
    position = vector3(back @ (frames.position(joint) - frames.position(other)))
    turn = back @ frames.rotation(joint)
    axes = (vector3(turn[:, 0]), vector3(turn[:, 1])) if kept == "direction" else None
    edit.setting(SETTING, [*others, Relation(actor, joint, other, position, kept, axes)])


def remove_relation(
    document: Document, edit: Edit, actor: int, joint: str, other: str, kept: RelationKind = "place"
) -> None:
    """Remove a relation."""
    removed = (actor, joint, other, kept)
    edit.setting(
        SETTING,
        [r for r in all_relations(document) if (r.actor, r.joint, r.other, r.kept) != removed],
    )


def relation_terms(document: Document, actor: int, prefix: str) -> tuple[Term, ...]:
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
            return [keep_distance(joint, other, float(np.linalg.norm(relation.position_in_other)))]
        case "direction":
            axes = zip(_X_AND_Y, relation.axes_in_other or _X_AND_Y, strict=True)
            return [keep_direction(joint, mine, other, theirs) for mine, theirs in axes]
        case "place":
            return [keep_relative(joint, other, relation.position_in_other)]
