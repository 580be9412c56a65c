"""The built-in figures: human, human with fingers, hand, octopus."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from writhe.errors import UnknownNameError
from writhe.skeleton.figure import Figure


def _builders() -> dict[str, Callable[[str], Figure]]:
    """By name, functions of the profile of joint limits."""
    from writhe.skeleton.figures.hand import build_hand
    from writhe.skeleton.figures.human import build_human
    from writhe.skeleton.figures.human_with_fingers import build_human_with_fingers
    from writhe.skeleton.figures.octopus import build_octopus

    return {
        "hand": _with_one_profile(build_hand),
        "human": build_human,
        "human_with_fingers": build_human_with_fingers,
        "octopus": _with_one_profile(build_octopus),
    }


def _with_one_profile(build: Callable[[], Figure]) -> Callable[[str], Figure]:
    def build_everyday(profile: str) -> Figure:
        if profile != "everyday":
            raise UnknownNameError("limits profile", profile, ["everyday"])
        return build()

    return build_everyday


def figure_names() -> list[str]:
    """The names that `figure` takes."""
    return sorted(_builders())


@cache
def figure(name: str, profile: str = "everyday") -> Figure:
    """A built-in figure by name, with the joint limits of a named profile; built once.

    Profiles of the human: everyday, athletic, contortionist.
    """
    builders = _builders()
    if name not in builders:
        raise UnknownNameError("figure", name, sorted(builders))
    return builders[name](profile)
