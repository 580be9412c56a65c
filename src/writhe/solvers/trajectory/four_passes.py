"""Solves whole trajectories in four passes, in parallel over frames."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numba
import numpy as np
from numba.core import config

from writhe.arrays import Floats, Ints, floats
from writhe.errors import WritheError
from writhe.kernels.trajectory import ik_passes as kernels
from writhe.kernels.trajectory.octree_cells import OctreeCells
from writhe.solvers.trajectory.chain import Chain

PASSES = ("crude", "alignment", "retargeting", "correction")


@dataclass(frozen=True, slots=True)
class PassOptions:
    """Options of the passes. Windows are in seconds, so the result does not depend on the rate.

    The paper has 10 frames (alignment) and 2 or 3 (correction) and prints no frame rate: these are
    10 frames at 100 Hz and 2 at 30 Hz, so two rates are assumed for one paper.
    """

    tolerance_m: float = 5e-4
    iterations: int = 6  # at each level of the octree
    alignment_s: float = 0.1
    correction_s: float = 1.0 / 15.0
    reach_m: float = 0.05  # frames farther than this from their targets have weight 0
    widen: bool = True  # use the wider limits of parent cells where targets are out of reach

    def alignment_frames(self, fps: float) -> int:
        """Half the width of the box filter, in whole frames."""
        return int(self.alignment_s * fps + 0.5)

    def correction_frames(self, fps: float) -> float:
        """Distance in frames at which the correction's weight falls to zero."""
        return max(self.correction_s * fps, 1.0)


@dataclass(frozen=True)
class Trajectory:
    """Coordinates of a chain over time, with the distances from its targets.

    `passes` holds the coordinates (F, n) after each pass, `milliseconds` the time of each.
    """

    chain: Chain
    theta: Floats  # (F, n)
    distance_m: Floats  # (F, E)
    passes: dict[str, Floats]
    milliseconds: dict[str, float]
    threads: int

    @property
    def status(self) -> str:
        """ "reached", or "short" if some target stays more than 5 cm away."""
        return "reached" if float(self.distance_m.max()) <= 0.05 else "short"


@contextmanager
def thread_count(count: int | None) -> Generator[int]:
    """Run kernels on `count` threads (by default the current number) within the context."""
    before, maximum = numba.get_num_threads(), int(getattr(config, "NUMBA_NUM_THREADS"))  # noqa: B009 - set at run time
    if count is not None and not 1 <= count <= maximum:
        raise WritheError(f"threads must be 1 to {maximum} on this machine, not {count}")
    numba.set_num_threads(count or before)
    try:
        yield count or before
    finally:
        numba.set_num_threads(before)


def solve_trajectory(
    chain: Chain,
    cells: OctreeCells,
    targets_in_root: Floats,
    fps: float,
    *,
    options: PassOptions | None = None,
    starts: Sequence[int] = (0,),
    threads: int | None = None,
) -> Trajectory:
    """The chain's motion for targets (F, E, 3), or (F, 3) when it has one effector.

    `starts` are the first frames of trajectories that are concatenated in `targets_in_root`; the
    filters do not mix them.
    """
    options = options or PassOptions()
    targets = targets_of(chain, targets_in_root)
    frames, n = len(targets), len(chain)
    first, last = bounds(frames, starts)
    made = {name: np.empty((frames, n)) for name in PASSES}
    lower, upper, inverse_damping = (np.empty((frames, n)) for _ in range(3))
    wide_lower, wide_upper = np.empty((frames, n)), np.empty((frames, n))
    distance, final = np.empty(frames), np.empty((frames, len(chain.effectors)))
    window, fade = options.alignment_frames(fps), options.correction_frames(fps)
    tree, tolerance, iterations = chain.tree, options.tolerance_m, options.iterations
    wider = wider_limits(cells)
    if not options.widen:
        cells = cells._replace(parent=np.full_like(cells.parent, -1))
        wider = wider[:0]
    with thread_count(threads) as used:
        clock = [time.perf_counter()]
        used_parameters = kernels.JointParameters(lower, upper, inverse_damping)
        kernels.crude_pass(
            tree, cells, targets, tolerance, iterations, made["crude"], used_parameters
        )
        clock.append(time.perf_counter())
        kernels.alignment_pass(
            made["crude"],
            lower,
            upper,
            first,
            last,
            window,
            made["alignment"],
            wide_lower,
            wide_upper,
        )
        clock.append(time.perf_counter())
        kernels.retargeting_pass(
            tree,
            made["alignment"],
            targets,
            kernels.JointParameters(wide_lower, wide_upper, inverse_damping),
            wider,
            tolerance,
            iterations,
            made["retargeting"],
            distance,
        )
        clock.append(time.perf_counter())
        kernels.correction_pass(
            made["retargeting"], distance, first, last, fade, options.reach_m, made["correction"]
        )
        clock.append(time.perf_counter())
        kernels.distances(tree, made["correction"], targets, final)
    taken: dict[str, float] = {
        name: 1e3 * (after - before)
        for name, before, after in zip(PASSES, clock, clock[1:], strict=False)
    }
    taken["total"] = 1e3 * (clock[-1] - clock[0])
    return Trajectory(chain, made["correction"], final, made, taken, used)


def targets_of(chain: Chain, targets_in_root: Floats) -> Floats:
    """Targets as an array (F, E, 3); raises WritheError for other shapes."""
    given = np.asarray(targets_in_root, dtype=np.float64)
    if given.ndim == 2 and len(chain.effectors) == 1:
        given = given[:, None]
    targets = floats(given, (None, len(chain.effectors), 3), "targets")
    if len(targets) == 0:
        raise WritheError("a trajectory needs at least one frame")
    return targets


def bounds(frames: int, starts: Sequence[int]) -> tuple[Ints, Ints]:
    """(F,) first and last frame of the trajectory that each frame belongs to."""
    edges = np.array([*starts, frames], dtype=np.int64)
    if edges[0] != 0 or np.any(np.diff(edges) < 1):
        raise WritheError(f"starts must begin with 0 and increase, not {list(starts)}")
    lengths = np.diff(edges)
    return np.repeat(edges[:-1], lengths), np.repeat(edges[1:] - 1, lengths)


def wider_limits(cells: OctreeCells) -> Floats:
    """(4, n) blended lower and upper limits of the whole volumes, then of the anatomy."""
    rows = [getattr(cells, side)[cells.root + c] for c in (1, 0) for side in ("lower", "upper")]
    return np.stack([np.einsum("vd,vd->d", cells.weight, row) for row in rows])
