"""Titles and descriptions of the choices in the page."""

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
        "Slides along nearby parts, which are treated as planes; checked at every step. Uses no"
        " example poses.",
    ),
    "paper": (
        "As in the paper",
        "Data-driven posing that tracks how limbs are linked, as published. Parts may overlap.",
    ),
    "local-pca": (
        "Local PCA",
        "Standard data-driven posing (principal components of example poses), for comparison. It"
        " ignores how limbs cross; parts may overlap.",
    ),
    "plain": ("Plain", "Standard inverse kinematics: no example poses, no collisions."),
}
_FIGURES = {
    "human_with_fingers": ("Human", "An adult body with fingers, 51 joints."),
    "human": ("Human without fingers", "The same body with closed hands, 21 joints."),
    "hand": ("Hand", "A right hand with all finger joints."),
    "octopus": ("Octopus", "Eight arms of twelve segments each."),
}


_OBJECTS = {
    "chair": ("Chair", "A chair to sit on."),
    "ladder": ("Ladder", "A leaning ladder to climb."),
    "box": ("Box", "A box of any size: a table top, a wall, a step."),
    "ball": ("Ball", "A ball of any size."),
    "capsule": ("Rod", "A round rod of any length and thickness: a pole, a rail."),
    "cylinder": ("Cylinder", "An upright drum or column."),
    "bar": ("Bar", "A bar on a stand, at the height of the hands, to hold with one hand or both."),
    "stand": ("Stand", "Two posts that a bar or rod lies on."),
}
_SCENES = {
    "empty": ("Empty", "Nothing but the floor."),
    "chair": ("Chair", "A chair to sit on; the body cannot pass through it."),
    "ladder": ("Ladder", "A leaning ladder; the body cannot pass through it."),
}


def scene_choices() -> list[Choice]:
    """The built-in scenes."""
    return [_choice(name, _SCENES) for name in ("empty", *sorted(BUILT_IN))]


def object_choices(names: list[str]) -> list[Choice]:
    """Objects that can be added, with descriptions."""
    return [_choice(name, _OBJECTS) for name in names]


def _choice(name: str, known: dict[str, tuple[str, str]]) -> Choice:
    title, about = known.get(name, (name.replace("-", " ").capitalize(), ""))
    return Choice(name, title, about)


def method_choices(names: list[str]) -> list[Choice]:
    """Posing methods with descriptions."""
    return [_choice(name, _METHODS) for name in names]


def figure_choices() -> list[Choice]:
    """The built-in figures, people first."""
    order = list(_FIGURES)
    names = sorted(figure_names(), key=lambda name: order.index(name) if name in order else 99)
    return [_choice(name, _FIGURES) for name in names]
