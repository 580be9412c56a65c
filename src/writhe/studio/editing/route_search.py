"""Ways round for one actor of the studio's scene, and why there is none, in plain words."""

from __future__ import annotations

from writhe.collision import certify
from writhe.planning import (
    DefaultPlanner,
    EnergyOptions,
    Plan,
    PlanOptions,
    PlanProblem,
    PlanStatus,
    Timing,
    to_motion,
)
from writhe.skeleton import Motion
from writhe.studio.view.part_labels import plain_name

CLOSE, WIDE = 5, 2  # fall-offs of the energy: close to the body, and far from it
_SHORTENING = 150  # rounds of cutting corners where the shortest way is asked for


def search(problem: PlanProblem, falloff: int = CLOSE, *, shortest: bool = False) -> Plan:
    """A plan by the default planner.

    Corners are cut only where the shortest way is asked for: others keep room for a document's
    few frames a second.
    """
    energy = EnergyOptions(falloff=falloff)
    if not shortest:
        return DefaultPlanner(PlanOptions(energy=energy, corner_rounds=0, sweeps=0)).plan(problem)
    options = PlanOptions(
        energy=energy, corner_rounds=_SHORTENING, corner_patience=_SHORTENING // 3
    )
    return DefaultPlanner(options).plan(problem)


def played(plan: Plan, duration_s: float, fps: float, in_turn: tuple[str, ...] = ()) -> Motion:
    """The plan in a given time; at a multiple of the rate where only that is certified."""
    motion = to_motion(plan, Timing(duration_s=duration_s, fps=fps, in_turn=in_turn))
    sampled = motion.resample(fps)
    whole = abs(motion.fps - fps) < 1e-9 or certify(plan.problem.table, sampled.q, fps).certified
    return sampled if whole else motion


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
