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


def _linking() -> None:
    import numpy as np

    from writhe import topology
    from writhe.skeleton.figures import figure

    human = figure("human")
    q = human.skeleton.rest_configuration
    topology.linking_vector(human, q)
    topology.linking_jacobian(human, q)
    topology.linking_vector(human, q[None])
    topology.linking_jacobian(human, q[None])
    topology.writhe_matrix_slopes(np.eye(3), 2 * np.eye(3))
    topology.writhe_matrix(np.eye(3), 2 * np.eye(3))
    topology.linking(np.eye(3), 2 * np.eye(3))
    topology.linking_gradient(np.eye(3), 2 * np.eye(3))


def _motion_files() -> None:
    import tempfile
    from pathlib import Path

    from writhe.io import load, save
    from writhe.skeleton import Motion
    from writhe.skeleton.figures import figure

    skeleton = figure("human").skeleton
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rest.bvh"
        save(Motion(skeleton, skeleton.rest_configuration[None]), path)
        load(path)


STAGES: dict[str, Callable[[], None]] = {
    "kinematics": _kinematics,
    "linking": _linking,
    "motion files": _motion_files,
}


def warm_up(progress: Progress | None = None) -> float:
    """Compile everything that is not yet on disk; returns the seconds it took."""
    start = time.perf_counter()
    for done, (name, stage) in enumerate(STAGES.items()):
        if progress:
            progress(done, len(STAGES), name)
        stage()
    return time.perf_counter() - start
