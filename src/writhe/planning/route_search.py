"""Paths for the studio and for cleaning: calls the planner (`energy_planner`) with their options.

Documents of the studio have few frames per second, and paths are timed so that they are certified
at that rate. If no path is found, `failure_reason` gives the reason in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from writhe.collision import certify
from writhe.errors import WritheError
from writhe.planning.energy import EnergyOptions
from writhe.planning.energy_planner import EnergyPlanner, PlanOptions
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan, PlanStatus
from writhe.planning.timing import Timing, to_motion
from writhe.skeleton import Motion

CLOSE, WIDE = 5, 2  # fall-off exponents of the energy: paths close to the body, or far from it
_SHORTENING = 150  # rounds of corner cutting for the shortest path


def search(problem: PlanProblem, falloff: int = CLOSE, *, shortest: bool = False) -> Plan:
    """A plan by the default planner.

    Corners are cut only with `shortest`; other paths keep more clearance, which motion at few
    frames per second needs.
    """
    energy = EnergyOptions(falloff=falloff)
    if not shortest:
        return EnergyPlanner(PlanOptions(energy=energy, corner_rounds=0, sweeps=0)).plan(problem)
    options = PlanOptions(
        energy=energy, corner_rounds=_SHORTENING, corner_patience=_SHORTENING // 3
    )
    return EnergyPlanner(options).plan(problem)


def timed_motion(
    plan: Plan, duration_s: float, fps: float, in_turn: tuple[str, ...] = ()
) -> Motion:
    """The plan as a motion of a given duration.

    It is sampled at `fps`, or at a multiple of it where only that is certified.
    """
    motion = to_motion(plan, Timing(duration_s=duration_s, fps=fps, in_turn=in_turn))
    sampled = motion.resample(fps)
    clear = abs(motion.fps - fps) < 1e-9 or certify(plan.problem.table, sampled.q, fps).certified
    return sampled if clear else motion


def timed_paths(
    problem: PlanProblem, duration_s: float, fps: float, name_of: Callable[[str], str] = str
) -> Iterator[tuple[Plan, Motion | None, str]]:
    """Plans close to the body and far from it, each as a timed motion.

    Instead of a motion, None and a reason where no path was found or none could be timed.
    """
    for falloff in (CLOSE, WIDE):
        plan = search(problem, falloff)
        if not plan.solved:
            yield plan, None, failure_reason(plan, name_of)
            continue
        try:
            motion = timed_motion(plan, duration_s, fps)
        except WritheError as error:  # the other fall-off may keep more clearance
            yield plan, None, str(error)
        else:
            yield plan, motion, ""


def failure_reason(plan: Plan, name_of: Callable[[str], str] = str) -> str:
    """Why no path was found; `name_of` gives the display name of a part."""
    which = {PlanStatus.INFEASIBLE_START: "first", PlanStatus.INFEASIBLE_GOAL: "second"}
    if plan.status in which:
        blocked = sorted(plan.blocked_by, key=lambda part: "." in part)[:3]  # objects first
        *others, last = [name_of(part) for part in blocked]
        parts = f"{', '.join(others)} and {last}" if others else last
        return f"in the {which[plan.status]} pose {parts} overlap; move them apart there first"
    return "no path was found; plant fewer parts, or set a key half-way to guide it"
