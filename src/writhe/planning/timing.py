"""From a path to a motion: smoothing that keeps clearance, speed profiles, limbs in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.collision import certify
from writhe.errors import UnknownNameError, WritheError
from writhe.kernels.planning.path_shortening import relax
from writhe.kernels.planning.walk_constraints import correct
from writhe.kernels.skeleton.kinematics import interpolate_batch
from writhe.planning.compiled_problem import Walker
from writhe.planning.ground import rest_on_ground
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan, path_sums
from writhe.planning.rolling import roll_on_ground
from writhe.skeleton import Motion, Skeleton
from writhe.skeleton.kinematics import difference


def bell(u: Floats) -> Floats:
    """Minimum-jerk progress (Flash and Hogan 1985): speed rises and falls like a bell."""
    return u**3 * (10.0 - 15.0 * u + 6.0 * u * u)


def uniform(u: Floats) -> Floats:
    """Constant speed."""
    return u


PROFILES: dict[str, Callable[[Floats], Floats]] = {"bell": bell, "uniform": uniform}
LIMBS = ("torso", "left_arm", "right_arm", "left_leg", "right_leg")
_GROUPS = {"arms": ("left_arm", "right_arm"), "legs": ("left_leg", "right_leg")}


@dataclass(frozen=True)
class Timing:
    """How a path is played.

    `duration_s` None takes a natural one. `in_turn` lists limbs ("torso", "left_arm" ..., or "arms"
    and "legs") that move one after the other; those not named move with the first. `stagger` 0
    moves all together, 1 strictly one after the other.
    """

    duration_s: float | None = None
    fps: float = 30.0
    profile: str = "bell"
    in_turn: tuple[str, ...] = ()
    stagger: float = 0.5
    smooth: int = 30  # sweeps of smoothing, 0 for none
    keep_m: float = 0.006  # clearance that smoothing does not use up
    ground_m: float | None = None  # height of a floor that the body rests on all the way
    rolls: bool = False  # on that floor, so that it stays balanced; its root then is not the goal's

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise UnknownNameError("speed profile", self.profile, list(PROFILES))
        for name in self.in_turn:
            if name not in LIMBS and name not in _GROUPS:
                raise UnknownNameError("limb", name, [*LIMBS, *_GROUPS])
        if self.duration_s is not None and not self.duration_s > 0:
            raise WritheError(f"a motion must take some time, not {self.duration_s} s")
        if not 0.0 <= self.stagger <= 1.0:
            raise WritheError(f"stagger is 0 to 1, not {self.stagger}")


def natural_duration(skeleton: Skeleton, path: Floats) -> float:
    """Seconds: the joint that travels farthest does so at some 100 degrees a second on average."""
    steps = np.array([difference(skeleton, a, b) for a, b in pairwise(path)])
    if len(steps) == 0:
        return 0.5
    tree = skeleton.tree
    travel = [
        float(np.linalg.norm(steps[:, tree.v_start[j] : tree.v_start[j + 1]], axis=1).sum())
        for j in range(len(skeleton))
    ]
    return max(0.6, max(travel) / 1.8)


def to_motion(plan: Plan, timing: Timing | None = None) -> Motion:
    """The plan as a certified motion; smoothing and turn-taking give way where they would collide.

    The last resort is the path itself, sampled finely enough to certify.
    """
    if not plan.solved:
        raise WritheError(f"the plan is {plan.status.value}: there is no path to play")
    timing = timing or Timing()
    problem = plan.problem
    rows = smoothed(plan, timing)
    duration = timing.duration_s or natural_duration(plan.skeleton, plan.path)

    def placed(q: Floats) -> Floats:
        if timing.ground_m is None:
            return q
        return (roll_on_ground if timing.rolls else rest_on_ground)(problem, q, timing.ground_m)

    count = max(2, round(duration * timing.fps) + 1)
    u = np.linspace(0.0, 1.0, count)
    profile = PROFILES[timing.profile]
    for stagger in _falling(timing.stagger if timing.in_turn else 0.0):
        q = placed(_played(problem, rows, u, profile, timing.in_turn, stagger))
        if certify(problem.table, q, timing.fps).certified:
            return Motion(plan.skeleton, q, timing.fps, "plan")
    rows = evenly(plan.skeleton, plan.path, len(rows))
    for finer in (1, 2, 4, 8):
        u = np.linspace(0.0, 1.0, finer * (count - 1) + 1)
        q = placed(_played(problem, rows, u, profile, (), 0.0))
        if certify(problem.table, q, finer * timing.fps).certified:
            return Motion(plan.skeleton, q, finer * timing.fps, "plan")
    raise WritheError("the path cannot be played at this rate without penetration; slow it down")


def smoothed(plan: Plan, timing: Timing) -> Floats:
    """(rows, nq) the path sampled evenly and smoothed without losing clearance."""
    skeleton = plan.skeleton
    count = int(np.clip(plan.length_rad / 0.03, 24, 300))
    rows = evenly(skeleton, plan.path, count)
    walker = Walker(plan.problem)
    if walker.planted:
        for row in rows[1:-1]:
            correct(walker.world, row, walker.room)
    if timing.smooth > 0:
        # the strong smoothing of a long way is done on a coarse sampling first
        for coarse in (max(24, count // 4), count):
            rows = evenly(skeleton, rows, coarse)
            relax(
                walker.world,
                rows,
                timing.keep_m,
                0.9,
                timing.smooth,
                0.02,
                walker.room,
                np.zeros(len(rows)),
            )
    return evenly(skeleton, rows, count)


def evenly(skeleton: Skeleton, path: Floats, count: int) -> Floats:
    """(count, nq) postures at even distances along a path."""
    sums = path_sums(skeleton, path)
    if sums[-1] <= 0.0:
        return np.repeat(path[:1], count, axis=0)
    places = np.interp(np.linspace(0.0, sums[-1], count), sums, np.arange(len(path), dtype=float))
    out = _at(skeleton, path, places)
    out[0], out[-1] = path[0], path[-1]  # to the last bit
    return out


def _at(skeleton: Skeleton, rows: Floats, places: Floats) -> Floats:
    out = np.empty((len(places), skeleton.configuration_size))
    interpolate_batch(skeleton.tree, np.ascontiguousarray(rows), places, out)
    return out


def _falling(stagger: float) -> list[float]:
    return [stagger * share for share in (1.0, 0.75, 0.5, 0.25)] + [0.0] if stagger > 0 else [0.0]


def _played(
    problem: PlanProblem,
    rows: Floats,
    u: Floats,
    profile: Callable[[Floats], Floats],
    in_turn: Sequence[str],
    stagger: float,
) -> Floats:
    """Postures at times u in [0, 1]; limb k of n moves within its own window of time."""
    skeleton, last = problem.skeleton, len(rows) - 1
    if not in_turn or stagger == 0.0:
        return _at(skeleton, rows, profile(u) * last)
    turn_of = _turns(skeleton, in_turn)
    count = len(in_turn)
    width = 1.0 / (1.0 + stagger * (count - 1))
    out = np.empty((len(u), skeleton.configuration_size))
    for k in range(count):
        begin = k * stagger * width
        own = profile(np.clip((u - begin) / width, 0.0, 1.0))
        moved = _at(skeleton, rows, own * last)
        for j in np.flatnonzero(turn_of == k):
            at = slice(int(skeleton.tree.q_start[j]), int(skeleton.tree.q_start[j + 1]))
            out[:, at] = moved[:, at]
    if problem.planted:
        walker = Walker(problem)
        for row in out[1:-1]:
            correct(walker.world, row, walker.room)
    return out


def _turns(skeleton: Skeleton, in_turn: Sequence[str]) -> np.ndarray:
    """(n,) whose turn each joint moves in."""
    turn: dict[str, int] = {}
    for k, name in enumerate(in_turn):
        for limb in _GROUPS.get(name, (name,)):
            turn[limb] = k
    out = np.zeros(len(skeleton), dtype=np.int64)
    for j, full in enumerate(skeleton.names):
        out[j] = turn.get(_limb(full.rpartition(".")[2]), 0)
    return out


def _limb(joint: str) -> str:
    side, _, part = joint.partition("_")
    if side not in ("left", "right"):
        return "torso"
    return f"{side}_arm" if part in ("clavicle", "shoulder", "elbow", "wrist") else f"{side}_leg"
