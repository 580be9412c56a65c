"""Time parametrisation of a path: smoothing with clearance, speed profiles, staggered limbs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from writhe.arguments import check_fields, checked
from writhe.arrays import Floats
from writhe.collision import CollisionTable, Gate, certify
from writhe.easing import smoothstep
from writhe.errors import UnknownNameError, WritheError
from writhe.kernels.planning.path_shortening import smooth_certified_path
from writhe.kernels.planning.search_constraints import correct_posture
from writhe.planning.compiled_problem import CompiledProblem
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan
from writhe.planning.rolling import roll_on_ground
from writhe.planning.shift_to_ground import rest_on_ground
from writhe.skeleton import JointKind, Motion, Skeleton
from writhe.skeleton.configuration_paths import path_at, path_rows, resample_evenly
from writhe.skeleton.kinematics import difference, integrate
from writhe.skeleton.limbs import ARM, LIMBS, SIDES
from writhe.time_filters import gaussian


def bell(u: Floats) -> Floats:
    """Minimum-jerk progress (Flash and Hogan 1985), with a bell-shaped speed."""
    return u**3 * (10.0 - 15.0 * u + 6.0 * u * u)


def uniform(u: Floats) -> Floats:
    """Constant speed."""
    return u


def trapezoid(u: Floats, ramp: float = 0.2) -> Floats:
    """Constant speed, 1 / (1 - ramp) times the mean, between two ramps of a share of the time."""
    low, high = np.minimum(u, ramp), np.clip(u - 1.0 + ramp, 0.0, ramp)
    even = np.clip(u - ramp, 0.0, 1.0 - 2.0 * ramp)
    ramps = (low**2 + 2.0 * ramp * high - high**2) / (2.0 * ramp)
    return (ramps + even) / (1.0 - ramp)


PROFILES: dict[str, Callable[[Floats], Floats]] = {
    "bell": bell,
    "uniform": uniform,
    "trapezoid": trapezoid,
}
_SHORTEST_LEG_S, _LEG_RAD_PER_S = 0.25, 2.5  # durations of the legs of a plan that steps
_LEG_SWEEPS = 2  # of smoothing: more would let a swinging foot skim the floor
_SMOOTH_FRAMES = 2.0  # standard deviation of the Gaussian smoothing in `time_path`
_NAMES = ("torso", *LIMBS)
_GROUPS = {f"{limb}s": tuple(f"{s}_{limb}" for s in SIDES) for limb in ("arm", "leg")}


@dataclass(frozen=True)
class Timing:
    """Timing of a path.

    `duration_s` None means `natural_duration`. `in_turn` lists limbs ("torso", "left_arm" ..., or
    "arms" and "legs") that move one after the other; those not named move with the first. With
    `stagger` 0 all move together, with 1 strictly one after the other.
    """

    fps: float
    duration_s: float | None = None
    profile: str = "bell"
    in_turn: tuple[str, ...] = ()
    stagger: float = 0.5
    smooth: int = 30  # sweeps of smoothing, 0 for none
    keep_m: float = 0.006  # clearance that smoothing preserves
    ground_m: float | None = None  # height of a floor that the body touches in every frame
    # roll on the floor to stay balanced; the final root pose then differs from the goal
    rolls: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        if self.profile not in PROFILES:
            raise UnknownNameError("speed profile", self.profile, list(PROFILES))
        for name in self.in_turn:
            if name not in _NAMES and name not in _GROUPS:
                raise UnknownNameError("limb", name, [*_NAMES, *_GROUPS])
        if self.duration_s is not None and not self.duration_s > 0:
            raise WritheError(f"duration_s must be positive, not {self.duration_s} s")
        if not 0.0 <= self.stagger <= 1.0:
            raise WritheError(f"stagger must be from 0 to 1, not {self.stagger}")


def natural_duration(skeleton: Skeleton, path: Floats) -> float:
    """Duration at which the joint that rotates most averages about 100 degrees per second, s."""
    steps = np.array([difference(skeleton, a, b) for a, b in pairwise(path)])
    if len(steps) == 0:
        return 0.5
    tree = skeleton.tree
    travel = [
        float(np.linalg.norm(steps[:, tree.v_start[j] : tree.v_start[j + 1]], axis=1).sum())
        for j in range(len(skeleton))
    ]
    return max(0.6, max(travel) / 1.8)


def lead_in(path: Motion, clip: Motion, frame: int) -> Motion:
    """A path that ends in a frame of a clip (counted from the end if negative), and its rest."""
    rest = clip.slice(frame % len(clip), len(clip)).resample(path.fps)
    return replace(path, q=np.concatenate([path.q, rest.q[1:]]))


@checked
def to_motion(plan: Plan, timing: Timing) -> Motion:
    """The plan as a certified motion; stagger and smoothing are reduced until it is certified.

    The last resort is the unsmoothed path, sampled finely enough to be certified.
    """
    if not plan.solved:
        raise WritheError(f"a plan with status {plan.status.value!r} has no path to time")
    if plan.legs:
        return _in_legs(plan, timing)
    problem = plan.problem
    rows = smoothed(plan, timing)
    skeleton = plan.problem.motion_skeleton or plan.skeleton
    duration = timing.duration_s or natural_duration(plan.skeleton, plan.path)

    def on_ground(q: Floats) -> Floats:
        if timing.ground_m is None:
            return q
        return (roll_on_ground if timing.rolls else rest_on_ground)(problem, q, timing.ground_m)

    count = max(2, round(duration * timing.fps) + 1)
    u = np.linspace(0.0, 1.0, count)
    profile = PROFILES[timing.profile]

    def candidates() -> Iterator[tuple[Floats, float]]:
        for stagger in _stagger_attempts(timing.stagger if timing.in_turn else 0.0):
            yield on_ground(_sample(problem, rows, u, profile, timing.in_turn, stagger)), timing.fps
        even = resample_evenly(plan.skeleton, plan.path, len(rows))
        for finer in (1, 2, 4, 8):
            times = np.linspace(0.0, 1.0, finer * (count - 1) + 1)
            yield on_ground(_sample(problem, even, times, profile, (), 0.0)), finer * timing.fps

    found = _first_certified(problem.table, candidates())
    if found is None:
        raise WritheError("the path could not be certified at this rate; use a longer duration_s")
    return Motion(skeleton, found[0], found[1], "plan")


def _in_legs(plan: Plan, timing: Timing) -> Motion:
    """The legs of a plan one after the other, each in its share of the duration."""
    natural = [max(_SHORTEST_LEG_S, leg.length_rad / _LEG_RAD_PER_S) for leg in plan.legs]
    scale = 1.0 if timing.duration_s is None else timing.duration_s / sum(natural)
    motions = [
        to_motion(
            leg,
            replace(timing, duration_s=scale * seconds, profile="trapezoid", smooth=_LEG_SWEEPS),
        )
        for leg, seconds in zip(plan.legs, natural, strict=True)
    ]
    fps = max(motion.fps for motion in motions)  # a multiple of the others
    rows = [motion.resample(fps).q for motion in motions]
    q = np.concatenate([rows[0][:1], *(each[1:] for each in rows)])
    return replace(motions[0], q=q, fps=fps)


def time_path(table: CollisionTable, path: Floats, frames: int, fps: float) -> Floats:
    """(frames + 1, nq) a certified path, eased at both ends, smoothed if that remains certified.

    Sampling with few frames cuts the corners of a winding path. As a last resort, every corner that
    straight certified steps need gets a frame; if there are more corners than frames, the result
    penetrates, which the certificate reports.
    """
    skeleton = table.skeleton
    even = resample_evenly(skeleton, path, 4 * frames + 1)
    u = np.linspace(0.0, 1.0, frames + 1)
    soft = blurred(skeleton, even, 4.0 * _SMOOTH_FRAMES)
    tried = ((soft, smoothstep(u)), (even, smoothstep(u)), (even, u))
    found = _first_certified(table, ((path_at(skeleton, rows, at), fps) for rows, at in tried))
    if found is not None:
        return found[0]
    corners = _corners(table, path)
    if len(corners) > frames + 1:
        return path_at(skeleton, even, u)
    return _between_corners(skeleton, path[corners], frames)


def _first_certified(
    table: CollisionTable, candidates: Iterable[tuple[Floats, float]]
) -> tuple[Floats, float] | None:
    """The first of some samplings (frames, nq), each with its rate, that is certified."""
    for q, fps in candidates:
        if certify(table, q, fps).certified:
            return q, fps
    return None


def smoothed(plan: Plan, timing: Timing) -> Floats:
    """(rows, nq) the path resampled evenly and smoothed, keeping its clearance."""
    skeleton = plan.skeleton
    count = int(np.clip(plan.length_rad / 0.03, 24, 300))
    rows = resample_evenly(skeleton, plan.path, count)
    compiled = CompiledProblem(plan.problem)
    if compiled.planted:
        for row in rows[1:-1]:
            correct_posture(compiled.model, row, compiled.workspace)
    if timing.smooth > 0:
        # large-scale smoothing first, on a coarse sampling
        for coarse in (max(24, count // 4), count):
            rows = resample_evenly(skeleton, rows, coarse)
            smooth_certified_path(
                compiled.model,
                rows,
                timing.keep_m,
                0.9,
                timing.smooth,
                0.02,
                compiled.workspace,
                np.zeros(len(rows)),
            )
    return resample_evenly(skeleton, rows, count)


def _stagger_attempts(stagger: float) -> list[float]:
    return [stagger * share for share in (1.0, 0.75, 0.5, 0.25)] + [0.0] if stagger > 0 else [0.0]


def _sample(
    problem: PlanProblem,
    rows: Floats,
    u: Floats,
    profile: Callable[[Floats], Floats],
    in_turn: Sequence[str],
    stagger: float,
) -> Floats:
    """Configurations at times u in [0, 1]; limb k of n moves within its own time window."""
    skeleton, last = problem.skeleton, len(rows) - 1
    if not in_turn or stagger == 0.0:
        return path_rows(skeleton, rows, profile(u) * last)
    turn_of = _turn_of_joint(skeleton, in_turn)
    count = len(in_turn)
    width = 1.0 / (1.0 + stagger * (count - 1))
    out = np.empty((len(u), skeleton.configuration_size))
    for k in range(count):
        begin = k * stagger * width
        phase = profile(np.clip((u - begin) / width, 0.0, 1.0))
        moved = path_rows(skeleton, rows, phase * last)
        for j in np.flatnonzero(turn_of == k):
            at = slice(int(skeleton.tree.q_start[j]), int(skeleton.tree.q_start[j + 1]))
            out[:, at] = moved[:, at]
    if problem.planted:
        compiled = CompiledProblem(problem)
        for row in out[1:-1]:
            correct_posture(compiled.model, row, compiled.workspace)
    return out


def _turn_of_joint(skeleton: Skeleton, in_turn: Sequence[str]) -> np.ndarray:
    """(n,) index in `in_turn` of the limb of each joint."""
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
    if side not in SIDES:
        return "torso"
    return f"{side}_arm" if part in ARM else f"{side}_leg"


def _corners(table: CollisionTable, path: Floats) -> list[int]:
    """Indices of rows of a certified path that straight, certified steps connect."""
    gate, found = Gate(table), [0]
    while found[-1] < len(path) - 1:
        start = here = found[-1]
        reach = len(path) - 1 - start
        while reach:  # the longest certified straight step, by bisection
            if gate.fraction(path[start], path[here + reach]) >= 1.0:
                here += reach
            reach = min(reach // 2, len(path) - 1 - here)
        found.append(max(here, start + 1))
    return found


def _between_corners(skeleton: Skeleton, corners: Floats, frames: int) -> Floats:
    """frames + 1 postures along straight steps: one at every corner, more on long steps."""
    lengths = [float(np.linalg.norm(difference(skeleton, a, b))) for a, b in pairwise(corners)]
    counts = np.ones(len(lengths), dtype=int)
    for _ in range(frames - len(lengths)):
        counts[int(np.argmax(np.array(lengths) / counts))] += 1
    share = [k + i / n for k, n in enumerate(counts) for i in range(n)]
    return path_rows(skeleton, corners, np.array([*share, len(lengths)], dtype=float))


def blurred(skeleton: Skeleton, path: Floats, width: float) -> Floats:
    """The path smoothed by a Gaussian of `width` rows in tangent space; its ends are kept."""
    middle = path[len(path) // 2]
    flat = np.array([difference(skeleton, middle, row) for row in path])
    _continue_turns(skeleton, flat)
    soft = gaussian(flat, width)
    away = np.minimum(np.arange(len(path)), np.arange(len(path))[::-1])
    share = np.clip(away / (3.0 * width), 0.0, 1.0)[:, None]
    return np.array([integrate(skeleton, middle, v) for v in (1.0 - share) * flat + share * soft])


def _continue_turns(skeleton: Skeleton, steps: Floats) -> None:
    """Make the rotation vectors in tangent steps (rows, nv) from the middle row continuous.

    A joint that turns by more than half a turn goes on beyond pi instead of jumping to -pi.
    """
    tree, middle = skeleton.tree, len(steps) // 2
    for j, joint in enumerate(skeleton.joints):
        if joint.kind not in (JointKind.BALL, JointKind.FREE):
            continue
        at = slice(int(tree.v_start[j + 1]) - 3, int(tree.v_start[j + 1]))
        for order in (range(middle + 1, len(steps)), range(middle - 1, -1, -1)):
            before = steps[middle, at]
            for i in order:
                turn = steps[i, at]
                angle = float(np.linalg.norm(turn))
                if angle > 1.0:
                    others = [turn * (1.0 + 2.0 * np.pi * k / angle) for k in (0, -1, 1)]
                    turn = min(others, key=lambda one: float(np.linalg.norm(one - before)))
                    steps[i, at] = turn
                before = turn
