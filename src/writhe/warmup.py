"""Compile every kernel once by calling it on tiny inputs."""

from __future__ import annotations

import time
from collections.abc import Callable

Progress = Callable[[int, int, str], None]


def _kinematics() -> None:
    from writhe.skeleton import Motion, forward, kinematics
    from writhe.skeleton.figures import figure

    skeleton = figure("human").skeleton
    q = skeleton.rest_configuration.copy()
    frames = forward(skeleton, q)
    kinematics.frame_jacobian(frames, skeleton.names[-1])
    kinematics.centre_of_mass_jacobian(frames)
    kinematics.interpolate(skeleton, q, q, 0.5)
    kinematics.momentum(frames, frames, 1.0)
    Motion(skeleton, q[None]).at([0.0])
    Motion(skeleton, q[None]).frames()


def _collision() -> None:
    from writhe.collision import CollisionTable, Gate, NearPairs, box, capsule, certify
    from writhe.skeleton import Joint, JointKind, Skeleton, forward

    skeleton = Skeleton([Joint(name, None, JointKind.FREE) for name in "ab"])
    shapes = [capsule([0, 0, 0], [1, 0, 0], 0.1).on("a", "a"), box([0] * 3, [1] * 3).on("b", "b")]
    table = CollisionTable(skeleton, shapes)
    q = skeleton.rest_configuration.copy()
    Gate(table).limit(q, q)
    certify(table, q[None])
    frames = forward(skeleton, q)
    NearPairs(table).find(frames.positions, frames.rotations, 0.1)


STAGES: dict[str, Callable[[], None]] = {"kinematics": _kinematics, "collision": _collision}


def warm_up(progress: Progress | None = None) -> float:
    """Compile everything that is not yet on disk; returns the seconds it took."""
    start = time.perf_counter()
    for done, (name, stage) in enumerate(STAGES.items()):
        if progress:
            progress(done, len(STAGES), name)
        stage()
    return time.perf_counter() - start
