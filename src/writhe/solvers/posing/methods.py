"""The posing methods by name."""

from __future__ import annotations

from collections.abc import Mapping

from writhe.arguments import checked
from writhe.collision import ContactPolicy
from writhe.database import PostureDatabase
from writhe.errors import UnknownNameError, WritheError
from writhe.scene import Scene
from writhe.skeleton import Figure
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.controls import Controls
from writhe.solvers.posing.poser import Poser

_METHODS = ("default", "half-space", "paper", "local-pca", "plain")


def method_names() -> list[str]:
    """The names that `make_poser` takes, the best first."""
    return list(_METHODS)


@checked
def make_poser(
    method: str,
    figure: Figure,
    database: PostureDatabase | None = None,
    *,
    scene: Scene | None = None,
    actor: str | None = None,
    controls: Controls | None = None,
    contacts: Mapping[tuple[str, str], float] | None = None,
) -> Poser:
    """A poser for `figure` by the method's name.

    `default` works without a database, only less naturally; `paper` and `local-pca` need one. In a
    scene, `actor` (by default the first) is posed among the objects and the other actors.
    `controls` set root stay, balance and idle limbs (`default` only). `contacts` lists which of the
    actor's own parts may touch, and by how many metres their shapes may overlap:
    {("left_wrist", "left_hip"): 0.008}.
    """
    if method not in _METHODS:
        raise UnknownNameError("posing method", method, method_names())
    if controls is not None and method != "default":
        raise WritheError(f"the method {method!r} has no controls; only 'default' does")
    actor_in_scene = _actor_in_scene(figure, scene, actor, contacts or {})
    if method == "plain":
        from writhe.solvers.posing.plain_poser import PlainPoser

        return PlainPoser(figure, actor=actor_in_scene)
    if method == "half-space":
        from writhe.solvers.half_space import HalfSpacePoser

        return HalfSpacePoser(figure, actor=actor_in_scene)
    if method == "default":
        from writhe.solvers.posing.default_poser import DefaultPoser

        return DefaultPoser(figure, database, actor=actor_in_scene, controls=controls)
    if database is None:
        raise WritheError(
            f"the method {method!r} needs a posture database: builtin_database('basic'), or one of"
            " your own (writhe db build)"
        )
    from writhe.solvers.posing.latent_posers import LatentPoser

    return LatentPoser(method, database, topology=method == "paper", actor=actor_in_scene)


def _actor_in_scene(
    figure: Figure,
    scene: Scene | None,
    actor: str | None,
    contacts: Mapping[tuple[str, str], float],
) -> ActorInScene:
    if scene is None:
        return ActorInScene.alone(figure, ContactPolicy(dict(contacts)) if contacts else None)
    if not scene.actors:
        raise WritheError("the scene has no actor to pose")
    name = actor or scene.actors[0].name
    policy = None
    for (a, b), metres in contacts.items():
        policy = (policy or scene.policy).allow(f"{name}.{a}", f"{name}.{b}", metres)
    return ActorInScene.in_scene(scene, name, policy)
