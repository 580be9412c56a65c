"""The posing methods by name."""

from __future__ import annotations

from collections.abc import Callable

from writhe.errors import UnknownNameError
from writhe.skeleton import Figure
from writhe.solvers.posing.poser import Poser


def _plain(figure: Figure) -> Poser:
    from writhe.solvers.posing.plain import PlainPoser

    return PlainPoser(figure)


def _default(figure: Figure) -> Poser:
    from writhe.solvers.posing.default import DefaultPoser

    return DefaultPoser(figure)


_METHODS: dict[str, Callable[[Figure], Poser]] = {
    "default": _default,
    "plain": _plain,
}


def method_names() -> list[str]:
    """The names that `make_poser` takes, the best first."""
    return list(_METHODS)


def make_poser(method: str, figure: Figure) -> Poser:
    """A poser for `figure` by the method's name."""
    if method not in _METHODS:
        raise UnknownNameError("posing method", method, method_names())
    return _METHODS[method](figure)
