"""Scapulo-humeral rhythm: the shoulder girdle rises with the raised arm, and rests otherwise.

Up to 30 degrees of elevation the arm moves alone; beyond, the clavicle follows with about a degree
for every four of the arm (Inman et al. 1944; Ludewig et al. 2009). Without it, targets are reached
by shrugging as soon as by bending the elbow.
"""

from __future__ import annotations

import math

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import Figure, JointKind, forward
from writhe.skeleton.limbs import SIDES

INERTIA = 3.0  # of the clavicles, relative to other joints
_GAIN = 5.0  # of the pull, per radian
_ALONE_RAD, _SHARE, _MAX_RAD = math.radians(30.0), 0.25, math.radians(32.0)


class ShoulderGirdle:
    """The clavicles of a figure with the elevation that the rhythm asks of them."""

    def __init__(self, figure: Figure) -> None:
        skeleton, roles = figure.skeleton, dict(figure.roles)
        rest = forward(skeleton, skeleton.rest_configuration)
        self._sides: list[tuple[int, int, int, int, int, Floats, Floats]] = []
        found: list[int] = []
        for side in SIDES:
            names = [roles.get(f"{side}_{part}", "") for part in ("clavicle", "shoulder", "elbow")]
            if "" in names or skeleton.joints[skeleton.index(names[0])].kind is not JointKind.BALL:
                continue
            clavicle, shoulder, elbow = (skeleton.index(name) for name in names)
            chest = int(skeleton.tree.parent[clavicle])
            up = rest.rotations[chest].T @ np.array([0.0, 1.0, 0.0])
            out = rest.positions[shoulder] - rest.positions[clavicle]
            axis = np.cross(out, (0.0, 1.0, 0.0))  # raises the girdle
            axis = rest.rotations[clavicle].T @ (axis / np.linalg.norm(axis))
            q_at, v_at = skeleton.q_slice(names[0]).start, skeleton.v_slice(names[0]).start
            self._sides.append((chest, shoulder, elbow, q_at, v_at, up, axis))
            found += range(v_at, v_at + 3)
        self._tree = skeleton.tree
        self._positions, self._rotations = rest.positions.copy(), rest.rotations.copy()
        self.dofs: Ints = np.array(found, dtype=np.int64)

    def pull(self, q: Floats, out: Floats) -> None:
        """Add to out (nv,) the pull on the clavicles at q (nq,)."""
        positions, rotations = self._positions, self._rotations
        kinematics.forward(self._tree, q, positions, rotations)
        for chest, shoulder, elbow, q_at, v_at, up, axis in self._sides:
            arm = positions[elbow] - positions[shoulder]
            down = -float(arm @ (rotations[chest] @ up)) / max(math.sqrt(float(arm @ arm)), 1e-9)
            raised = math.acos(min(max(down, -1.0), 1.0))
            wanted = min(max(_SHARE * (raised - _ALONE_RAD), 0.0), _MAX_RAD)
            w = float(q[q_at])
            turn = (2.0 if w >= 0.0 else -2.0) * q[q_at + 1 : q_at + 4]  # small rotation vector
            out[v_at : v_at + 3] += _GAIN * (wanted * axis - turn)
