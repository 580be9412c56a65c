"""`writhe bench batch-ik`: batches of whole trajectories, Numba compared with JAX.

On a machine with a GPU the JAX figures are the GPU's. `floor_ratio` is the time divided by the
larger of two lower bounds, arithmetic and memory, at the rates the device reached in the same run.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from writhe.errors import MissingExtraError
from writhe.progress import Progress
from writhe.skeleton.figures import figure
from writhe.solvers.trajectory import Chain, PassOptions, solve_trajectory

FPS = 30.0
STYLE = "throw"
FRAMES = 112
CPU_SIZES = (10_000, 50_000)


def problem_arrays() -> dict[str, Any]:
    """Chain, octree, targets (T, F, 3) and the Numba passes' coordinates (T, F, n)."""
    from writhe.accelerator.problem_file import to_arrays
    from writhe.accelerator.trajectory_problem import batch_problem
    from writhe.postures.synthetic_clips import builtin_movements
    from writhe.styles.learn_styles import learn_builtin

    chain = Chain.named(figure("human"), "right_arm")
    cells = learn_builtin(chain).blend(STYLE)
    takes = [take for takes in builtin_movements().values() for take in takes]
    targets = np.array([chain.effector_points(chain.coordinates(t.q))[:FRAMES, 0] for t in takes])
    theta = np.array([solve_trajectory(chain, cells, t, FPS).theta for t in targets])
    problem = batch_problem(chain.tree, cells, PassOptions(), FPS)
    return to_arrays(problem) | {"targets": targets, "theta": theta}


def run(progress: Progress) -> dict[str, Any]:
    """Poses per second on the JAX device, and by the Numba passes on this CPU."""
    try:
        import jax
    except ImportError:
        raise MissingExtraError("writhe bench batch-ik", "jax") from None
    from writhe.accelerator.measure_trajectories import SIZES, measure

    progress(None, "the problem from built-in movements")
    arrays = problem_arrays()
    progress(None, "batches")
    sizes = SIZES if jax.devices()[0].platform == "gpu" else CPU_SIZES
    return measure(arrays, sizes) | {"numba": _numba(arrays)}


def _numba(arrays: dict[str, Any]) -> dict[str, float]:
    """The same poses by `solve_trajectory`, all trajectories in one call."""
    from writhe.styles.learn_styles import learn_builtin

    chain = Chain.named(figure("human"), "right_arm")
    cells = learn_builtin(chain).blend(STYLE)
    targets = np.tile(arrays["targets"].reshape(-1, 3), (10, 1))
    starts = range(0, len(targets), FRAMES)
    found = solve_trajectory(chain, cells, targets, FPS, starts=list(starts))
    taken: list[float] = []
    for _ in range(4):
        begun = time.perf_counter()
        solve_trajectory(chain, cells, targets, FPS, starts=list(starts))
        taken.append(time.perf_counter() - begun)
    return {
        "poses": len(targets),
        "threads": found.threads,
        "poses_per_s": len(targets) / float(np.median(taken)),
    }
