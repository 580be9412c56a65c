"""Ways round: from one side of a limb to the other when a source motion passes through it.

A tracker that may not pass through stays behind where its source does. Then the limbs concerned are
led away from the body, towards the rest posture, and back to the source on the other side, while
everything else goes on as it is; every step of it must be certified.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.collision import Gate
from writhe.skeleton import Figure
from writhe.skeleton.kinematics import difference, integrate, interpolate

_LIMBS = (
    ("right_arm", ("right_clavicle",)),
    ("left_arm", ("left_clavicle",)),
    ("both arms", ("left_clavicle", "right_clavicle")),
    ("right leg", ("right_hip",)),
    ("left leg", ("left_hip",)),
)
_OPENINGS = (0.35, 0.7, 1.0)  # how far a limb is led towards the rest posture


class Detours:
    """Finds certified ways round for the limbs of a figure."""

    def __init__(self, figure: Figure, gate: Gate) -> None:
        self.figure = figure
        self._gate = gate
        self._rest = figure.skeleton.rest_configuration
        roles = dict(figure.roles)
        self._limbs = [
            np.concatenate([self._numbers(roles[role]) for role in needed])
            for _, needed in _LIMBS
            if all(role in roles for role in needed)
        ]

    def find(self, start: Floats, wanted: Floats) -> Floats | None:
        """A certified way (frames, nq) from `start` to the last of `wanted` (frames, nq).

        Its first row is `start`, in the place of the first posture; None if there is no way.
        """
        for limb in self._limbs:
            for opening in _OPENINGS:
                rows: list[Floats] = []
                for row in self._way(start, wanted, limb, opening):
                    if rows and self._gate.fraction(rows[-1], row) < 1.0:
                        break
                    rows.append(row)
                if len(rows) == len(wanted):
                    return np.array(rows)
        return None

    def _way(self, start: Floats, wanted: Floats, limb: Ints, opening: float) -> Iterator[Floats]:
        """The wanted postures, but the limb takes the way over an opened one."""
        skeleton, last = self.figure.skeleton, len(wanted) - 1
        away = interpolate(skeleton, wanted[last // 2], self._rest, opening)
        behind = difference(skeleton, wanted[0], start)
        for i in range(last + 1):
            t = i / last
            # what the start differs by fades in the first half, for all that is not the limb
            fade = max(0.0, 1.0 - 2.0 * t) ** 2
            row = integrate(skeleton, wanted[i], fade * behind)
            if t < 0.5:
                led = interpolate(skeleton, start, away, _eased(2.0 * t))
            else:
                led = interpolate(skeleton, away, wanted[last], _eased(2.0 * t - 1.0))
            row[limb] = led[limb]
            yield row

    def _numbers(self, joint: str) -> Ints:
        """Where the joint and all that hangs on it stand in a configuration."""
        skeleton = self.figure.skeleton
        first = skeleton.index(joint)
        last = int(skeleton.tree.subtree_end[first]) - 1
        return np.arange(skeleton.q_slice(joint).start, skeleton.q_slice(skeleton.names[last]).stop)


def _eased(t: float) -> float:
    """From 0 to 1 without a jerk at either end."""
    return t * t * (3.0 - 2.0 * t)
