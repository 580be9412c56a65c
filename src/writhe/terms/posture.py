"""Keep a body near a reference posture."""

from __future__ import annotations

from collections.abc import Mapping

from writhe.arrays import Floats, floats
from writhe.quantities import FreeJointPose, JointPosture
from writhe.quantities.quantity import vector
from writhe.skeleton import JointKind, Skeleton
from writhe.terms.term import Term


def stay_near(
    skeleton: Skeleton,
    q: Floats,
    *,
    weight: float = 0.05,
    weight_of: Mapping[str, float] | None = None,
    root: bool = True,
) -> list[Term]:
    """Keep every joint near its configuration in q; `weight_of` overrides weights by joint name.

    Without `root`, free joints get no term.
    """
    reference = floats(q, (skeleton.configuration_size,), "the reference posture")
    special = weight_of or {}
    for name in special:
        skeleton.index(name)
    terms: list[Term] = []
    for joint in skeleton.joints:
        numbers = vector(reference[skeleton.q_slice(joint.name)])
        own = special.get(joint.name, weight)
        if joint.kind is JointKind.FREE:
            if root:
                terms.append(
                    Term(
                        FreeJointPose(joint.name, numbers),
                        0.0,
                        0.0,
                        own,
                        label=f"near {joint.name}",
                    )
                )
        elif joint.kind is not JointKind.FIXED:
            terms.append(
                Term(JointPosture(joint.name, numbers), 0.0, 0.0, own, label=f"near {joint.name}")
            )
    return terms
