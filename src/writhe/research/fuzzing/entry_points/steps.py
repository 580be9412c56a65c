"""Entry points of interactive and planned motion: the gate, drags of the default poser, plans.

The gate guarantees that a step that starts free of penetration stays so. A drag is checked as the
path of all its frames.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from writhe.arrays import Floats, vector3
from writhe.collision import Gate
from writhe.planning import plan as find_plan
from writhe.research.evaluation.export_mechanism import export_motion
from writhe.research.evaluation.independent import check
from writhe.research.fuzzing.case import CERTIFIED_M, Case
from writhe.research.fuzzing.entry_points.figures import figure_table
from writhe.research.fuzzing.entry_points.poses import random_pose
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.posing import Controls, Poser, Target, make_poser, pin_here

_HELD = ("left_wrist", "right_wrist", "left_ankle", "right_ankle", "head", "left_elbow", "hips")


def clear_posture(rng: np.random.Generator) -> Floats:
    """(nq,) a built-in posture that penetrates nowhere, by the independent check."""
    from writhe.postures.builtin import builtin_database

    _, mechanism = figure_table("human")
    skeleton, known = figure("human").skeleton, builtin_database("basic").q
    while True:
        q = known[int(rng.integers(len(known)))]
        if check(mechanism, export_motion(skeleton, q)).depth_m < 0.5 * CERTIFIED_M:
            return q.copy()


@cache
def _poser(controlled: bool) -> Poser:
    from writhe.postures.builtin import builtin_database

    controls = Controls.standing() if controlled else None
    return make_poser("default", figure("human"), builtin_database("basic"), controls=controls)


def gate(rng: np.random.Generator) -> Case:
    """Several successive random steps of a figure from a clear pose, each shortened by the gate."""
    name = str(rng.choice(["human", "hand"]))
    table, mechanism = figure_table(name)
    skeleton = table.skeleton
    q = clear_posture(rng) if name == "human" else random_pose(skeleton, rng, 0.02)
    rows, limiter = [q], Gate(table)
    for _ in range(int(rng.integers(1, 5))):
        size = float(rng.choice([0.05, 0.3, 1.0]))
        wanted = integrate(skeleton, rows[-1], rng.normal(0, size, skeleton.dof_count))
        rows.append(limiter.limit(rows[-1], wanted))
    motion = export_motion(skeleton, np.array(rows))
    starts_clear = check(mechanism, export_motion(skeleton, q)).depth_m < 0.5 * CERTIFIED_M
    return Case("gate", mechanism, (motion,), starts_clear, note=name)


def drag(rng: np.random.Generator) -> Case:
    """The default poser dragged to random places, in and out of the body."""
    table, mechanism = figure_table("human")
    skeleton = table.skeleton
    q = clear_posture(rng)
    poser = _poser(bool(rng.random() < 0.5))
    joints = list(rng.choice(_HELD, int(rng.integers(1, 3)), replace=False))
    pins = [pin_here(skeleton, q, j) for j in ANKLES if j not in joints and rng.random() < 0.7]
    rows = [q]
    for _ in range(int(rng.integers(2, 4))):
        here = forward(skeleton, rows[-1])
        goals = {j: here.position(j) + rng.normal(0, rng.choice([0.1, 0.5]), 3) for j in joints}
        if rng.random() < 0.4:  # into the body
            goals[joints[0]] = here.position(str(rng.choice(skeleton.names)))
        starts = {j: here.position(j) for j in joints}
        frames = int(rng.integers(2, 12))
        for k in range(1, frames + 1):
            targets = [
                Target(j, vector3(starts[j] + (goals[j] - starts[j]) * k / frames)) for j in joints
            ]
            rows.append(poser.step(rows[-1], targets, pins).q)
    motion = export_motion(skeleton, np.array(rows))
    return Case("drag", mechanism, (motion,), True, note=f"held {', '.join(joints)}")


def plan(rng: np.random.Generator) -> Case:
    """A plan between two clear postures."""
    table, mechanism = figure_table("human")
    start, goal = clear_posture(rng), clear_posture(rng)
    found = find_plan(figure("human"), start, goal, table=table)
    motion = export_motion(table.skeleton, found.path)
    return Case.of("plan", mechanism, (motion,), found.certificate, note=str(found.solved))
