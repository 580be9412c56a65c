"""`writhe bench gpu`: penetration, linking and posing of many postures in JAX, against Numba.

On a machine without a GPU the figures are those of its CPU. `floor_ratio` is the time of the
posture measures divided by the larger of two lower bounds, arithmetic and memory, at the rates the
device reached in the same run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, NearPairs
from writhe.collision.certificate_slack import SLACK_M
from writhe.collision.certify import ROUNDING_M, certify_interpolations
from writhe.collision.interpolated_motion import EulerChannels, InterpolatedMotion
from writhe.errors import MissingExtraError
from writhe.postures.builtin import builtin_database
from writhe.progress import Progress
from writhe.scene.file_certificate import interpolations_of_file
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.topology import linking_vector
from writhe.topology.linking_vector import body_bundle

TARGETS = ("head", "left_wrist", "right_wrist", "left_ankle", "right_ankle")
_COUNT = 512
_JITTER_RAD = 0.15


def problem_arrays() -> dict[str, Any]:
    """The human, jittered built-in postures with results of the Numba kernels, and posing tasks.

    A task starts at a clear built-in posture and has the joints `TARGETS` of another one, of those
    with the same support, as targets.
    """
    from writhe.accelerator.batch_ik import limit_arrays
    from writhe.accelerator.body_arrays import body_arrays
    from writhe.accelerator.problem_file import to_arrays

    human = figure("human")
    skeleton, table = human.skeleton, CollisionTable.of_figure(human)
    database = builtin_database("basic")
    rng = np.random.default_rng(11)
    chosen = database.q[rng.integers(0, len(database), _COUNT)]
    q = np.array(
        [integrate(skeleton, x, rng.normal(0, _JITTER_RAD, skeleton.dof_count)) for x in chosen]
    )
    clear = database.q[~database.penetrating]
    goal = clear[rng.integers(0, len(clear), _COUNT)]
    start = clear[_nearest_of_few(clear, goal, rng)].copy()
    start[:, :7] = goal[:, :7]
    joints = np.array([skeleton.index(name) for name in TARGETS])
    return {
        **to_arrays(body_arrays(human, table, body_bundle(human))),
        **to_arrays(limit_arrays(skeleton)),
        "q": q,
        "penetration_m": penetrations(human, table, q),
        "linking": linking_vector(human, q),
        "start": start,
        "target_joints": joints,
        "targets": forward(skeleton, goal).positions[:, joints],
    }


def broad_phase_arrays(clips: Sequence[Path]) -> dict[str, Any]:
    """Bodies and motions of clips, with the intervals that the exact sweep finds clear.

    Each interpolation of a clip is a motion of its own.
    """
    from writhe.accelerator.broad_phase import joint_rotations, pair_body
    from writhe.accelerator.problem_file import to_arrays

    out: dict[str, Any] = {"slack_m": SLACK_M - ROUNDING_M}
    count = 0
    for clip in clips:
        table, interpolations = interpolations_of_file(clip)
        body = pair_body(table)
        if body is None:
            continue
        for one in interpolations:
            arrays = to_arrays(body) | to_arrays(joint_rotations(table, one))
            arrays["exact_clear"] = _exactly_clear(table, one)
            out |= {f"{count}.{name}": value for name, value in arrays.items()}
            count += 1
    return out | {"motions": count}


def _exactly_clear(table: CollisionTable, motion: InterpolatedMotion) -> Any:
    """(rows - 1,) whether the certificate of an interval alone has nothing beyond the slack."""
    out = np.zeros(len(motion.q) - 1, dtype=np.bool_)
    for i in range(len(out)):
        here = slice(i, i + 2)
        euler = motion.euler and EulerChannels(motion.euler.order, motion.euler.angles[here])
        alone = replace(
            motion, q=motion.q[here], times_s=motion.times_s[here], jumps=motion.jumps[i:i + 1],
            euler=euler,
        )  # fmt: skip
        found = certify_interpolations(table, [alone])
        out[i] = found.penetration_upper_bound_m <= SLACK_M and not found.deep_overlaps
    return out


def _nearest_of_few(postures: Floats, goals: Floats, rng: np.random.Generator) -> Any:
    """For each goal, the nearest of 20 random other postures: a distance typical of animation."""
    few = rng.integers(0, len(postures), (len(goals), 20))
    apart = np.linalg.norm(postures[few][:, :, 7:] - goals[:, None, 7:], axis=2)
    apart[apart < 1e-9] = np.inf
    return few[np.arange(len(goals)), apart.argmin(axis=1)]


def penetrations(figure: Figure, table: CollisionTable, q: Floats) -> Floats:
    """(N,) the deepest penetration of each posture, by the kernels of the certificate."""
    near = NearPairs(table)
    posed = forward(figure.skeleton, q)
    out = np.zeros(len(q))
    for i, (positions, rotations) in enumerate(zip(posed.positions, posed.rotations, strict=True)):
        near.find(positions, rotations, 0.0)
        out[i] = max(0.0, -float(near.clearance.min(initial=0.0)))
    return out


def run(progress: Progress) -> dict[str, Any]:
    """Postures and solves per second on the JAX device, and postures by Numba on this CPU."""
    try:
        from writhe.accelerator.measure_postures import measure
    except ImportError:
        raise MissingExtraError("writhe bench gpu", "jax") from None
    progress(None, "the problem from built-in postures")
    arrays = problem_arrays()
    progress(None, "batches")
    human = figure("human")
    table = CollisionTable.of_figure(human)
    begun = time.perf_counter()
    penetrations(human, table, arrays["q"])
    linking_vector(human, arrays["q"])
    numba = len(arrays["q"]) / (time.perf_counter() - begun)
    return measure(arrays) | {"numba_postures_per_s": numba}
