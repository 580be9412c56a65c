"""Entry point `certify`: random mechanisms of every joint kind and shape."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import (
    CollisionTable,
    ContactPolicy,
    Shape,
    ball,
    box,
    capsule,
    certify,
    cylinder,
    half_space,
    hull,
)
from writhe.research.evaluation.export_mechanism import export_mechanism, export_motion
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.poses import random_motion, shortened
from writhe.skeleton import Joint, JointKind, Skeleton

_KINDS = (JointKind.BALL, JointKind.HINGE, JointKind.PRISMATIC, JointKind.FREE, JointKind.FIXED)


def unit(rng: np.random.Generator, size: int = 3) -> Floats:
    """A random direction."""
    vector = rng.normal(size=size)
    return vector / np.linalg.norm(vector)


def random_skeleton(rng: np.random.Generator, count: int) -> Skeleton:
    """A random forest with joints of all kinds and turned rest frames."""
    joints: list[Joint] = []
    for j in range(count):
        parent = None if j == 0 or rng.random() < 0.15 else f"j{rng.integers(j)}"
        kind = JointKind.FREE if parent is None else _KINDS[int(rng.choice(5, p=_SHARES))]
        rest = unit(rng, 4) if rng.random() < 0.5 else np.array([1.0, 0.0, 0.0, 0.0])
        offset = unit(rng) * rng.uniform(0.05, 0.4)
        joints.append(Joint(f"j{j}", parent, kind, offset, rest, unit(rng)))
    return Skeleton(joints)


_SHARES = (0.5, 0.3, 0.08, 0.06, 0.06)


def library(rng: np.random.Generator) -> Case:
    """Capsules on a random mechanism, one to four frames."""
    skeleton = random_skeleton(rng, int(rng.integers(3, 9)))
    shapes = [
        capsule(*random_bone(rng), float(rng.uniform(0.005, 0.08))).on(name, name)
        for name in skeleton.names
    ]
    return _case(rng, "library", skeleton, shapes)


def solids(rng: np.random.Generator) -> Case:
    """Boxes, cylinders, hulls, balls and a floor on a random mechanism."""
    moving = random_skeleton(rng, int(rng.integers(2, 5)))
    skeleton = Skeleton([*moving.joints, Joint("floor", None, JointKind.FIXED)])
    shapes = [_solid(rng).on(name, name) for name in moving.names]
    floor = half_space([0.0, float(rng.uniform(-1.5, -0.3)), 0.0], [0.0, 1.0, 0.0])
    return _case(rng, "solids", skeleton, [*shapes, floor.on("floor", "floor")])


def random_bone(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The ends of a capsule near a joint, in its frame."""
    start = unit(rng) * rng.uniform(0.0, 0.1)
    return start, start + unit(rng) * rng.uniform(0.0, 0.4)


def _solid(rng: np.random.Generator) -> Shape:
    centre = unit(rng) * rng.uniform(0.0, 0.15)
    match int(rng.integers(5)):
        case 0:
            return box(centre, rng.uniform(0.02, 0.4, 3))
        case 1:
            away = unit(rng) * rng.uniform(0.05, 0.4)
            return cylinder(centre, centre + away, float(rng.uniform(0.02, 0.15)))
        case 2:
            corners = centre + rng.normal(0.0, 0.1, (int(rng.integers(4, 12)), 3))
            return hull(corners, float(rng.uniform(0.002, 0.05)))
        case 3:
            return ball(centre, float(rng.uniform(0.02, 0.15)))
        case _:
            return capsule(*random_bone(rng), float(rng.uniform(0.01, 0.08)))


def _case(
    rng: np.random.Generator, entry_point: str, skeleton: Skeleton, shapes: list[Shape]
) -> Case:
    policy = ContactPolicy(skip_joint_zones=bool(rng.random() < 0.7))
    table = CollisionTable(skeleton, shapes, policy)
    q = random_motion(skeleton, rng, int(rng.integers(1, 5)))
    if rng.random() < 0.5:
        q = shortened(table, q)
    motion = export_motion(skeleton, q)
    return Case.of(entry_point, export_mechanism(table), (motion,), certify(table, q, fps=30.0))
