"""The octree of dynamic joint parameters over the positions of an effector.

Each cell stores, for every coordinate of the chain, the range of values observed while the effector
was inside the cell, the most likely value and a damping. `docs/dynamic-joint-ik.md` lists
the deviations from the paper, and our versions of its equations 7 to 10, which our copy lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import cast

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.errors import WritheError
from writhe.solvers.trajectory.chain import Chain


@dataclass(frozen=True, slots=True)
class OctreeOptions:
    """Training options of an octree; the first three as in the paper."""

    split_above: int = 20  # number of points above which a cell is split
    levels: int = 6  # including the whole volume
    epsilon_rad: float = 0.001  # widening of the limits
    slope_ridge_m: float = 0.01  # ridge of the regression of postures on effector positions
    min_damping_m2: float = 1e-4
    max_damping_m2: float = 10.0

    def __post_init__(self) -> None:
        if not 1 <= self.levels <= 8:
            raise WritheError(f"levels must be 1 to 8, not {self.levels}")
        if self.split_above < 1:
            raise WritheError(f"split_above must be 1 or more points, not {self.split_above}")
        if not self.epsilon_rad >= 0.0:
            raise WritheError(f"epsilon_rad must be 0 or more, not {self.epsilon_rad}")


@dataclass(frozen=True)
class JointOctree:
    """M cells over n coordinates, parents before their children.

    Cell 0 is the parent of the octree proper: its limits are the anatomical ones, set by hand in
    the paper. Cell 1 is the whole volume with all observed postures.
    """

    corner_m: Floats  # (3,) lower corner of the volume, in the root frame
    size_m: Floats  # (3,)
    parent: Ints  # (M,) -1 for cell 0
    level: Ints  # (M,) -1 for cell 0, 0 for the whole volume
    count: Ints  # (M,) points in the cell
    lower: Floats  # (M, n)
    upper: Floats  # (M, n)
    mean: Floats  # (M, n)
    slope: Floats  # (M, n, 3)
    centre_m: Floats  # (M, 3)
    damping_m2: Floats  # (M, n) lambda^2
    grid: Ints  # (G, G, G) the deepest non-empty cell that contains each cell of the finest level

    def __len__(self) -> int:
        return len(self.parent)

    def cell_of(self, point_m: Floats) -> int:
        """The deepest non-empty cell that contains the point; cell 0 outside of the volume."""
        edge = self.grid.shape[0]
        at = np.floor(edge * (np.asarray(point_m) - self.corner_m) / self.size_m).astype(int)
        if np.any(at < 0) or np.any(at >= edge):
            return 0
        return int(self.grid[at[0], at[1], at[2]])

    def cut_to(self, levels: int) -> JointOctree:
        """The octree with its first `levels` levels only."""
        keep = np.flatnonzero(self.level < levels)
        number = np.full(len(self), -1, dtype=np.int64)
        number[keep] = np.arange(len(keep))
        grid = self.grid.copy()
        while np.any(number[grid] < 0):
            grid = np.where(number[grid] < 0, self.parent[grid], grid)
        cut = {f.name: getattr(self, f.name)[keep] for f in fields(self) if f.name in _PER_CELL}
        cut["parent"] = np.where(cut["parent"] < 0, -1, number[cut["parent"]])
        return JointOctree(self.corner_m, self.size_m, grid=number[grid], **cut)

    def relaxed(self, epsilon_rad: float) -> JointOctree:
        """The octree with limits widened by epsilon, within those of cell 0."""
        lower, upper = self.lower - epsilon_rad, self.upper + epsilon_rad
        lower = np.maximum(lower, self.lower[0])
        upper = np.minimum(upper, self.upper[0])
        same = {f.name: getattr(self, f.name) for f in fields(self)}
        return JointOctree(**(same | {"lower": lower, "upper": upper}))


_PER_CELL = (
    "parent",
    "level",
    "count",
    "lower",
    "upper",
    "mean",
    "slope",
    "centre_m",
    "damping_m2",
)
MICRO_MOTION_S = 1.0 / 30.0
_STILL_RAD = 1e-3  # added to the RMS change of a coordinate: bounds the damping of still ones


def learn_octree(
    chain: Chain,
    takes: Sequence[tuple[Floats, float]],
    effector: int = 0,
    options: OctreeOptions | None = None,
) -> JointOctree:
    """Learn from takes, each the chain's coordinates (F, n) and its frame rate."""
    options = options or OctreeOptions()
    takes = [(theta, fps) for theta, fps in takes if len(theta)]
    if not takes:
        raise WritheError("an octree needs at least one take with frames")
    theta = np.concatenate([t for t, _ in takes])
    points = np.concatenate([chain.effector_points(t)[:, effector] for t, _ in takes])
    pulls, turns, known = _micro_motions(chain, takes, effector)
    corner = points.min(axis=0)
    # slightly enlarged, so that the maximum falls into the last cell
    size = np.maximum((points.max(axis=0) - corner) * (1.0 + 1e-9), 1e-6)
    members, parent, level, grid = split_cells(points, corner, size, options)
    cells = [_parameters(theta[i], points[i], options) for i in members]
    damping = np.array([_damping(pulls[i], turns[i], known[i], options) for i in members])
    lower = np.array([c[0] for c in cells])
    upper = np.array([c[1] for c in cells])
    lower[0] = np.minimum(lower[0], chain.widest[0])
    upper[0] = np.maximum(upper[0], chain.widest[1])
    return JointOctree(
        corner_m=corner,
        size_m=size,
        parent=parent,
        level=level,
        count=np.array([len(i) for i in members], dtype=np.int64),
        lower=lower,
        upper=upper,
        mean=np.array([c[2] for c in cells]),
        slope=np.array([c[3] for c in cells]),
        centre_m=np.array([c[4] for c in cells]),
        damping_m2=damping,
        grid=grid,
    )


def split_cells(
    points: Floats, corner: Floats, size: Floats, options: OctreeOptions
) -> tuple[list[Ints], Ints, Ints, Ints]:
    """Members of each cell, its parent and level, and the grid of finest cells."""
    everything = np.arange(len(points), dtype=np.int64)
    edge = 2 ** (options.levels - 1)
    finest = np.clip((edge * (points - corner) / size).astype(np.int64), 0, edge - 1)
    grid = np.zeros((edge, edge, edge), dtype=np.int64)
    members, parent, level = [everything], [-1], [-1]
    waiting = [(everything, 0, np.zeros(3, dtype=np.int64), 0)]
    for inside, depth, position, above in waiting:
        me = len(members)
        members.append(inside)
        parent.append(above)
        level.append(depth)
        width = edge >> depth
        a, b = position * width, (position + 1) * width
        grid[a[0] : b[0], a[1] : b[1], a[2] : b[2]] = me
        if len(inside) <= options.split_above or depth + 1 >= options.levels:
            continue
        half = finest[inside] // (width // 2)
        for child in np.unique(half, axis=0):
            chosen: Bools = (half == child).all(axis=1)
            waiting.append((inside[chosen], depth + 1, child, me))
    return members, np.array(parent), np.array(level), grid


def _parameters(
    theta: Floats, points: Floats, options: OctreeOptions
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Lower, upper, mean, slope and centre of one cell's postures.

    The mean weighs each posture by exp(-z^2 / 2), z its distance from the plain mean in standard
    deviations, so that it lies where postures are dense. The slope is the ridge regression of
    postures on effector positions with the same weights.
    """
    plain, spread = theta.mean(axis=0), theta.std(axis=0) + 1e-3
    weight = np.exp(-0.5 * (((theta - plain) / spread) ** 2).mean(axis=1))
    weight /= weight.sum()
    mean, centre = weight @ theta, weight @ points
    away = points - centre
    weighted = away * weight[:, None]
    normal = weighted.T @ away + options.slope_ridge_m**2 * np.eye(3)
    slope = cast("Floats", np.linalg.solve(normal, weighted.T @ (theta - mean))).T
    lower, upper = theta.min(axis=0), theta.max(axis=0)
    return lower - options.epsilon_rad, upper + options.epsilon_rad, mean, slope, centre


def _micro_motions(
    chain: Chain, takes: Sequence[tuple[Floats, float]], effector: int
) -> tuple[Floats, Floats, Bools]:
    """g and dtheta of Eq. 11 for every frame, and a mask (False at the start of a take)."""
    pulls: list[Floats] = []
    turns: list[Floats] = []
    known: list[Bools] = []
    rows = slice(3 * effector, 3 * effector + 3)
    for theta, fps in takes:
        # the micro-motion has a fixed duration, not a fixed number of frames
        back = max(1, round(MICRO_MOTION_S * fps))
        scale = MICRO_MOTION_S * fps / back
        pull, turn = np.zeros_like(theta), np.zeros_like(theta)
        if len(theta) > back:
            before = theta[:-back]
            turn[back:] = scale * (theta[back:] - before)
            jacobian = chain.jacobians(before)[:, rows]
            here = chain.effector_points(theta)[:, effector]
            predicted = np.einsum("fij,fj->fi", jacobian, theta[back:] - before)
            missed = here[back:] - here[:-back] - predicted
            # the error of a linear step grows with the square of its length
            pull[back:] = scale**2 * np.einsum("fij,fi->fj", jacobian, missed)
        pulls.append(pull)
        turns.append(turn)
        known.append(np.arange(len(theta)) >= back)
    return np.concatenate(pulls), np.concatenate(turns), np.concatenate(known)


def _damping(pull: Floats, turn: Floats, known: Bools, options: OctreeOptions) -> Floats:
    """lambda^2 (n): root mean square of g over root mean square of dtheta, within bounds."""
    if not known.any():
        return np.full_like(pull[0], options.min_damping_m2)
    g = np.sqrt((pull[known] ** 2).mean(axis=0))
    dtheta = np.sqrt((turn[known] ** 2).mean(axis=0) + _STILL_RAD**2)
    return np.clip(g / dtheta, options.min_damping_m2, options.max_damping_m2)
