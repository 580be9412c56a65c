"""Masses of a body from the volume of its collision capsules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from writhe.skeleton.figure import Capsule
from writhe.skeleton.shape_fitting.fit_points import depths
from writhe.skeleton.skeleton import Skeleton

DENSITY_KG_M3 = 985.0  # of the human body
_PER_SIDE = 12  # grid points along the longest side of a joint's capsules


def with_masses(skeleton: Skeleton, capsules: Sequence[Capsule]) -> Skeleton:
    """The skeleton with mass, centre of mass and inertia of each joint's capsules.

    Volumes are counted on a grid, so that capsules of one joint that overlap count once. Joints
    that have a mass keep theirs.
    """
    rows: dict[str, list[Capsule]] = {}
    for capsule in capsules:
        rows.setdefault(capsule.joint, []).append(capsule)
    joints = list(skeleton.joints)
    if any(joint.mass_kg > 0.0 for joint in joints):
        return skeleton
    for i, joint in enumerate(joints):
        if joint.name not in rows:
            continue
        table = np.array(
            [[*c.start_in_joint, *c.end_in_joint, c.radius_m] for c in rows[joint.name]]
        )
        ends = np.concatenate([table[:, :3], table[:, 3:6]])
        radii = np.tile(table[:, 6], 2)[:, None]
        low, high = (ends - radii).min(axis=0), (ends + radii).max(axis=0)
        cell = float((high - low).max()) / _PER_SIDE
        axes = [np.arange(a + 0.5 * cell, b, cell) for a, b in zip(low, high, strict=True)]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        inside = grid[depths(grid, table) > 0.0]
        if len(inside) == 0:
            continue
        mass = DENSITY_KG_M3 * cell**3 * len(inside)
        centre = inside.mean(axis=0)
        spread = ((inside - centre) ** 2).mean(axis=0) + cell**2 / 12.0
        inertia = mass * (spread.sum() - spread)
        joints[i] = replace(joint, mass_kg=mass, centre_of_mass=centre, inertia=inertia)
    return Skeleton(joints, skeleton.tips)
