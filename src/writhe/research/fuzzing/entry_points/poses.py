"""Random configurations, and motions that just touch."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, certify
from writhe.skeleton import Skeleton
from writhe.skeleton.kinematics import integrate, interpolate


def random_pose(skeleton: Skeleton, rng: np.random.Generator, spread: float) -> Floats:
    """(nq,) the rest pose after a random tangent step with this standard deviation."""
    step = rng.normal(0.0, spread, skeleton.dof_count)
    return integrate(skeleton, skeleton.rest_configuration, step)


def random_motion(skeleton: Skeleton, rng: np.random.Generator, frames: int) -> Floats:
    """(frames, nq): a random walk from a random pose, slow or fast."""
    rows = [random_pose(skeleton, rng, float(rng.choice([0.0, 0.1, 0.3, 0.8])))]
    step = float(rng.choice([1e-3, 0.05, 0.3, 1.0]))
    moving = rng.random(skeleton.dof_count) < rng.choice([0.2, 1.0])
    while len(rows) < frames:
        rows.append(
            integrate(skeleton, rows[-1], rng.normal(0.0, step, skeleton.dof_count) * moving)
        )
    return np.array(rows)


def shortened(table: CollisionTable, q: Floats, halvings: int = 7) -> Floats:
    """The motion with its last frame moved back until it is just certified.

    Unchanged if it is certified as given, or if its first frame is not.
    """
    if (
        len(q) < 2
        or certify(table, q, fps=30.0).certified
        or not certify(table, q[:-1], fps=30.0).certified
    ):
        return q
    low, high = 0.0, 1.0
    best = q[:-1]
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        last = interpolate(table.skeleton, q[-2], q[-1], middle)
        tried = np.vstack([q[:-1], last])
        if certify(table, tried, fps=30.0).certified:
            low, best = middle, tried
        else:
            high = middle
    return best
