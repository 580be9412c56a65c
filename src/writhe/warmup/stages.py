"""The stages of compiling: each calls kernels on tiny inputs, which compiles them."""

from __future__ import annotations


def kinematics() -> None:
    """Forward kinematics, Jacobians, interpolation."""
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


def skins() -> None:
    """Generating and deforming the figures' skins; fitting capsules to the skin of a character."""
    import numpy as np

    from writhe.skeleton import forward
    from writhe.skeleton.figures import figure, figure_names
    from writhe.skeleton.shape_fitting.fit_points import Tightness, fit_points

    for name in figure_names():
        body = figure(name)
        frames = forward(body.skeleton, body.skeleton.rest_configuration)
        if body.skin is not None:
            body.skin.deform(body.skeleton, frames.positions, frames.rotations)
    points = np.random.default_rng(0).normal(size=(20, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    fit_points(points, points, np.ones(20), np.zeros(20, dtype=bool), points[:0], 1, Tightness())


def linking() -> None:
    """Linking values and their derivatives."""
    import numpy as np

    from writhe import topology
    from writhe.skeleton.figures import figure

    human = figure("human")
    q = human.skeleton.rest_configuration
    topology.linking_vector(human, q)
    topology.linking_jacobian(human, q)
    topology.linking_vector(human, q[None])
    topology.linking_jacobian(human, q[None])
    topology.writhe_matrix_gradients(np.eye(3), 2 * np.eye(3))
    topology.writhe_matrix(np.eye(3), 2 * np.eye(3))
    topology.linking(np.eye(3), 2 * np.eye(3))
    topology.linking_gradient(np.eye(3), 2 * np.eye(3))


def motion_files() -> None:
    """Reading and writing BVH."""
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


def collision() -> None:
    """Distances, the gate and the certificate."""
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


def posing() -> None:
    """The posing methods."""
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


def cleaning() -> None:
    """Cleaning of clips."""
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


def tangling() -> None:
    """Steps in topology space."""
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


def planning() -> None:
    """Planning and timing."""
    from writhe.planning import EnergyPlanner, Timing, figure_problem, plan, to_motion
    from writhe.skeleton.figures import figure

    human = figure("human")
    start = human.skeleton.rest_configuration
    goal = start.copy()
    for side in ("left", "right"):
        goal[human.skeleton.q_slice(f"{side}_elbow")] = 1.0
    found = plan(human, start, goal, planted=("left_ankle",))
    to_motion(found, Timing(fps=30.0, duration_s=0.2))
    EnergyPlanner().warm_up(figure_problem(human, start, goal))


def animation() -> None:
    """Frames between keys."""
    from writhe.animation import AnimateOptions, Key, animate
    from writhe.skeleton.figures import figure

    human = figure("human")
    q = human.skeleton.rest_configuration
    keys = [Key(0.0, q), Key(0.1, q)]
    animate(human, keys, fps=30.0, pins=["left_ankle"], options=AnimateOptions(plan=False))


def trajectories() -> None:
    """Styles and whole trajectories."""
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
