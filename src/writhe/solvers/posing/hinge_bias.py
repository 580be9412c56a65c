"""Without data, hinges are drawn to a little bend: a straight limb has no way to fold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import JointKind, Skeleton
from writhe.solvers.posing.handles import Handle, Target

_BEND = 0.25  # of a hinge's range: where it is relaxed
_FADING = 0.8  # a frame in which targets rest


class Relaxing:
    """The pull to relaxed hinges; it fades while targets rest, so that no body at rest creeps."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._hinges: list[tuple[int, int, float]] = []  # in a step, in a configuration, angle
        for joint in skeleton.joints:
            if joint.kind is JointKind.HINGE and joint.limits is not None:
                low, high = float(joint.limits.lower[0]), float(joint.limits.upper[0])
                v_at, q_at = skeleton.v_slice(joint.name).start, skeleton.q_slice(joint.name).start
                self._hinges.append((v_at, q_at, low + _BEND * (high - low)))
        self._pull = np.zeros(skeleton.dof_count)
        self._strength = 1.0
        self._places_before: tuple[tuple[float, float, float], ...] = ()

    def pull(self, q: Floats, handles: Sequence[Handle]) -> Floats:
        """(nv,) from each hinge at q to where it is relaxed."""
        places = tuple(h.position_in_world for h in handles if isinstance(h, Target))
        self._strength = _FADING * self._strength if places == self._places_before else 1.0
        self._places_before = places
        for v_at, q_at, relaxed in self._hinges:
            self._pull[v_at] = self._strength * (relaxed - q[q_at])
        return self._pull
