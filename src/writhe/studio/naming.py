"""What parts of the scene are called when one speaks to a person."""

from __future__ import annotations

import re

from writhe.studio import things
from writhe.studio.document import Document
from writhe.studio.surroundings import label


def names_of(document: Document) -> dict[str, str]:
    """The names of actors and objects by their labels in the layout."""
    names = {label(actor.id): actor.name for actor in document.actors()}
    return names | {things.label(thing): thing.name for thing in document.objects()}


def plain_name(part: str, names: dict[str, str]) -> str:
    """A part as people call it: "Anna's left wrist", "Chair"."""
    owner, _, rest = part.partition(".")
    title = names.get(owner, owner)
    if not rest:
        return title
    words = re.sub(r"[_.]+", " ", rest)
    return words if len(names) == 1 else f"{title}’s {words}"


def plain_sentence(text: str, names: dict[str, str]) -> str:
    """A solver's sentence with every "actor1.left_wrist" in it as people call it."""
    return re.sub(r"\b[a-z]+\d+\.[a-z_]+", lambda found: plain_name(found[0], names), text)
