"""Dense sampling as the reference for `certify`, on tables and configurations.

The check itself is `writhe.research.evaluation.independent`, which shares no code with the kernels.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from writhe.collision import CollisionTable
from writhe.research.evaluation.export_mechanism import export_mechanism, export_motion
from writhe.research.evaluation.independent import ChannelMotion, gaps_at
from writhe.research.evaluation.independent.distances import segment_distance
from writhe.skeleton import Skeleton

__all__ = ["clearance", "frames_between", "gaps_between", "segment_distance"]


def frames_between(
    skeleton: Skeleton, q0: np.ndarray, q1: np.ndarray, t: np.ndarray
) -> dict[str, tuple[np.ndarray, Rotation]]:
    """World position (t, 3) and rotation of every joint at the fractions t of the step."""
    mechanism = export_mechanism(CollisionTable(skeleton, []))
    positions, rotations = mechanism.place(*export_motion(skeleton, np.array([q0, q1])).at(t))
    return {
        name: (positions[:, j], Rotation.from_matrix(rotations[:, j]))
        for j, name in enumerate(skeleton.names)
    }


def gaps_between(
    table: CollisionTable, q0, q1, t: np.ndarray, euler=None, unwrap: bool = True
) -> np.ndarray:
    """Gaps (shape pairs, t) at fractions t of the step.

    euler: axis names per joint (outermost first, "" for none) and the angles at both ends; the
    joints must be balls. They go the shorter way round or, without `unwrap`, as they are stored.
    """
    motion = export_motion(table.skeleton, np.array([q0, q1]))
    if euler is not None:
        orders = tuple(tuple("xyz".index(axis) for axis in name) for name in euler[0])
        angles = np.array(euler[1:])
        motion = ChannelMotion(orders, angles, np.zeros_like(angles), as_stored=not unwrap)
    return gaps_at(export_mechanism(table), motion, t)


def clearance(table: CollisionTable, q: np.ndarray, samples: int = 400) -> float:
    """The smallest g + allowance over a densely sampled motion."""
    t = np.linspace(0, 1, samples)
    return min(
        float((gaps_between(table, a, b, t) + table.pairs.allowance[:, None]).min())
        for a, b in pairwise(q)
    )
