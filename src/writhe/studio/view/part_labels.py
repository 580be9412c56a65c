"""What parts of the scene are called when one speaks to a person."""

from __future__ import annotations

import re

from writhe.studio.document import Document
from writhe.studio.editing import scene_objects
from writhe.studio.editing.contact_defaults import GROUND
from writhe.studio.editing.scene_builder import label

# the body that hangs on a joint of the built-in human
_BODIES = {
    "clavicle": "shoulder",
    "shoulder": "upper arm",
    "elbow": "forearm",
    "wrist": "hand",
    "hip": "thigh",
    "knee": "shin",
    "ankle": "foot",
    "toe": "toes",
}
_SIDED = re.compile(rf"(left|right)_({'|'.join(_BODIES)})")


def names_of(document: Document) -> dict[str, str]:
    """The names of actors and objects by their labels in the layout.

    The only actor needs no name: its parts are "left hand", not "Human's left hand".
    """
    actors = document.actors()
    names = {label(actor.id): actor.name if len(actors) > 1 else "" for actor in actors}
    return names | {scene_objects.label(thing): thing.name for thing in document.objects()}


def plain_name(part: str, names: dict[str, str]) -> str:
    """A part as people call it: "Anna's left hand", "Chair", "the floor"."""
    owner, _, rest = part.partition(".")
    title = "the floor" if owner == GROUND else names.get(owner, owner)
    if not rest:
        return title
    words = body_name(rest)
    return f"{title}’s {words}" if title else words


def body_name(part: str) -> str:
    """A part of a body in words: the thigh of "left_hip", the hand of "left_wrist"."""
    sided = _SIDED.fullmatch(part)
    if sided:
        return f"{sided[1]} {_BODIES[sided[2]]}"
    return re.sub(r"[_.]+", " ", part)


def plain_sentence(text: str, names: dict[str, str]) -> str:
    """A solver's sentence with every "actor1.left_wrist" in it as people call it."""
    return re.sub(r"\b[a-z]+\d+\.[a-z_]+", lambda found: plain_name(found[0], names), text)
