"""The skin that one joint carries, and the capsules that cover it or fill what is uncovered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.skeleton.figure import Capsule
from writhe.skeleton.shape_fitting.fit_points import Tightness, depths, fit_points
from writhe.skeleton.skeleton import Skeleton

_MAX_FILLING = 3  # capsules that are added to a joint at a time
_FEWEST = 5  # uncovered points for each capsule that is added
_TOLERANCE = 0.03  # of the tolerated distance outside
_DEEP = 2.0  # skin this many times deeper than tolerated is too deep in an added capsule
_DEEP_SHARE = 0.05  # of the joint's skin


@dataclass(frozen=True)
class JointSkin:
    """Points (p, 3) on the skin of a joint, in its frame; `fit_points` describes the arrays."""

    joint: int
    points: Floats
    normals: Floats
    area: Floats
    zone: Bools
    outside: Floats

    def fit(self, max_capsules: int, tightness: Tightness) -> Floats:
        """(k, 7) capsules that cover the skin."""
        surface = self.points, self.normals, self.area, self.zone
        return fit_points(*surface, self.outside, max_capsules, tightness)

    def fill(self, capsules: Floats, tightness: Tightness) -> Floats:
        """(k, 7) further capsules for skin outside joint zones that `capsules` leave uncovered."""
        before = depths(self.points, capsules)
        limit = (1.0 + _TOLERANCE) * tightness.outside_m
        bare = (before < -limit) & ~self.zone
        if bare.sum() < _FEWEST:
            return np.empty((0, 7))
        beyond = (self.points + tightness.guard_m * self.normals)[~bare]
        outside = np.concatenate([self.outside, beyond[: len(self.outside) + 1]])
        surface = self.points[bare], self.normals[bare], self.area[bare], self.zone[bare]
        most = min(_MAX_FILLING, int(bare.sum()) // _FEWEST)
        found = fit_points(*surface, outside, most, tightness)
        deepest = np.maximum(before, _DEEP * tightness.gap_98_m)
        whole = float(self.area.sum())
        fits = [
            float(self.area[depths(self.points, row[None]) > deepest].sum()) < _DEEP_SHARE * whole
            for row in found
        ]
        return found[np.array(fits, dtype=np.bool_)]


def rows_by_joint(skeleton: Skeleton, capsules: Sequence[Capsule]) -> dict[int, Floats]:
    """The capsules (k, 7) of each joint that has some."""
    rows: dict[int, list[Floats]] = {}
    for c in capsules:
        row = np.concatenate([c.start_in_joint, c.end_in_joint, [c.radius_m]])
        rows.setdefault(skeleton.index(c.joint), []).append(row)
    return {joint: np.array(found) for joint, found in rows.items()}
