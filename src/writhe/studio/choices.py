"""Titles and plain sentences for what can be chosen in the page."""

from __future__ import annotations

from writhe.skeleton.figures import figure_names
from writhe.studio.messages import Choice
from writhe.studio.surroundings import scene_kinds

_METHODS = {
    "default": (
        "Default",
        "Natural, quick, and checked at every step: no part of the body passes through another.",
    ),
    "paper": (
        "As in the paper",
        "Data-driven posing that watches how limbs are linked, as published. May overlap.",
    ),
    "local-pca": (
        "Local PCA",
        "The published baseline: similar poses from a database, blind to tangles.",
    ),
    "plain": ("Plain", "What most tools do: joints reach for the target. No data, no collisions."),
}
_FIGURES = {
    "human": ("Human", "An adult body with 21 joints."),
    "hand": ("Hand", "A right hand with all finger joints."),
    "octopus": ("Octopus", "Eight arms of twelve segments each."),
}


_SCENES = {
    "empty": ("Empty", "Nothing but the floor."),
    "chair": ("Chair", "A chair to sit on; the body cannot pass through it."),
    "ladder": ("Ladder", "A leaning ladder; the body cannot pass through it."),
}


def scene_choices() -> list[Choice]:
    """What can stand in the scene."""
    return [_choice(name, _SCENES) for name in ("empty", *scene_kinds())]


def _choice(name: str, known: dict[str, tuple[str, str]]) -> Choice:
    title, about = known.get(name, (name.replace("-", " ").capitalize(), ""))
    return Choice(name, title, about)


def method_choices(names: list[str]) -> list[Choice]:
    """These posing methods with words about each."""
    return [_choice(name, _METHODS) for name in names]


def figure_choices() -> list[Choice]:
    """The built-in figures, the human first."""
    names = sorted(figure_names(), key=lambda name: (name != "human", name))
    return [_choice(name, _FIGURES) for name in names]
