"""The posing methods by name."""

from __future__ import annotations

from writhe.database import PostureDatabase
from writhe.errors import UnknownNameError, WritheError
from writhe.skeleton import Figure
from writhe.solvers.posing.poser import Poser

_METHODS = ("default", "paper", "local-pca", "plain")


def method_names() -> list[str]:
    """The names that `make_poser` takes, the best first."""
    return list(_METHODS)


def make_poser(method: str, figure: Figure, database: PostureDatabase | None = None) -> Poser:
    """A poser for `figure` by the method's name.

    `default` works without a database, only less naturally; `paper` and `local-pca` need one.
    """
    if method not in _METHODS:
        raise UnknownNameError("posing method", method, method_names())
    if method == "plain":
        from writhe.solvers.posing.plain import PlainPoser

        return PlainPoser(figure)
    if method == "default":
        from writhe.solvers.posing.default import DefaultPoser

        return DefaultPoser(figure, database)
    if database is None:
        raise WritheError(f"the method {method!r} needs a posture database")
    from writhe.solvers.posing.latent import LatentPoser

    return LatentPoser(method, database, topology=method == "paper")
