"""The feet of a clip, and when they are planted: while they are slow.

Retargeting has a stricter rule, also for height and drift (`retargeting/planted_feet.py`): it moves
feet onto the ground, whereas cleaning keeps them where they are.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.cleaning.planted_feet import PlantedFeet
from writhe.skeleton import Figure
from writhe.skeleton.limbs import FOOT_ROLES

SLOW_FOOT_M_S = 0.15  # a foot slower than this in the source is planted


class FeetOfSource:
    """The joints of the feet; from which frames to the next they are planted.

    positions (frames, joints, 3): those of the source, m.
    """

    def __init__(self, figure: Figure, positions: Floats, fps: float) -> None:
        skeleton = figure.skeleton
        feet = [skeleton.index(joint) for role, joint in figure.roles if role in FOOT_ROLES]
        self.joints: Ints = np.array(feet, dtype=np.int64)
        self._source = positions[:, self.joints]
        moved = np.linalg.norm(np.diff(self._source, axis=0), axis=2)
        self._planted: Bools = moved * fps < SLOW_FOOT_M_S

    def slides(self, positions: Floats, first: int) -> Floats:
        """(frames - 1,) how far a planted foot moves in a frame beyond the source, m.

        positions (frames, joints, 3): of successive frames, from the frame `first` on.
        """
        steps = max(len(positions) - 1, 0)
        if not len(self.joints):
            return np.zeros(steps)
        now, given = (
            np.linalg.norm(np.diff(p, axis=0), axis=2)
            for p in (positions[:, self.joints], self._source[first : first + len(positions)])
        )
        planted = self._planted[first : first + steps]
        return np.where(planted, np.maximum(now - given, 0.0), 0.0).max(axis=1)

    def glide(self, positions: Floats) -> float:
        """The farthest that a foot moves from where it was planted, beyond the source, m.

        positions (frames, joints, 3): of all frames of the source.
        """
        farthest = 0.0
        offset = positions[:, self.joints] - self._source
        for foot in range(len(self.joints)):
            begin = 0
            for t in range(1, len(offset)):
                if not self._planted[t - 1, foot]:
                    begin = t
                moved = np.linalg.norm(offset[t, foot] - offset[begin, foot])
                farthest = max(farthest, float(moved))
        return farthest

    def around(self, positions: Floats, start: int, first: int) -> PlantedFeet:
        """The feet of the frames from `start` on, of which a window begins at the frame `first`."""
        stop = start + len(positions)
        offset = positions[:, self.joints] - self._source[start:stop]
        return PlantedFeet(self.joints, self._planted[start : stop - 1], offset, first - start)
