"""Motion planning between distant postures: certified paths, their timing, and refinement."""

from writhe.planning.energy import Energy, EnergyOptions
from writhe.planning.energy_planner import EnergyPlanner, PlanOptions
from writhe.planning.ompl_planners import SamplingPlanner
from writhe.planning.plan import METHODS, make_planner, plan
from writhe.planning.problem import PlanProblem, figure_problem, scene_problem
from writhe.planning.published_planner import PaperOptions, PaperPlanner, descend
from writhe.planning.result import Plan, PlanStatus
from writhe.planning.spacetime import FramePin, FrameSlide, Refined, RefineOptions, refine
from writhe.planning.timing import Timing, to_motion

__all__ = [
    "METHODS",
    "Energy",
    "EnergyOptions",
    "EnergyPlanner",
    "FramePin",
    "FrameSlide",
    "PaperOptions",
    "PaperPlanner",
    "Plan",
    "PlanOptions",
    "PlanProblem",
    "PlanStatus",
    "RefineOptions",
    "Refined",
    "SamplingPlanner",
    "Timing",
    "descend",
    "figure_problem",
    "make_planner",
    "plan",
    "refine",
    "scene_problem",
    "to_motion",
]
