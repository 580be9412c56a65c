"""Display names of parts of the scene."""

from __future__ import annotations

import re

from writhe.studio.document import Document
from writhe.studio.editing.scene import scene_objects
from writhe.studio.editing.scene.contact_defaults import GROUND
from writhe.studio.editing.scene.scene_builder import actor_label

# body part that moves with a joint of the built-in human
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
_NAMESPACE = re.compile(r"^.*:")  # of joints of imported characters: "mixamorig:Spine2"
_PART = re.compile(r"\b[a-z]+\d+\.[A-Za-z_](?:\w|:(?=\w))*")
_FINGER = re.compile(r"(left|right)_(index|middle|ring|pinky)(_\d)?")


def display_names(document: Document) -> dict[str, str]:
    """The display names of actors and objects by their labels in the layout.

    A single actor has an empty name: its parts are "left hand", not "Human's left hand". Parts
    whose joints play a role ("actor1.mixamorig:LeftHand") have names of their own.
    """
    actors = document.actors()
    names = {actor_label(actor.id): actor.name if len(actors) > 1 else "" for actor in actors}
    for actor in actors:
        for role, joint in document.figure(actor.figure).roles:
            if role != joint:
                names[f"{actor_label(actor.id)}.{joint}"] = body_name(role)
    return names | {scene_objects.object_label(item): item.name for item in document.objects()}


def display_name(part: str, names: dict[str, str]) -> str:
    """The display name of a part: "Anna's left hand", "Chair", "the floor"."""
    owner, _, rest = part.partition(".")
    title = "the floor" if owner == GROUND else names.get(owner, owner)
    if not rest:
        return title
    words = names.get(part) or body_name(rest)
    return f"{title}’s {words}" if title else words


def body_name(part: str) -> str:
    """The display name of a body part: "left thigh" for "left_hip", "left ring finger"."""
    sided = _SIDED.fullmatch(part)
    if sided:
        return f"{sided[1]} {_BODIES[sided[2]]}"
    finger = _FINGER.fullmatch(part)
    if finger:
        return f"{finger[1]} {finger[2]} finger"
    return re.sub(r"[_.]+", " ", _NAMESPACE.sub("", part))


def display_sentence(text: str, names: dict[str, str]) -> str:
    """A solver message in which part names such as "actor1.left_wrist" are display names."""
    return _PART.sub(lambda found: display_name(found[0], names), text)
