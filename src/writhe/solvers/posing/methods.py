"""The posing methods by name."""

from __future__ import annotations

from writhe.database import PostureDatabase
from writhe.errors import UnknownNameError, WritheError
from writhe.scene import Scene
from writhe.skeleton import Figure
from writhe.solvers.posing.poser import Poser

_METHODS = ("default", "half-space", "paper", "local-pca", "plain")


def method_names() -> list[str]:
    """The names that `make_poser` takes, the best first."""
    return list(_METHODS)


def make_poser(
    method: str,
    figure: Figure,
    database: PostureDatabase | None = None,
    *,
    scene: Scene | None = None,
    actor: str | None = None,
) -> Poser:
    """A poser for `figure` by the method's name.

    `default` works without a database, only less naturally; `paper` and `local-pca` need one. In a
    scene, `actor` is posed among its objects and the other actors (`default` and `half-space`).
    """
    if method not in _METHODS:
        raise UnknownNameError("posing method", method, method_names())
    if method == "plain":
        from writhe.solvers.posing.plain import PlainPoser

        return PlainPoser(figure)
    if method in ("default", "half-space"):
        from writhe.solvers.posing.place import ActorPlace

        place = None
        if scene is not None:
            place = ActorPlace.in_scene(scene, actor or scene.actors[0].name)
        if method == "half-space":
            from writhe.solvers.half_space import HalfSpacePoser

            return HalfSpacePoser(figure, place=place)
        from writhe.solvers.posing.default import DefaultPoser

        return DefaultPoser(figure, database, place=place)
    if database is None:
        raise WritheError(f"the method {method!r} needs a posture database")
    from writhe.solvers.posing.latent import LatentPoser

    return LatentPoser(method, database, topology=method == "paper")
