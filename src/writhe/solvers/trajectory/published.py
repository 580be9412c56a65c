"""The method of dynamic joint parameters as printed, for comparison with ours (NumPy only).

Z-Y-X Euler angles, the plain mean of a cell, lambda^2 = g / dtheta averaged over its frames
(Eq. 11) with either sign, windows in frames. Deviations where the text is incomplete: entries whose
dtheta is zero have no lambda and are left out; Eq. 13 divides a sum of 2 w + 1 frames by 2 w, here
by their number; limits of the highest level are a full turn, and the anatomical ones for hinges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from writhe.arrays import Floats, Ints
from writhe.skeleton import JointKind
from writhe.solvers.trajectory.chain import Chain
from writhe.solvers.trajectory.four_passes import targets_of
from writhe.solvers.trajectory.octree import OctreeOptions, split_cells

ORDER = "ZYX"
_NUDGE = 1e-6  # step of the finite differences of the Jacobian, radians
_BORDER_M = 1e-6  # border around the octree, so that rounding leaves no learnt point outside
_MIN_TURN = 1e-9  # radians; below this dtheta is zero


@dataclass(frozen=True, slots=True)
class PublishedOptions:
    """The constants of the paper; the number of iterations and the tolerance are not printed."""

    octree: OctreeOptions = field(default_factory=OctreeOptions)
    iterations: int = 30
    tolerance_m: float = 5e-4
    alignment_frames: int = 10  # half window of Eq. 13
    correction_frames: int = 2  # half window of Eq. 14
    reach_m: float = 0.05  # epsilon of the spatial kernel


class EulerCoordinates:
    """A chain in Z-Y-X Euler angles and hinge angles."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        skeleton = chain.figure.skeleton
        self._rest = skeleton.rest_configuration
        self._parts = [
            (
                slice(int(chain.start[j]), int(chain.start[j + 1])),
                skeleton.q_slice(name),
                skeleton.joints[skeleton.index(name)].kind is JointKind.BALL,
            )
            for j, name in enumerate(chain.joints)
        ]
        self.lower, self.upper = np.full(len(chain), -np.pi), np.full(len(chain), np.pi)
        for own, _, ball in self._parts:
            if not ball:
                self.lower[own], self.upper[own] = chain.widest[:, own]

    def angles(self, theta: Floats) -> Floats:
        """(F, n) of the chain's own coordinates (F, n)."""
        q = self.chain.configurations(theta, self._rest)
        out = np.empty_like(theta)
        for own, at, ball in self._parts:
            values = q[:, at]
            if ball:
                values = Rotation.from_quat(values, scalar_first=True).as_euler(ORDER)
            out[:, own] = values
        return out

    def theta(self, angles: Floats) -> Floats:
        """(F, n) the chain's own coordinates of angles (F, n)."""
        q = np.tile(self._rest, (len(angles), 1))
        for own, at, ball in self._parts:
            values = angles[:, own]
            if ball:
                values = Rotation.from_euler(ORDER, values).as_quat(scalar_first=True)
            q[:, at] = values
        return self.chain.coordinates(q)

    def points(self, angles: Floats) -> Floats:
        """(F, 3) positions of the only effector in the root frame."""
        return self.chain.effector_points(self.theta(angles))[:, 0]

    def jacobians(self, angles: Floats) -> Floats:
        """(F, 3, n) by central differences."""
        n = angles.shape[1]
        nudges = _NUDGE * np.concatenate([np.eye(n), -np.eye(n)])
        moved = (angles[:, None] + nudges).reshape(-1, n)
        points = self.points(moved).reshape(len(angles), 2, n, 3)
        return np.swapaxes(points[:, 0] - points[:, 1], 1, 2) / (2.0 * _NUDGE)


@dataclass(frozen=True)
class PublishedCells:
    """Limits, mean and lambda^2 of every cell, and the grid that finds a cell."""

    corner_m: Floats
    size_m: Floats
    grid: Ints
    lower: Floats  # (M, n)
    upper: Floats
    mean: Floats
    damping_m2: Floats  # lambda^2, of either sign

    def of(self, points: Floats) -> Ints:
        """(F,) the deepest cell with data for each point; 0 outside."""
        edge = self.grid.shape[0]
        at = np.floor(edge * (points - self.corner_m) / self.size_m).astype(np.int64)
        inside = ((at >= 0) & (at < edge)).all(axis=1)
        at = np.where(inside[:, None], at, 0)
        return np.where(inside, self.grid[at[:, 0], at[:, 1], at[:, 2]], 0)


def learn_published(
    chain: Chain, takes: Sequence[Floats], options: PublishedOptions | None = None
) -> PublishedCells:
    """The cells of takes, each the chain's own coordinates (F, n)."""
    options = options or PublishedOptions()
    euler = EulerCoordinates(chain)
    angles = [euler.angles(take) for take in takes]
    points = np.concatenate([euler.points(a) for a in angles])
    corner = points.min(axis=0) - _BORDER_M
    size = points.max(axis=0) + _BORDER_M - corner
    members, _, _, grid = split_cells(points, corner, size, options.octree)
    every = np.concatenate(angles)
    damping = np.concatenate([printed_damping(euler, a) for a in angles])
    epsilon = options.octree.epsilon_rad
    lower = np.array([every[i].min(axis=0) for i in members]) - epsilon
    upper = np.array([every[i].max(axis=0) for i in members]) + epsilon
    lower[0], upper[0] = euler.lower, euler.upper
    return PublishedCells(
        corner,
        size,
        grid,
        lower,
        upper,
        np.array([every[i].mean(axis=0) for i in members]),
        np.array([_mean_known(damping[i]) for i in members]),
    )


def printed_damping(euler: EulerCoordinates, angles: Floats) -> Floats:
    """(F, n) lambda^2 = g / dtheta of each frame; NaN at the first and where dtheta is zero."""
    out = np.full_like(angles, np.nan)
    turn = np.diff(angles, axis=0)
    jacobian, here = euler.jacobians(angles[:-1]), euler.points(angles)
    missed = np.diff(here, axis=0) - np.einsum("fij,fj->fi", jacobian, turn)
    g = np.einsum("fij,fi->fj", jacobian, missed)
    moving = np.abs(turn) > _MIN_TURN
    out[1:][moving] = g[moving] / turn[moving]
    return out


def _mean_known(rows: Floats) -> Floats:
    """(n,) mean over the frames that have a lambda; 0 where none has."""
    known = np.isfinite(rows)
    return np.where(known, rows, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)


def published_trajectory(
    chain: Chain,
    cells: PublishedCells,
    targets_in_root: Floats,
    options: PublishedOptions | None = None,
) -> Floats:
    """(F, n) the chain's own coordinates after the four passes."""
    options = options or PublishedOptions()
    euler, targets = EulerCoordinates(chain), targets_of(chain, targets_in_root)[:, 0]
    at = cells.of(targets)
    crude = _damped(euler, cells, at, targets, cells.mean[at], options)
    aligned = _box(crude, options.alignment_frames)
    aimed = _damped(euler, cells, at, targets, aligned, options)
    away = np.linalg.norm(euler.points(aimed) - targets, axis=1)
    return euler.theta(_bilateral(aimed, away, options))


def _damped(
    euler: EulerCoordinates,
    cells: PublishedCells,
    at: Ints,
    targets: Floats,
    start: Floats,
    options: PublishedOptions,
) -> Floats:
    """Eq. 6 with clamping (Eq. 12), each frame independently."""
    lower, upper, damping = cells.lower[at], cells.upper[at], cells.damping_m2[at]
    angles = np.clip(start, lower, upper)
    diagonal = np.arange(int(angles.shape[1]))
    for _ in range(options.iterations):
        missed = targets - euler.points(angles)
        left = np.flatnonzero(np.linalg.norm(missed, axis=1) > options.tolerance_m)
        if len(left) == 0:
            break
        jacobian = euler.jacobians(angles[left])
        normal = np.swapaxes(jacobian, 1, 2) @ jacobian
        normal[:, diagonal, diagonal] += damping[left]
        right = np.einsum("fij,fi->fj", jacobian, missed[left])
        # lambda^2 may be zero or negative, so the system may be singular: least-squares solution
        step = np.einsum("fij,fj->fi", np.linalg.pinv(normal, rcond=1e-12, hermitian=True), right)
        angles[left] = np.clip(angles[left] + step, lower[left], upper[left])
    return angles


def _box(rows: Floats, half: int) -> Floats:
    """The mean over a window of 2 half + 1 frames, fewer at the ends (Eq. 13)."""
    total = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0)])
    frames = np.arange(len(rows))
    first, last = np.maximum(frames - half, 0), np.minimum(frames + half + 1, len(rows))
    return (total[last] - total[first]) / (last - first)[:, None]


def _bilateral(rows: Floats, away_m: Floats, options: PublishedOptions) -> Floats:
    """Eq. 14: weights by the time from the frame and by the distance from the target."""
    half = options.correction_frames
    reach = _wendland(away_m, options.reach_m)
    out, weight = np.zeros_like(rows), np.zeros(len(rows))
    frames = np.arange(len(rows))
    for shift in range(-half, half + 1):
        other = frames + shift
        inside = (other >= 0) & (other < len(rows))
        near = float(_wendland(np.array([abs(shift)]), float(half))[0])
        share = np.where(inside, near * reach[np.clip(other, 0, len(rows) - 1)], 0.0)
        out += share[:, None] * rows[np.clip(other, 0, len(rows) - 1)]
        weight += share
    found = weight > 0.0
    out[found] /= weight[found, None]
    out[~found] = rows[~found]
    return out


def _wendland(distance: Floats, extent: float) -> Floats:
    """Eq. 15: (1 - d/e)^4 (4 d/e + 1), zero from the extent e on."""
    d = distance / extent
    return np.where(d < 1.0, np.maximum(1.0 - d, 0.0) ** 4 * (4.0 * d + 1.0), 0.0)
