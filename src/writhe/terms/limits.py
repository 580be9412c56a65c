"""Joint limits as terms: hinge and slide intervals, twist intervals, swing ellipses."""

from __future__ import annotations

from writhe.quantities import JointCoordinate, SwingExtent
from writhe.skeleton import JointKind, Skeleton
from writhe.terms.term import HARD, Term


def joint_limits(
    skeleton: Skeleton, *, weight: float = HARD, only_under: str | None = None
) -> list[Term]:
    """Terms for all joint limits of the skeleton, or for those in the subtree of `only_under`."""
    joints = skeleton.joints
    if only_under is not None:
        first = skeleton.index(only_under)
        joints = joints[first : int(skeleton.tree.subtree_end[first])]
    terms: list[Term] = []
    for joint in joints:
        if joint.limits is None:
            continue
        low, high = float(joint.limits.lower[0]), float(joint.limits.upper[0])
        terms.append(
            Term(JointCoordinate(joint.name), low, high, weight, label=f"limit {joint.name}")
        )
        if joint.kind is JointKind.BALL:
            terms.append(
                Term(SwingExtent(joint.name), 0.0, 1.0, weight, label=f"swing {joint.name}")
            )
    return terms
