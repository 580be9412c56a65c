"""A figure with some joints held fixed, so that solvers have fewer degrees of freedom."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.skeleton import quaternions
from writhe.skeleton.figure import Figure
from writhe.skeleton.joint import JointKind
from writhe.skeleton.skeleton import Skeleton


@dataclass(frozen=True)
class FrozenFigure:
    """A figure with some joints of another one fixed, and how the two configurations correspond."""

    figure: Figure
    entries: Ints  # index in the whole configuration of each entry of the reduced one
    whole: Floats  # (nq,) the configuration at which joints were fixed

    def reduced(self, q: Floats) -> Floats:
        """The configuration without the fixed joints."""
        return np.ascontiguousarray(q[..., self.entries])

    def complete(self, q: Floats) -> Floats:
        """The whole configuration (nq,) of a reduced one."""
        out = self.whole.copy()
        out[self.entries] = q
        return out


def frozen(figure: Figure, q: Floats, movable: Collection[str]) -> FrozenFigure:
    """The figure with all ball and hinge joints but the `movable` ones fixed as they are at q."""
    skeleton = figure.skeleton
    joints = list(skeleton.joints)
    entries: list[int] = []
    for j, joint in enumerate(joints):
        at = skeleton.q_slice(joint.name)
        if joint.name in movable or joint.kind not in (JointKind.BALL, JointKind.HINGE):
            entries += range(at.start, at.stop)
            continue
        turn = (
            q[at]
            if joint.kind is JointKind.BALL
            else quaternions.from_axis_angle(np.asarray(joint.axis), np.asarray(q[at.start]))
        )
        rest = quaternions.multiply(np.asarray(joint.rest), turn)
        joints[j] = replace(joint, kind=JointKind.FIXED, rest=rest, limits=None)
    fixed = replace(figure, skeleton=Skeleton(joints, skeleton.tips), skin=None)
    return FrozenFigure(fixed, np.array(entries, dtype=np.int64), np.array(q, dtype=np.float64))
