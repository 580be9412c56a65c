"""The compared methods by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from writhe.arrays import Floats
from writhe.database import PostureDatabase
from writhe.research.experiments.half_space_ik.half_space_method import HalfSpaceMethod, Method
from writhe.research.experiments.half_space_ik.published_methods import (
    Algorithm1Method,
    PositionalMethod,
    PublishedMethod,
    Reading,
)
from writhe.research.experiments.half_space_ik.scenario import Scenario
from writhe.solvers.half_space import ResponseOptions
from writhe.solvers.posing.handles import Pin, Target

READINGS = {
    "algorithm-1": Reading(),
    "algorithm-1-until-clear": Reading(until_clear=True),
    "algorithm-1-passes": Reading(passes=10),
    "algorithm-1-on-object": Reading(on_object=True),
    "algorithm-1-world-vector": Reading(world_vector=True),
}


@dataclass
class DefaultMethod:
    """The default poser for each actor in turn, with the others and the objects fixed."""

    scenario: Scenario
    errors: list[float] = field(default_factory=list[float])
    blocked: int = 0

    def __post_init__(self) -> None:
        from writhe.solvers.posing.actor_in_scene import ActorInScene
        from writhe.solvers.posing.default_poser import DefaultPoser
        from writhe.solvers.posing.handles import pin_here

        scene = self.scenario.scene
        self.posers = {
            actor.name: DefaultPoser(
                actor.figure,
                _database(actor.figure.name),
                actor=ActorInScene.in_scene(scene, actor.name),
            )
            for actor in scene.actors
        }
        self.held: dict[str, list[Pin]] = {}
        skeleton = scene.layout.skeleton
        for actor in scene.actors:
            root = actor.figure.skeleton.names[0]
            pins = [p for p in self.scenario.pins if p.joint.startswith(f"{actor.name}.")]
            if not self.scenario.root_free:
                full = f"{actor.name}.{root}"
                pins.append(pin_here(skeleton, self.scenario.start, full, orientation=True))
            self.held[actor.name] = [
                replace(p, joint=p.joint.removeprefix(f"{actor.name}.")) for p in pins
            ]
            self.posers[actor.name].set_relations(
                [t for t in self.scenario.relations if t.label.split()[1].startswith(actor.name)]
            )

    def step(
        self, q: Floats, targets: list[Target], objects: dict[str, Floats]
    ) -> tuple[Floats, float, float]:
        layout = self.scenario.scene.layout
        moved, spent = q.copy(), 0.0
        for name, pose in objects.items():
            moved[layout.object_q[name]] = pose
        for name, poser in self.posers.items():
            own = [
                replace(t, joint=t.joint.removeprefix(f"{name}."))
                for t in targets
                if t.joint.startswith(f"{name}.")
            ]
            poser.actor.state[:] = moved
            result = poser.step(moved[layout.actor_q[name]], own, self.held[name])
            moved[layout.actor_q[name]] = result.q
            spent += result.milliseconds
        return moved, spent, 0.0


def _database(figure_name: str) -> PostureDatabase | None:
    from writhe.postures.builtin import builtin_database

    return builtin_database("basic") if figure_name == "human" else None


def make_methods(scenario: Scenario, names: list[str]) -> dict[str, Method]:
    """The methods by name, fresh for this scenario."""
    ours, ungated = ResponseOptions(), ResponseOptions(gate=False)
    published = replace(ungated, solver="l-bfgs")
    known: dict[str, Callable[[], Method]] = {
        "half-space": lambda: HalfSpaceMethod(scenario, ours),
        "half-space-unblended": lambda: HalfSpaceMethod(scenario, replace(ours, blend=0.0)),
        "published": lambda: PublishedMethod(scenario, published),
        "published-unblended": lambda: PublishedMethod(scenario, replace(published, blend=0.0)),
        "penalty": lambda: PositionalMethod(scenario, replace(ungated, blend=0.0)),
        "penalty-blended": lambda: PositionalMethod(scenario, ungated),
        "default": lambda: DefaultMethod(scenario),
    }
    for name, reading in READINGS.items():
        known[name] = partial(Algorithm1Method, scenario, ungated, reading)
    return {name: known[name]() for name in names}
