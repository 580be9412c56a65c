"""Ways round for one actor of the studio's scene, and why there is none, in plain words."""

from __future__ import annotations

import numpy as np

from writhe.collision import certify
from writhe.motion.clean import clean
from writhe.planning import (
    DefaultPlanner,
    EnergyOptions,
    Plan,
    PlanOptions,
    PlanProblem,
    PlanStatus,
    Style,
    to_motion,
)
from writhe.skeleton import Figure, Motion
from writhe.studio.naming import plain_name

CLOSE, WIDE = 5, 2  # fall-offs of the energy: close to the body, and far from it
_SHORTENING = 150  # rounds of cutting corners where the shortest way is asked for


def search(problem: PlanProblem, falloff: int = CLOSE, *, shortest: bool = False) -> Plan:
    """A plan by the default planner.

    Only the shortest way is pulled tight: others keep room for a document's few frames a second.
    """
    options = PlanOptions(energy=EnergyOptions(falloff=falloff), sweeps=0)
    if shortest:
        options = PlanOptions(
            energy=options.energy, corner_rounds=_SHORTENING, corner_patience=_SHORTENING // 3
        )
    return DefaultPlanner(options).plan(problem)


def played(plan: Plan, duration_s: float, fps: float, in_turn: tuple[str, ...] = ()) -> Motion:
    """The plan in a given time at `fps`, pushed out where so few frames cut a corner.

    At a multiple of the rate where only that is certified.
    """
    motion = to_motion(plan, Style(duration_s=duration_s, fps=fps, in_turn=in_turn))
    problem, sampled = plan.problem, motion.resample(fps)
    if abs(motion.fps - fps) < 1e-9 or certify(problem.table, sampled.q, fps).certified:
        return sampled
    pushed = clean(
        sampled, Figure("way", plan.skeleton), table=problem.table, variables=problem.variable
    )
    kept = np.allclose(pushed.motion.q[[0, -1]], sampled.q[[0, -1]], atol=1e-6)
    return pushed.motion if kept and pushed.after.certified else motion


def why_not(plan: Plan, names: dict[str, str]) -> str:
    """Why there is no way, as one would tell a person."""
    which = {PlanStatus.INFEASIBLE_START: "first", PlanStatus.INFEASIBLE_GOAL: "second"}
    if plan.status in which:
        blocked = sorted(plan.blocked_by, key=lambda part: "." in part)[:3]  # objects first
        *most, last = [plain_name(part, names) for part in blocked]
        parts = f"{', '.join(most)} and {last}" if most else last
        return f"in the {which[plan.status]} pose {parts} overlap; move them apart there first"
    return (
        "no way round was found; let fewer parts stay planted, or put a key half-way that shows"
        " where to go"
    )
