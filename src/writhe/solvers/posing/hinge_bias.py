"""Without a database, hinges are biased to a slight bend, because a straight limb is singular."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import JointKind, Skeleton
from writhe.solvers.posing.handles import Handle, Target

_BEND = 0.25  # the relaxed angle, as a fraction of the hinge's range
_FADING = 0.8  # factor of the bias per frame in which no target moves


class HingeBias:
    """A bias towards relaxed hinge angles; it fades while targets rest, to prevent drift."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._hinges: list[tuple[int, int, float]] = []  # index in v, index in q, relaxed angle
        for joint in skeleton.joints:
            if joint.kind is JointKind.HINGE and joint.limits is not None:
                low, high = float(joint.limits.lower[0]), float(joint.limits.upper[0])
                v_at, q_at = skeleton.v_slice(joint.name).start, skeleton.q_slice(joint.name).start
                self._hinges.append((v_at, q_at, low + _BEND * (high - low)))
        self._pull = np.zeros(skeleton.dof_count)
        self._strength = 1.0
        self._goals_before: tuple[tuple[float, float, float], ...] = ()

    def pull(self, q: Floats, handles: Sequence[Handle]) -> Floats:
        """(nv,) the difference from each hinge's angle at q to its relaxed angle, faded."""
        goals = tuple(h.position_in_world for h in handles if isinstance(h, Target))
        self._strength = _FADING * self._strength if goals == self._goals_before else 1.0
        self._goals_before = goals
        for v_at, q_at, relaxed in self._hinges:
            self._pull[v_at] = self._strength * (relaxed - q[q_at])
        return self._pull
