"""Compare the methods on one action, seen and left out, as in the paper's tables."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from writhe.arrays import Floats
from writhe.kernels.trajectory.octree_cells import OctreeCells
from writhe.research.experiments.dynamic_joint_ik.replayed_clips import ReplayedAction
from writhe.skeleton import JointKind
from writhe.skeleton.quaternions import wrapped_angles
from writhe.solvers.trajectory import (
    Chain,
    Forest,
    OctreeOptions,
    PassOptions,
    Style,
    learn_octree,
    plain_trajectory,
    solve_trajectory,
)
from writhe.solvers.trajectory.published import learn_published, published_trajectory

METHODS = ("sequential", "parallel", "dls_rest", "dls_previous")
JUDGED = (*METHODS, "published")  # the last one as printed, in NumPy: its time says nothing
REPEATS = 7


@dataclass
class Errors:
    """Squared errors, angles and distances, accumulated over takes."""

    square: list[Floats] = field(default_factory=list[Floats])
    euler: list[Floats] = field(default_factory=list[Floats])
    angle: list[Floats] = field(default_factory=list[Floats])
    distance: list[Floats] = field(default_factory=list[Floats])

    def add(self, chain: Chain, theta: Floats, truth: Floats) -> None:
        """Add the errors of postures (F, n) against the true ones."""
        square, euler, angle = joint_errors(chain, theta, truth)
        self.square.append(square)
        self.euler.append(euler)
        self.angle.append(angle)
        apart = chain.effector_points(theta) - chain.effector_points(truth)
        self.distance.append(np.linalg.norm(apart, axis=2).mean(axis=1))

    def summary(self) -> dict[str, float]:
        """Means over all frames."""
        return {
            "joint_mse": float(np.concatenate(self.square).mean()),
            "joint_mse_euler": float(np.concatenate(self.euler).mean()),
            "joint_angle_deg": float(np.degrees(np.concatenate(self.angle).mean())),
            "distance_mm": 1e3 * float(np.concatenate(self.distance).mean()),
            "distance_mse_m2": float((np.concatenate(self.distance) ** 2).mean()),
        }


def joint_errors(chain: Chain, theta: Floats, truth: Floats) -> tuple[Floats, Floats, Floats]:
    """Per frame (F,): squared error by shortest rotation, by Z-Y-X Euler angles, and the angle.

    The squares are means over degrees of freedom: a ball joint's is the squared rotation vector
    from the true rotation, a third for each degree of freedom. The angle is the mean over joints.
    """
    skeleton = chain.figure.skeleton
    rest = skeleton.rest_configuration
    found, wanted = chain.configurations(theta, rest), chain.configurations(truth, rest)
    square, euler, angle = np.zeros(len(theta)), np.zeros(len(theta)), np.zeros(len(theta))
    for name in chain.joints:
        at = skeleton.q_slice(name)
        if skeleton.joints[skeleton.index(name)].kind is JointKind.BALL:
            a = Rotation.from_quat(found[:, at], scalar_first=True)
            b = Rotation.from_quat(wanted[:, at], scalar_first=True)
            turn = (b.inv() * a).as_rotvec()
            apart = wrapped_angles(a.as_euler("ZYX") - b.as_euler("ZYX"))
        else:
            turn = apart = wrapped_angles(found[:, at] - wanted[:, at])
        square += (turn**2).sum(axis=1)
        euler += (apart**2).sum(axis=1)
        angle += np.linalg.norm(turn, axis=1)
    return square / len(chain), euler / len(chain), angle / len(chain.joints)


def cells_of(
    chain: Chain,
    takes: Sequence[Floats],
    fps: float,
    options: OctreeOptions | None = None,
    levels: int | None = None,
) -> OctreeCells:
    """The octree of some takes as tables, optionally cut to its first levels."""
    octree = learn_octree(chain, [(t, fps) for t in takes], 0, options)
    if levels is not None:
        octree = octree.cut_to(levels)
    return Forest(chain, [Style("takes", (octree,))]).blend()


def compare(chain: Chain, action: ReplayedAction, *, left_out: bool) -> dict[str, Any]:
    """All methods on every take of an action, learned from the take itself or from the others."""
    fps = action.motions[0].fps
    rest = chain.coordinates(chain.figure.skeleton.rest_configuration)[0]
    errors = {method: Errors() for method in JUDGED}
    folds: list[tuple[OctreeCells, Floats]] = []
    for number, take in enumerate(action.takes):
        others = [t for k, t in enumerate(action.takes) if k != number]
        cells = cells_of(chain, others if left_out else [take], fps)
        targets = chain.effector_points(take)
        folds.append((cells, targets))
        for method, threads in (("sequential", 1), ("parallel", None)):
            found = solve_trajectory(chain, cells, targets, fps, threads=threads)
            errors[method].add(chain, found.theta, take)
        for method, previous in (("dls_rest", False), ("dls_previous", True)):
            plain = plain_trajectory(chain, targets, rest, from_previous=previous)
            errors[method].add(chain, plain, take)
        printed = learn_published(chain, others if left_out else [take])
        errors["published"].add(chain, published_trajectory(chain, printed, targets), take)
    out: dict[str, Any] = {method: errors[method].summary() for method in JUDGED}
    if left_out:
        times = _times(chain, folds, fps, rest)
        out["frames"] = sum(len(t) for t in action.takes)
    else:
        times, out["frames"] = long_times(chain, action), action.paper_frames
    for method in METHODS:
        out[method]["ms"] = times[method]
    return out


def _times(
    chain: Chain, folds: Sequence[tuple[OctreeCells, Floats]], fps: float, rest: Floats
) -> dict[str, dict[str, float]]:
    """Median milliseconds over all takes."""
    runs: dict[str, list[dict[str, float]]] = {method: [] for method in METHODS}
    for _ in range(REPEATS):
        total: dict[str, dict[str, float]] = {method: {} for method in METHODS}
        for cells, targets in folds:
            for method, threads in (("sequential", 1), ("parallel", None)):
                found = solve_trajectory(chain, cells, targets, fps, threads=threads)
                _add(total[method], found.milliseconds)
            for method, previous in (("dls_rest", False), ("dls_previous", True)):
                begun = time.perf_counter()
                plain_trajectory(chain, targets, rest, from_previous=previous)
                _add(total[method], {"total": 1e3 * (time.perf_counter() - begun)})
        for method in METHODS:
            runs[method].append(total[method])
    return {method: _median(runs[method]) for method in METHODS}


def long_times(chain: Chain, action: ReplayedAction) -> dict[str, dict[str, float]]:
    """Median milliseconds on a trajectory as long as the paper's, learned from all takes.

    "total" and those of the passes are wall-clock times, "processor" is CPU time.
    """
    fps = action.motions[0].fps
    rest = chain.coordinates(chain.figure.skeleton.rest_configuration)[0]
    cells = cells_of(chain, action.takes, fps)
    theta, starts = action.long()
    targets = chain.effector_points(theta)
    runs: dict[str, list[dict[str, float]]] = {method: [] for method in METHODS}
    for _ in range(REPEATS):
        for method, threads in (("sequential", 1), ("parallel", None)):
            begun = time.process_time()
            found = solve_trajectory(chain, cells, targets, fps, starts=starts, threads=threads)
            processor = 1e3 * (time.process_time() - begun)
            runs[method].append(found.milliseconds | {"processor": processor})
        for method, previous in (("dls_rest", False), ("dls_previous", True)):
            begun, begun_processor = time.perf_counter(), time.process_time()
            plain_trajectory(chain, targets, rest, from_previous=previous, starts=starts)
            processor = 1e3 * (time.process_time() - begun_processor)
            total = 1e3 * (time.perf_counter() - begun)
            runs[method].append({"total": total, "processor": processor})
    return {method: _median(runs[method]) for method in METHODS}


def seconds_by_threads(chain: Chain, action: ReplayedAction, maximum: int) -> dict[str, float]:
    """Best seconds of the long trajectory by number of threads, measured alternately."""
    fps = action.motions[0].fps
    cells = cells_of(chain, action.takes, fps)
    theta, starts = action.long()
    targets = chain.effector_points(theta)
    best = dict.fromkeys(range(1, maximum + 1), np.inf)
    for _ in range(15):
        for count in best:
            found = solve_trajectory(chain, cells, targets, fps, starts=starts, threads=count)
            best[count] = min(best[count], 1e-3 * found.milliseconds["total"])
    return {str(count): float(value) for count, value in best.items()}


def over_epsilon(
    chain: Chain, action: ReplayedAction, values: Sequence[float]
) -> list[dict[str, float]]:
    """Joint error and distance, left out, with limits relaxed by epsilon only."""
    fps = action.motions[0].fps
    out: list[dict[str, float]] = []
    for epsilon in values:
        errors = Errors()
        for number, take in enumerate(action.takes):
            others = [t for k, t in enumerate(action.takes) if k != number]
            cells = cells_of(chain, others, fps, OctreeOptions(epsilon_rad=epsilon))
            found = solve_trajectory(
                chain, cells, chain.effector_points(take), fps, options=PassOptions(widen=False)
            )
            errors.add(chain, found.theta, take)
        out.append({"epsilon_rad": epsilon} | errors.summary())
    return out


def by_level(chain: Chain, action: ReplayedAction) -> list[dict[str, Any]]:
    """Time on the long trajectory and error per frame on the takes, by levels of the octree."""
    fps = action.motions[0].fps
    theta, starts = action.long()
    targets, truth = chain.effector_points(theta), np.concatenate(action.takes)
    out: list[dict[str, Any]] = []
    for level in range(6):
        cells = cells_of(chain, action.takes, fps, levels=level + 1)
        taken: list[float] = []
        processor: list[float] = []
        for _ in range(REPEATS):
            begin = time.process_time()
            solved = solve_trajectory(chain, cells, targets, fps, starts=starts)
            processor.append(1e3 * (time.process_time() - begin))
            taken.append(solved.milliseconds["total"])
        found = solve_trajectory(
            chain, cells, chain.effector_points(truth), fps, starts=action.starts
        )
        square, _, _ = joint_errors(chain, found.theta, truth)
        out.append(
            {
                "level": level,
                "ms": float(np.median(taken)),
                "processor_ms": float(np.median(processor)),
                "joint_mse": float(square.mean()),
                "sum": float(square.sum()),
                "per_frame": square,
            }
        )
    return out


def _add(total: dict[str, float], more: dict[str, float]) -> None:
    for key, value in more.items():
        total[key] = total.get(key, 0.0) + value


def _median(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    return {key: float(np.median([run[key] for run in runs])) for key in runs[0]}
