"""Titles and plain sentences for what can be chosen in the page."""

from __future__ import annotations

from writhe.scene.objects import BUILT_IN
from writhe.skeleton.figures import figure_names
from writhe.studio.protocol import Choice

_METHODS = {
    "default": (
        "Default",
        "Natural, quick, and checked at every step: no part of the body passes through another.",
    ),
    "half-space": (
        "Half-spaces",
        "Gives way to what is near and slides along it, as if planes stood between parts; checked"
        " at every step, without example poses.",
    ),
    "paper": (
        "As in the paper",
        "Data-driven posing that watches how limbs are linked, as published. May overlap.",
    ),
    "local-pca": (
        "Local PCA",
        "The usual way with example poses (principal components), to compare with. It does not"
        " see how limbs cross, and may overlap.",
    ),
    "plain": ("Plain", "What most tools do: joints reach for the target. No data, no collisions."),
}
_FIGURES = {
    "human": ("Human", "An adult body with 21 joints."),
    "hand": ("Hand", "A right hand with all finger joints."),
    "octopus": ("Octopus", "Eight arms of twelve segments each."),
}


_THINGS = {
    "chair": ("Chair", "A chair to sit on."),
    "ladder": ("Ladder", "A leaning ladder to climb."),
    "box": ("Box", "A box of any size: a table top, a wall, a step."),
    "ball": ("Ball", "A ball of any size."),
    "capsule": ("Rod", "A round rod of any length and thickness: a pole, a rail."),
    "cylinder": ("Cylinder", "An upright drum or column."),
}
_SCENES = {
    "empty": ("Empty", "Nothing but the floor."),
    "chair": ("Chair", "A chair to sit on; the body cannot pass through it."),
    "ladder": ("Ladder", "A leaning ladder; the body cannot pass through it."),
}


def scene_choices() -> list[Choice]:
    """What can stand in the scene."""
    return [_choice(name, _SCENES) for name in ("empty", *sorted(BUILT_IN))]


def thing_choices(names: list[str]) -> list[Choice]:
    """Objects to add, with words about each."""
    return [_choice(name, _THINGS) for name in names]


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
