"""Calls with random, non-finite, huge and degenerate arguments.

A call may return or raise a `WritheError`; any other exception is a failure. Certifying numbers
that are not finite is a false certificate (`Nonsense`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from writhe.collision import (
    CollisionTable,
    ContactPolicy,
    EulerChannels,
    Gate,
    Shape,
    ball,
    box,
    capsule,
    certify,
    cylinder,
    half_space,
    hull,
    split_mesh,
)
from writhe.io import save
from writhe.research.fuzzing.entry_points.figures import figure_table
from writhe.scene import Actor, KeyMotion, ObjectKind, Scene, SceneObject
from writhe.skeleton import Joint, JointKind, Motion, Skeleton, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.solvers.posing import Controls, Pin, Poser, Target, make_poser

Rng = np.random.Generator
_STRANGE = (np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1e300, -1e300, 1e-300, 1e9, 1e5, 5e-324, 1.0)


class Nonsense(Exception):
    """A result was returned for meaningless numbers."""


def number(rng: Rng) -> float:
    """A number, often an extreme or non-finite one."""
    return float(rng.choice(_STRANGE)) if rng.random() < 0.4 else float(rng.normal())


def numbers(rng: Rng, *shape: int) -> np.ndarray:
    """An array, sometimes with extreme numbers, sometimes of a wrong shape."""
    out = rng.normal(0, 0.3, shape)
    if rng.random() < 0.6:
        out[rng.random(shape) < 0.2] = number(rng)
    if rng.random() < 0.1:
        out = out[..., :-1]
    if rng.random() < 0.05:
        out = out[:0]
    return out


def configuration(rng: Rng, skeleton: Skeleton) -> np.ndarray:
    """A configuration, mostly of the right size, often with extreme numbers."""
    q = integrate(skeleton, skeleton.rest_configuration, rng.normal(0, 0.2, skeleton.dof_count))
    if rng.random() < 0.6:
        q[rng.random(len(q)) < rng.choice([0.03, 0.3, 1.0])] = number(rng)
    return q[:-1] if rng.random() < 0.05 else q


def random_shape(rng: Rng) -> Shape:
    """Any constructor of a shape."""
    match int(rng.integers(6)):
        case 0:
            return capsule(numbers(rng, 3), numbers(rng, 3), number(rng))
        case 1:
            return ball(numbers(rng, 3), number(rng))
        case 2:
            return half_space(numbers(rng, 3), numbers(rng, 3))
        case 3:
            return box(numbers(rng, 3), np.abs(numbers(rng, 3)), number(rng))
        case 4:
            return cylinder(numbers(rng, 3), numbers(rng, 3), number(rng), number(rng))
        case _:
            return hull(numbers(rng, int(rng.integers(1, 9)), 3), number(rng))


def _certify(rng: Rng) -> None:
    table, _ = figure_table("hand")
    frames = int(rng.integers(0, 4))
    rows = [configuration(rng, table.skeleton) for _ in range(frames)]
    q = np.array(rows) if len({len(row) for row in rows}) <= 1 else rows[0]
    slack = 1e-3 if rng.random() < 0.7 else number(rng)
    answer = certify(table, q, number(rng), slack_m=slack)
    if answer.certified and not (np.isfinite(q).all() and np.isfinite(slack)):
        raise Nonsense("certified a motion that is not finite")


def _euler(rng: Rng) -> None:
    table, _ = figure_table("hand")
    tree, n = table.skeleton.tree, len(table.skeleton)
    q = np.repeat(table.skeleton.rest_configuration[None], 2, axis=0)
    order = np.array([rng.permutation(3) for _ in range(n)])
    turns = (tree.kind == JointKind.BALL) | (tree.kind == JointKind.FREE)
    order[~turns] = -1
    if rng.random() < 0.2:
        order[rng.random(order.shape) < 0.2] = int(rng.integers(-2, 4))
    angles = numbers(rng, 2, n, 3)
    channels = EulerChannels(order, angles)
    if len(angles) == len(q):
        turned = channels.quaternions()
        for j in np.flatnonzero(turns):
            at = tree.q_start[j] + (3 if tree.kind[j] == JointKind.FREE else 0)
            q[:, at : at + 4] = turned[:, j]
    answer = certify(table, q, 30.0, "euler", channels)
    if answer.certified and not np.isfinite(angles).all():
        raise Nonsense("certified angles that are not finite")


def _gate(rng: Rng) -> None:
    table, _ = figure_table("hand")
    limiter = Gate(table, 0.9e-3 if rng.random() < 0.7 else number(rng))
    a, b = (configuration(rng, table.skeleton) for _ in range(2))
    answer = limiter.check(a, b)
    finite = np.isfinite(a).all() and np.isfinite(b).all() and np.isfinite(limiter.slack_m)
    if answer.fraction > 0 and not finite:
        raise Nonsense("let a step that is not finite pass")
    if not np.isfinite(limiter.limit(a, b)).all() and np.isfinite(a).all():
        raise Nonsense("the gate returned a pose that is not finite")


def _shape(rng: Rng) -> None:
    shape = random_shape(rng)
    if not (np.isfinite(shape.points_in_joint).all() and np.isfinite(shape.radius_m)):
        raise Nonsense("accepted a shape that is not finite")


def _table(rng: Rng) -> None:
    joints = [
        Joint(
            f"j{i}",
            None if i == 0 else f"j{rng.integers(i)}",
            JointKind(int(rng.integers(5))),
            numbers(rng, 3),
            numbers(rng, 4),
            numbers(rng, 3),
        )
        for i in range(int(rng.integers(1, 4)))
    ]
    skeleton = Skeleton(joints)
    policy = ContactPolicy({("j0", "j1"): number(rng)}) if rng.random() < 0.3 else ContactPolicy()
    shapes = [random_shape(rng).on(name, name) for name in skeleton.names]
    table = CollisionTable(skeleton, shapes, policy)
    rows = [configuration(rng, skeleton) for _ in range(2)]  # often of different lengths
    certify(table, rows, fps=30.0)


def _motion(rng: Rng) -> None:
    skeleton = figure("hand").skeleton
    rows = np.array([configuration(rng, skeleton)])
    motion = Motion(skeleton, rows, number(rng))
    motion.at(numbers(rng, 3))
    with tempfile.TemporaryDirectory() as folder:
        save(motion, Path(folder) / str(rng.choice(["m.bvh", "m.glb", "m.txt"])))


def _forward(rng: Rng) -> None:
    skeleton = figure("hand").skeleton
    forward(skeleton, configuration(rng, skeleton))


def _keys(rng: Rng) -> None:
    count = int(rng.integers(0, 4))
    keys = KeyMotion(numbers(rng, count), numbers(rng, count, 3), numbers(rng, count, 4))
    item = SceneObject("o", (random_shape(rng),), ObjectKind.ANIMATED, keys=keys)
    scene = Scene((Actor("p", figure("hand"), numbers(rng, 3), numbers(rng, 4)),), (item,))
    motion = scene.layout.motion({}, fps=number(rng))
    certify(scene.layout.table, motion.q[:5], motion.fps)


def _mesh(rng: Rng) -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    vertices = corners * rng.choice([1e-9, 0.3, 1e6])
    if rng.random() < 0.7:
        vertices[int(rng.integers(4)), int(rng.integers(3))] = number(rng)
    if rng.random() < 0.3:
        triangles = rng.integers(-1, 6, (int(rng.integers(0, 8)), 3))
    rounding = 0.002 if rng.random() < 0.5 else number(rng)
    split_mesh(vertices, triangles, max_pieces=int(rng.integers(0, 4)), rounding_m=rounding)


@cache
def _poser() -> Poser:
    return make_poser("default", figure("hand"), controls=Controls())


def _pose(rng: Rng) -> None:
    skeleton = figure("hand").skeleton
    names = skeleton.names

    def place() -> Any:
        return tuple(numbers(rng, 3))

    q = configuration(rng, skeleton) if rng.random() < 0.3 else skeleton.rest_configuration
    targets = [Target(str(rng.choice(names)), place(), softness=float(rng.random()))]
    pins = [Pin(str(rng.choice(names)), place(), place())] if rng.random() < 0.5 else []
    answer = _poser().step(q, targets, pins)
    if not np.isfinite(answer.q).all():
        raise Nonsense("the poser returned a pose that is not finite")


CALLS: dict[str, Callable[[Rng], None]] = {
    "certify": _certify,
    "certify euler": _euler,
    "Gate": _gate,
    "shapes": _shape,
    "CollisionTable": _table,
    "Motion, save": _motion,
    "forward": _forward,
    "Scene, KeyMotion": _keys,
    "split_mesh": _mesh,
    "poser": _pose,
}
