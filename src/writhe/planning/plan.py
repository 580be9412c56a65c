"""`plan`: a certified path between two postures."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from numpy.typing import ArrayLike

from writhe.arguments import checked
from writhe.collision import CollisionTable
from writhe.errors import UnknownNameError
from writhe.planning.energy_planner import EnergyPlanner, PlanOptions
from writhe.planning.footsteps import plan_steps
from writhe.planning.ompl_planners import PLANNERS, SamplingPlanner
from writhe.planning.problem import PlanProblem, figure_problem, scene_problem
from writhe.planning.published_planner import PaperOptions, PaperPlanner
from writhe.planning.result import Plan
from writhe.planning.support import assumed_support
from writhe.scene import Scene
from writhe.skeleton import Figure
from writhe.skeleton.configurations import configuration
from writhe.solvers.posing import Pin

METHODS = ("default", "paper", *PLANNERS)


class Planner(Protocol):
    """Solves planning problems."""

    name: str

    @checked
    def plan(self, problem: PlanProblem) -> Plan:
        """The path, or the part that was found."""
        ...


@checked
def make_planner(
    method: str = "default", figure: Figure | None = None, options: PlanOptions | None = None
) -> Planner:
    """A planner by name: default, paper, or one of OMPL's (rrtconnect ...)."""
    chosen = options or PlanOptions()
    if method == "default":
        return EnergyPlanner(chosen)
    if method == "paper":
        return PaperPlanner(figure, PaperOptions(energy=chosen.energy))
    if method in PLANNERS:
        return SamplingPlanner(method, seed=chosen.seed)
    raise UnknownNameError("planning method", method, list(METHODS))


def plan(
    subject: Figure | Scene,
    start: ArrayLike,
    goal: ArrayLike,
    *,
    actor: str | None = None,
    planted: tuple[str | Pin, ...] | None = None,
    floor: bool = True,
    method: str = "default",
    options: PlanOptions | None = None,
    table: CollisionTable | None = None,
) -> Plan:
    """A path from `start` to `goal` of a figure, or of an actor (by default the first) of a scene.

    `planted` lists joints that keep their pose at the start, or pins; () plants nothing. By
    default, the feet that both postures of a figure share are planted, and feet that stand on the
    ground elsewhere in the goal step there, one after the other (`Plan.legs`). A figure alone gets
    a floor if both postures stand at about one height, unless `floor` is False. `Plan.notes` says
    what was assumed.
    """
    if isinstance(subject, Scene):
        chosen = subject.actor(actor)
        who, figure = chosen.name, chosen.figure
        support = assumed_support(
            figure,
            configuration(figure.skeleton, start, "the start posture"),
            configuration(figure.skeleton, goal, "the goal posture"),
            plant=planted is None,
            floor=False,
        )
        pinned = support.planted if planted is None else planted
        problem = scene_problem(subject, who, start, goal, planted=pinned)
        prefix, at = f"{who}.", subject.layout.actor_q[who]
    else:
        figure = subject
        first = configuration(figure.skeleton, start, "the start posture")
        last = configuration(figure.skeleton, goal, "the goal posture")
        support = assumed_support(figure, first, last, plant=planted is None, floor=floor)
        pinned = support.planted if planted is None else planted
        problem = figure_problem(
            figure, first, last, planted=pinned, table=table, floor_m=support.floor_m
        )
        prefix, at = "", slice(None)
    planner = make_planner(method, figure, options)
    stepped = None
    if planted is None:
        stepped = plan_steps(planner.plan, problem, figure, prefix=prefix, at=at)
    if stepped is not None:
        return replace(stepped, notes=(*support.floor_notes, *stepped.notes))
    found = planner.plan(problem)
    return replace(found, notes=(*support.notes, *found.notes))
