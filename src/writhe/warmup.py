"""Compile every kernel once by calling it on tiny inputs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from writhe.cache import cache_root
from writhe.kernels.jit import all_kernels_hash
from writhe.progress import Progress

Stage = Callable[[], None]

STAGES: dict[str, Stage] = {}


def _stage(name: str) -> Callable[[Stage], Stage]:
    """Register a function that compiles the kernels of one stage."""

    def register(function: Stage) -> Stage:
        STAGES[name] = function
        return function

    return register


@_stage("kinematics")
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
    Motion(skeleton, q[None], 30.0).at([0.0])
    Motion(skeleton, q[None], 30.0).frames()


@_stage("skins")
def _skins() -> None:
    from writhe.skeleton import forward
    from writhe.skeleton.figures import figure, figure_names

    for name in figure_names():
        body = figure(name)
        frames = forward(body.skeleton, body.skeleton.rest_configuration)
        if body.skin is not None:
            body.skin.deform(body.skeleton, frames.positions, frames.rotations)


@_stage("linking")
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


@_stage("motion files")
def _motion_files() -> None:
    import tempfile
    from pathlib import Path

    from writhe.io import load, save
    from writhe.skeleton import Motion
    from writhe.skeleton.figures import figure

    skeleton = figure("human").skeleton
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rest.bvh"
        save(Motion(skeleton, skeleton.rest_configuration[None], 30.0), path)
        load(path)


@_stage("collision")
def _collision() -> None:
    from writhe.collision import CollisionTable, Gate, NearPairs, box, capsule, certify
    from writhe.skeleton import Joint, JointKind, Skeleton, forward

    skeleton = Skeleton([Joint(name, None, JointKind.FREE) for name in "ab"])
    shapes = [capsule([0, 0, 0], [1, 0, 0], 0.1).on("a", "a"), box([0] * 3, [1] * 3).on("b", "b")]
    table = CollisionTable(skeleton, shapes)
    q = skeleton.rest_configuration.copy()
    Gate(table).limit(q, q)
    certify(table, q[None], fps=30.0)
    frames = forward(skeleton, q)
    NearPairs(table).find(frames.positions, frames.rotations, 0.1)


@_stage("posing")
def _posing() -> None:
    import numpy as np

    from writhe.database import PostureDatabase
    from writhe.skeleton.figures import figure
    from writhe.solvers.posing import Target, make_poser
    from writhe.solvers.posing.default_poser import DefaultPoser

    human = figure("human")
    q = human.skeleton.rest_configuration
    targets = [Target(f"{side}_wrist", (0.4, 1.2, 0.3)) for side in ("left", "right")]
    for method in ("half-space", "plain"):
        make_poser(method, human).step(q, targets)
    poser = DefaultPoser(human, PostureDatabase.from_postures(human, np.array([q, q, q])))
    poser.step(q, targets)
    poser.warm_up(q)


@_stage("cleaning")
def _cleaning() -> None:
    import numpy as np

    from writhe.cleaning.clean import clean
    from writhe.skeleton import Motion
    from writhe.skeleton.figures import figure
    from writhe.skeleton.kinematics import interpolate

    human = figure("human")
    start = human.skeleton.rest_configuration
    end = start.copy()  # a leg swung sideways through the other one
    end[human.skeleton.q_slice("left_hip")] = [np.cos(0.45), 0.0, 0.0, -np.sin(0.45)]
    rows = [interpolate(human.skeleton, start, end, float(t)) for t in np.linspace(0.0, 1.0, 24)]
    clean(human, Motion(human.skeleton, np.array(rows), 30.0))


@_stage("tangling")
def _tangling() -> None:
    import numpy as np

    from writhe.collision import CollisionTable
    from writhe.skeleton.figures import figure
    from writhe.solvers.tangling import Tangle, TangleStepper, Through
    from writhe.terms import joint_limits
    from writhe.topology import Strand

    human = figure("human")
    skeleton = human.skeleton
    left, right = (
        Strand.between(skeleton, f"{side}_shoulder", f"{side}_hand_tip")
        for side in ("left", "right")
    )
    ring = Strand.along(np.eye(3), joint="right_toe", name="ring", closed=True)
    goals = [Tangle(left, right, 0.5), Through(left, ring)]
    table = CollisionTable.of_figure(human)
    TangleStepper(table, goals, joint_limits(skeleton)).step(skeleton.rest_configuration)


@_stage("planning")
def _planning() -> None:
    from writhe.planning import DefaultPlanner, Timing, figure_problem, plan, to_motion
    from writhe.skeleton.figures import figure

    human = figure("human")
    start = human.skeleton.rest_configuration
    goal = start.copy()
    for side in ("left", "right"):
        goal[human.skeleton.q_slice(f"{side}_elbow")] = 1.0
    found = plan(human, start, goal, planted=("left_ankle",))
    to_motion(found, Timing(fps=30.0, duration_s=0.2))
    DefaultPlanner().compile(figure_problem(human, start, goal))


@_stage("trajectories")
def _trajectories() -> None:
    from writhe.skeleton.figures import figure
    from writhe.solvers.trajectory import (
        Chain,
        Forest,
        learn_style,
        plain_trajectory,
        solve_trajectory,
    )

    human = figure("human")
    chain = Chain.named(human, "right_arm")
    q = human.skeleton.rest_configuration[None]
    forest = Forest(chain, [learn_style(chain, "rest", [(q, 30.0)])])
    target = chain.effector_points(chain.coordinates(q))
    solve_trajectory(chain, forest.blend(), target, 30.0)
    plain_trajectory(chain, target, chain.coordinates(q)[0], from_previous=True)


def missing(stages: Iterable[str] | None = None) -> list[str]:
    """The stages (default: all) that are not compiled on this machine yet."""
    wanted = list(STAGES if stages is None else stages)
    return [name for name in wanted if not _marker(name).exists()]


def warm_up(progress: Progress | None = None, stages: Iterable[str] | None = None) -> float:
    """Compile the stages (default: all) and return the seconds taken."""
    start = time.perf_counter()
    wanted = list(STAGES if stages is None else stages)
    for done, name in enumerate(wanted):
        if progress:
            progress(done / len(wanted), name)
        STAGES[name]()
        marker = _marker(name)
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.touch()
    return time.perf_counter() - start


def _marker(stage: str) -> Path:
    return cache_root() / "warm" / all_kernels_hash() / f"{stage.replace(' ', '-')}.ready"
