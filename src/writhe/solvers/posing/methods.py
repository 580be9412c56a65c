"""The posing methods by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from writhe.arguments import checked
from writhe.collision import ContactPolicy
from writhe.database import PostureDatabase
from writhe.errors import UnknownNameError, WritheError
from writhe.scene import Scene
from writhe.skeleton import Figure
from writhe.solvers.levenberg_marquardt import StepOptions
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.controls import Controls
from writhe.solvers.posing.options import DefaultPoserOptions
from writhe.solvers.posing.poser import Poser

if TYPE_CHECKING:  # modules of the other methods are imported on demand
    from writhe.solvers.half_space import ResponseOptions
    from writhe.solvers.posing.alternatives.latent_posers import LatentOptions

_METHODS = ("default", "half-space", "paper", "local-pca", "plain")
_Options = TypeVar("_Options")


def method_names() -> list[str]:
    """The names that `make_poser` accepts, the default first."""
    return list(_METHODS)


@checked
def make_poser(
    method: str,
    subject: Figure | Scene,
    database: PostureDatabase | None = None,
    *,
    actor: str | None = None,
    controls: Controls | None = None,
    contacts: Mapping[tuple[str, str], float] | None = None,
    options: DefaultPoserOptions | ResponseOptions | LatentOptions | StepOptions | None = None,
) -> Poser:
    """A poser for a figure, or for an actor of a scene, by the method's name.

    `default` works without a database, but then poses look less natural; `paper` and `local-pca`
    need one. In a
    scene, `actor` (by default the first) is posed among the objects and the other actors.
    `controls` set root stay, balance and idle limbs (`default` only). `contacts` lists which of the
    actor's own parts may touch, and by how many metres their shapes may overlap:
    {("left_wrist", "left_hip"): 0.008}. `options` are weights and limits of the method:
    `DefaultPoserOptions` (default), `ResponseOptions` (half-space), `LatentOptions` (paper,
    local-pca), `StepOptions` (plain).
    """
    if method not in _METHODS:
        raise UnknownNameError("posing method", method, method_names())
    if controls is not None and method != "default":
        raise WritheError(f"the method {method!r} has no controls; only 'default' does")
    actor_in_scene = _actor_in_scene(subject, actor, contacts or {})
    figure = subject.actor(actor).figure if isinstance(subject, Scene) else subject
    if method == "plain":
        from writhe.solvers.posing.alternatives.plain_poser import PlainPoser

        return PlainPoser(figure, _checked(options, StepOptions, method), actor=actor_in_scene)
    if method == "half-space":
        from writhe.solvers.half_space import HalfSpacePoser, ResponseOptions

        chosen = _checked(options, ResponseOptions, method)
        return HalfSpacePoser(figure, chosen, actor=actor_in_scene)
    if method == "default":
        from writhe.solvers.posing.idle_fingers import default_poser

        chosen = _checked(options, DefaultPoserOptions, method)
        return default_poser(figure, database, chosen, actor=actor_in_scene, controls=controls)
    if database is None:
        raise WritheError(
            f"the method {method!r} needs a posture database: builtin_database('basic'), or one of"
            " your own (writhe db build)"
        )
    from writhe.solvers.posing.alternatives.latent_posers import LatentOptions, LatentPoser

    chosen = _checked(options, LatentOptions, method)
    return LatentPoser(method, database, chosen, topology=method == "paper", actor=actor_in_scene)


def _checked(options: object, kind: type[_Options], method: str) -> _Options | None:
    if options is not None and not isinstance(options, kind):
        raise WritheError(
            f"the method {method!r} takes {kind.__name__}, not {type(options).__name__}"
        )
    return options


def _actor_in_scene(
    subject: Figure | Scene, actor: str | None, contacts: Mapping[tuple[str, str], float]
) -> ActorInScene:
    if isinstance(subject, Figure):
        return ActorInScene.alone(subject, ContactPolicy(dict(contacts)) if contacts else None)
    name = subject.actor(actor).name
    policy = None
    for (a, b), metres in contacts.items():
        policy = (policy or subject.policy).allow(f"{name}.{a}", f"{name}.{b}", metres)
    return ActorInScene.in_scene(subject, name, policy)
