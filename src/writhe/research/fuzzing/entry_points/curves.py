"""Entry point `certify_curves`: joints that follow Bezier curves, as in an animation program."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import BezierCurve, CollisionTable, JointCurves, capsule, certify_curves
from writhe.research.evaluation.export_mechanism import export_mechanism
from writhe.research.evaluation.independent.bezier_motion import BezierMotion, ChannelCurves, Curve
from writhe.research.evaluation.independent.rotations import of_vector
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.mechanisms import random_bone, random_skeleton
from writhe.skeleton import JointKind

_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def bezier_curves(rng: np.random.Generator) -> Case:
    """Euler angles, quaternions, hinges and locations, with random handles."""
    skeleton = random_skeleton(rng, int(rng.integers(3, 7)))
    table = CollisionTable(
        skeleton,
        [
            capsule(*random_bone(rng), float(rng.uniform(0.005, 0.08))).on(name, name)
            for name in skeleton.names
        ],
    )
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.03, 0.3, int(rng.integers(1, 4))))])
    size = float(rng.choice([0.02, 0.1, 0.5]))
    asked: dict[str, JointCurves] = {}
    known: list[ChannelCurves] = []
    for j, joint in enumerate(skeleton.joints):
        if joint.kind not in (JointKind.FREE, JointKind.BALL, JointKind.HINGE):
            continue
        places = _curves(rng, times, np.cumsum(rng.normal(0, size / 2, (len(times), 3)), axis=0))
        location = places if joint.kind == JointKind.FREE else ()
        turns = np.cumsum(rng.normal(0, size, (len(times), 3)), axis=0)
        order = str(rng.choice(_ORDERS))
        if joint.kind == JointKind.HINGE:
            rotation, axes = _curves(rng, times, turns[:, :1]), tuple(map(float, joint.axis))
        elif rng.random() < 0.5:
            rotation, axes = _curves(rng, times, of_vector(turns)), None
        else:
            rotation = _curves(rng, times, turns)
            axes = tuple("XYZ".index(letter) for letter in order)
        asked[joint.name] = JointCurves(
            tuple(map(_given, rotation)), order, tuple(map(_given, location))
        )
        is_hinge = joint.kind == JointKind.HINGE
        known.append(ChannelCurves(j, rotation, axes, is_hinge, location))
    motion = BezierMotion(len(skeleton), tuple(known))
    answer = certify_curves(table, asked)
    return Case.of("curves", export_mechanism(table), (motion,), answer)


def _given(curve: Curve) -> BezierCurve:
    return BezierCurve(curve.times, curve.values, curve.left, curve.right)


def _curves(rng: np.random.Generator, times: Floats, values: Floats) -> tuple[Curve, ...]:
    """A curve for each column of values (k, c): straight, smooth or with random handles."""
    out: list[Curve] = []
    for column in values.T:
        keys = np.stack([times, column], axis=1)
        if rng.random() < 0.2:
            linear = BezierCurve.linear(times, column)
            out.append(Curve(times, np.array(column), linear.left, linear.right))
            continue
        steep = float(rng.choice([0.0, 1.0, 5.0]))
        back = np.stack([rng.uniform(0, 0.3, len(times)), rng.normal(0, steep, len(times)) / 10], 1)
        on = np.stack([rng.uniform(0, 0.3, len(times)), rng.normal(0, steep, len(times)) / 10], 1)
        out.append(Curve(times, np.array(column), keys - back, keys + on))
    return tuple(out)
