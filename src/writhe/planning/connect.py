"""Connects two poses of an animation: paths of several kinds, timed for its frame rate.

The studio shows all of them, Blender uses the first, and clearing those close and wide. Documents
have few frames per second; paths are timed so that they are certified at that rate. If no path is
found, `failure_reason` gives the reason in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from writhe.collision import certify
from writhe.errors import WritheError
from writhe.planning.energy import EnergyOptions
from writhe.planning.energy_planner import EnergyPlanner, PlanOptions
from writhe.planning.footsteps import plan_steps
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan, PlanStatus
from writhe.planning.timing import Timing, to_motion
from writhe.skeleton import Figure, Motion

_SHORTENING = 150  # rounds of corner cutting for the shortest path
CLOSE, WIDE = 5, 2  # fall-off exponents of the energy: paths close to the body, or far from it


@dataclass(frozen=True)
class PathKind:
    """One of the paths that connect two poses."""

    title: str
    about: str
    falloff: int = CLOSE
    in_turn: tuple[str, ...] = ()  # limbs that move one after the other
    shortest: bool = False
    steps: bool = False  # the feet step to their places


KINDS = (
    PathKind("Steps", "The feet step to their places, one after the other", steps=True),
    PathKind("Close", "Stays close to the body (fall-off 5)"),
    PathKind("Wide", "Keeps far from the body (fall-off 2)", WIDE),
    PathKind("Shortest", "Corners are cut as far as it stays clear", shortest=True),
    PathKind("Legs, then arms", "Limbs move one after the other", in_turn=("legs", "arms")),
)
_CLEARING = KINDS[1:3]  # the kinds with which clearing tries to go around


@dataclass(frozen=True)
class Connection:
    """A path of one kind; where there is none, `motion` is None and `reason` says why."""

    kind: PathKind
    plan: Plan
    motion: Motion | None
    reason: str = ""


@dataclass(frozen=True)
class Stepping:
    """The body whose feet may step, and where its joints and entries of q are in the problem."""

    figure: Figure
    prefix: str
    entries: slice


def connections(
    problem: PlanProblem,
    duration_s: float,
    fps: float,
    *,
    kinds: Sequence[PathKind] = KINDS,
    stepping: Stepping | None = None,
    name_of: Callable[[str], str] = str,
) -> Iterator[Connection]:
    """The paths between the two postures of a problem, kind by kind (`connection`)."""
    for kind in kinds:
        found = connection(problem, kind, duration_s, fps, stepping=stepping, name_of=name_of)
        if found is not None:
            yield found


def connection(
    problem: PlanProblem,
    kind: PathKind,
    duration_s: float,
    fps: float,
    *,
    stepping: Stepping | None = None,
    name_of: Callable[[str], str] = str,
) -> Connection | None:
    """The path of a kind as a timed motion; None if no foot has to step, or it cannot.

    stepping: the body whose feet may step; without it, none does. name_of: the display name of a
    part, for reasons.
    """
    plan = _search(problem, kind, stepping)
    if plan is None:
        return None
    if not plan.solved:
        return Connection(kind, plan, None, failure_reason(plan, name_of))
    try:
        return Connection(kind, plan, timed_motion(plan, duration_s, fps, kind.in_turn))
    except WritheError as error:  # another kind may keep more clearance
        return Connection(kind, plan, None, str(error))


def _search(problem: PlanProblem, kind: PathKind, stepping: Stepping | None) -> Plan | None:
    if not kind.steps:
        return search(problem, kind.falloff, shortest=kind.shortest)
    if stepping is None:
        return None
    return plan_steps(search, problem, stepping.figure, prefix=stepping.prefix, at=stepping.entries)


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
    for found in connections(problem, duration_s, fps, kinds=_CLEARING, name_of=name_of):
        yield found.plan, found.motion, found.reason


def failure_reason(plan: Plan, name_of: Callable[[str], str] = str) -> str:
    """Why no path was found; `name_of` gives the display name of a part."""
    which = {PlanStatus.INFEASIBLE_START: "first", PlanStatus.INFEASIBLE_GOAL: "second"}
    if plan.status in which:
        blocked = sorted(plan.blocked_by, key=lambda part: "." in part)[:3]  # objects first
        *others, last = [name_of(part) for part in blocked]
        parts = f"{', '.join(others)} and {last}" if others else last
        return f"in the {which[plan.status]} pose {parts} overlap; move them apart there first"
    return "no path was found; plant fewer parts, or set a key half-way to guide it"
