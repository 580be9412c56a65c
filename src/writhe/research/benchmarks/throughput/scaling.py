"""`writhe bench scaling`: cost of a step by problem size.

Each curve is `{size: figure}`. `joints` drags the tip of a chain of ball joints wrapped in
capsules, without a database; `characters` drags one of several humans close together;
`postures` drags the human with databases of several sizes; `frames` is a certificate;
`threads` is a long trajectory in four passes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, certify
from writhe.database import PostureDatabase
from writhe.progress import Progress
from writhe.research.benchmarks.throughput.query import SIZES, measure_query_us
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.scene import Actor, Scene
from writhe.skeleton import Capsule, Figure, Joint, JointKind, Skeleton, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.solvers.posing import Poser, Target, make_poser

JOINTS = (20, 50, 100, 200, 300)
CHARACTERS = (1, 2, 4, 8)
POSTURES = (100, 500, 2_000)
FRAMES = (100, 1_000, 10_000)
STEPS = 40
TRAJECTORY_FRAMES = 10_000


def run(progress: Progress, *, quick: bool = False) -> dict[str, Any]:
    """All curves; `quick` omits the large sizes."""
    last = -2 if quick else None
    result: dict[str, Any] = {}
    progress(None, "joints")
    chains = {n: chain(n) for n in JOINTS[:last]}
    result["joints"] = {str(n): _chain_step_ms(body) for n, body in chains.items()}
    result["pairs"] = {
        str(n): len(CollisionTable.of_figure(body).shape_pairs) for n, body in chains.items()
    }
    progress(None, "characters")
    result["characters"] = {str(n): _crowd_step_ms(n) for n in CHARACTERS[:last]}
    progress(None, "postures")
    result["postures"] = {str(n): _library_step_ms(n) for n in POSTURES}
    result["query_us"] = {str(n): round(measure_query_us(n, 10), 1) for n in SIZES[:last]}
    progress(None, "frames")
    result["frames_s"] = {str(n): _certify_s(n) for n in FRAMES[:last]}
    progress(None, "threads")
    result["threads_s"] = _threads_s()
    return result


def chain(count: int) -> Figure:
    """A straight chain of ball joints, 10 cm apart, each with a capsule of 2 cm radius."""
    joints = [Joint("link_0", None, JointKind.FREE, np.zeros(3))]
    joints += [
        Joint(f"link_{k}", f"link_{k - 1}", JointKind.BALL, np.array([0.1, 0.0, 0.0]))
        for k in range(1, count)
    ]
    capsules = [
        Capsule(joint.name, np.array([0.02, 0.0, 0.0]), np.array([0.08, 0.0, 0.0]), 0.02)
        for joint in joints
    ]
    return Figure(f"chain of {count}", Skeleton(joints), tuple(capsules))


def _chain_step_ms(body: Figure) -> float:
    tip = body.skeleton.names[-1]
    q = body.skeleton.rest_configuration
    start = forward(body.skeleton, q).position(tip)
    return _drag_ms(make_poser("default", body), q, tip, start, np.array([-0.02, 0.015, 0.01]))


def _crowd_step_ms(count: int) -> float:
    human = figure("human")
    queue = (Actor(f"actor_{k}", human, np.array([0.0, 0.0, -0.6 * k])) for k in range(count))
    poser = make_poser("default", Scene(tuple(queue)), actor="actor_0")
    q = standing(human)
    start = forward(human.skeleton, q).position("left_wrist")
    return _drag_ms(poser, q, "left_wrist", start, np.array([-0.01, 0.01, 0.01]))


def _library_step_ms(count: int) -> float:
    from writhe.postures.builtin import builtin_database

    human, whole = figure("human"), builtin_database("basic")
    some = np.linspace(0, len(whole) - 1, count).astype(np.int64)
    database: PostureDatabase = whole.take(some)
    q = standing(human)
    start = forward(human.skeleton, q).position("left_wrist")
    step = np.array([-0.01, 0.01, 0.01])
    return _drag_ms(make_poser("default", human, database), q, "left_wrist", start, step)


def _drag_ms(poser: Poser, q: Floats, joint: str, start: Floats, step: Floats) -> float:
    """Median milliseconds of a step of a straight drag, without the first, which compiles."""
    times: list[float] = []
    for k in range(STEPS):
        x, y, z = start + k * step
        result = poser.step(q, [Target(joint, (float(x), float(y), float(z)))])
        q = result.q
        times.append(result.milliseconds)
    return round(float(np.median(times[1:])), 4)


def _certify_s(count: int) -> float:
    human, rng = figure("human"), np.random.default_rng(0)
    skeleton, base = human.skeleton, standing(human)
    walk = 0.05 * np.sin(
        np.linspace(0, 40, count)[:, None] * rng.uniform(0.5, 2.0, skeleton.dof_count)
    )
    q = np.array([integrate(skeleton, base, v) for v in walk])
    table = CollisionTable.of_figure(human)
    return round(_best(lambda: certify(table, q, 60.0)), 4)


def _threads_s() -> dict[str, float]:
    from numba import config

    from writhe.solvers.trajectory import Chain, solve_trajectory
    from writhe.styles.learn_styles import learn_builtin

    arm = Chain.named(figure("human"), "right_arm")
    style = learn_builtin(arm).blend()
    around = np.linspace(0.0, 60.0 * np.pi, TRAJECTORY_FRAMES)
    drawn = np.stack([0.15 * np.cos(around), 0.2 * np.sin(0.7 * around), 0.1 * np.sin(around)], 1)
    rest = arm.effector_points(arm.coordinates(standing(arm.figure)[None]))[0]
    path = rest + np.array([0.0, 0.25, 0.25]) + drawn[:, None]
    maximum = int(getattr(config, "NUMBA_NUM_THREADS"))  # noqa: B009 - set at run time
    return {
        str(n): round(_best(lambda n=n: solve_trajectory(arm, style, path, 120.0, threads=n)), 5)
        for n in sorted({1, 2, maximum // 2, maximum} - {0})
        if n <= maximum
    }


def _best(call: Callable[[], object]) -> float:
    call()
    times: list[float] = []
    for _ in range(3):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)
