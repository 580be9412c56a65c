"""`plan`: a certified path between two postures."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from numpy.typing import ArrayLike

from writhe.arguments import checked
from writhe.collision import CollisionTable
from writhe.errors import UnknownNameError
from writhe.planning.clear_endpoints import with_clear_ends
from writhe.planning.energy_planner import EnergyPlanner, PlanOptions
from writhe.planning.footsteps import plan_steps
from writhe.planning.ground_assumptions import assumed_ground
from writhe.planning.ompl_planners import PLANNERS, SamplingPlanner
from writhe.planning.problem import PlanProblem, figure_problem, scene_problem
from writhe.planning.published_planner import PaperOptions, PaperPlanner
from writhe.planning.result import Plan, PlanStatus
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
    clear_ends: bool = False,
    method: str = "default",
    options: PlanOptions | None = None,
    table: CollisionTable | None = None,
) -> Plan:
    """A path from `start` to `goal` of a figure, or of an actor (by default the first) of a scene.

    `planted` lists joints that keep their pose at the start, or pins; () plants nothing. By
    default, the feet that both postures of a figure share are planted, and feet that stand on the
    ground elsewhere in the goal step there, one after the other (`Plan.legs`). A figure alone gets
    a floor if both postures stand at about one height, unless `floor` is False. With `clear_ends`,
    a start or goal that penetrates is first moved to the nearest clear posture, and the status is
    at best `APPROXIMATE`. `Plan.notes` says what was assumed and moved.
    """
    scene = subject if isinstance(subject, Scene) else None
    figure = subject if isinstance(subject, Figure) else subject.actor(actor).figure
    first = configuration(figure.skeleton, start, "the start posture")
    last = configuration(figure.skeleton, goal, "the goal posture")
    ground = assumed_ground(
        figure, first, last, plant=planted is None, floor=floor and scene is None
    )
    pinned = ground.planted if planted is None else planted
    if scene is not None:
        who = scene.actor(actor).name
        problem = scene_problem(scene, who, first, last, planted=pinned)
        prefix, at = f"{who}.", scene.layout.actor_q[who]
    else:
        problem = figure_problem(
            figure, first, last, planted=pinned, table=table, floor_m=ground.floor_m
        )
        prefix, at = "", slice(None)
    moved: tuple[str, ...] = ()
    if clear_ends:
        problem, moved = with_clear_ends(problem)
    planner = make_planner(method, figure, options)
    stepped = None
    if planted is None:
        stepped = plan_steps(planner.plan, problem, figure, prefix=prefix, at=at)
    found = stepped or planner.plan(problem)
    assumed = ground.notes if stepped is None else ground.floor_notes
    approximate = bool(moved) and found.solved
    return replace(
        found,
        notes=(*assumed, *moved, *found.notes),
        status=PlanStatus.APPROXIMATE if approximate else found.status,
    )
