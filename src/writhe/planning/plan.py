"""`plan`: one call from two postures to a certified path."""

from __future__ import annotations

from typing import Protocol

from numpy.typing import ArrayLike

from writhe.arguments import checked
from writhe.collision import CollisionTable
from writhe.errors import UnknownNameError, WritheError
from writhe.planning.energy_planner import DefaultPlanner, PlanOptions
from writhe.planning.ompl_planners import PLANNERS, SamplingPlanner
from writhe.planning.problem import PlanProblem, figure_problem, scene_problem
from writhe.planning.published_planner import PaperOptions, PaperPlanner
from writhe.planning.result import Plan
from writhe.scene import Scene
from writhe.skeleton import Figure
from writhe.solvers.posing import Pin

METHODS = ("default", "paper", *PLANNERS)


class Planner(Protocol):
    """Solves planning problems."""

    name: str

    @checked
    def plan(self, problem: PlanProblem) -> Plan:
        """The path, or the part found so far."""
        ...


@checked
def make_planner(
    method: str = "default", figure: Figure | None = None, options: PlanOptions | None = None
) -> Planner:
    """A planner by name: default, paper, or one of OMPL's (rrtconnect ...)."""
    chosen = options or PlanOptions()
    if method == "default":
        return DefaultPlanner(chosen)
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
    planted: tuple[str | Pin, ...] = (),
    method: str = "default",
    options: PlanOptions | None = None,
    table: CollisionTable | None = None,
) -> Plan:
    """A path from `start` to `goal` of a figure, or of an actor (by default the first) of a scene.

    `planted` lists joints that keep their pose at the start, or pins.
    """
    if isinstance(subject, Scene):
        if not subject.actors:
            raise WritheError("the scene has no actor that could move")
        who = actor or subject.actors[0].name
        problem = scene_problem(subject, who, start, goal, planted=planted)
        figure = subject.actor(who).figure
    else:
        problem = figure_problem(subject, start, goal, planted=planted, table=table)
        figure = subject
    return make_planner(method, figure, options).plan(problem)
