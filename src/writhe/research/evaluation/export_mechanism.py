"""writhe's tables and motions as the plain data that the independent check reads."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable
from writhe.collision.contact_policy import LEFT_OUT_M
from writhe.collision.shapes import Core
from writhe.research.evaluation.independent import ConfigurationMotion, Mechanism, RigidShape
from writhe.research.evaluation.independent.mechanism import HALF_SPACE, HULL, SEGMENT
from writhe.research.evaluation.independent.motions import BALL, FIXED, FREE, HINGE, SLIDE
from writhe.skeleton import JointKind, Skeleton

_KINDS = {
    JointKind.FREE: FREE,
    JointKind.BALL: BALL,
    JointKind.HINGE: HINGE,
    JointKind.PRISMATIC: SLIDE,
    JointKind.FIXED: FIXED,
}
_CORES = {Core.SEGMENT: SEGMENT, Core.CONVEX: HULL, Core.HALF_SPACE: HALF_SPACE}


def export_mechanism(table: CollisionTable) -> Mechanism:
    """The joints, shapes and tested shape pairs of a table; pairs in the order of the table.

    Pairs that are not tested (joint zones) are left out.
    """
    skeleton = table.skeleton
    tested = table.pairs.allowance < 0.5 * LEFT_OUT_M
    return Mechanism(
        names=skeleton.names,
        parent=tuple(-1 if j.parent is None else skeleton.index(j.parent) for j in skeleton.joints),
        offset=np.array([j.offset_in_parent for j in skeleton.joints], float).reshape(-1, 3),
        rest=np.array([j.rest for j in skeleton.joints], float).reshape(-1, 4),
        solids=tuple(
            RigidShape(
                skeleton.index(shape.joint),
                _CORES[shape.core],
                np.array(shape.points_in_joint),
                float(shape.radius_m),
                shape.part,
            )
            for shape in table.source
        ),
        pairs=table.shape_pairs[tested, 1:].copy(),
        allowance=table.pairs.allowance[tested].copy(),
    )


def export_motion(skeleton: Skeleton, q: Floats) -> ConfigurationMotion:
    """Configurations q (frames, nq) with shortest arcs between them."""
    kinds = tuple(_KINDS[joint.kind] for joint in skeleton.joints)
    axes = np.array([joint.axis for joint in skeleton.joints], float).reshape(-1, 3)
    return ConfigurationMotion(kinds, axes, np.atleast_2d(np.array(q, dtype=float)))
