"""The length unit of a file that does not state it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.skeleton import Skeleton

CMU_METRES_PER_UNIT = 0.0254 / 0.45  # unit of the AMC files, kept by BVH conversions
CMU_SIGNATURE = {"LHipJoint", "RHipJoint", "LowerBack", "Neck1", "LeftUpLeg", "LThumb"}

# The longest path through an adult's bones, hand tip to toe tip.
ADULT_SPAN_M = 2.35
# A leg from hip to ankle and the trunk from the hips to the head joint, of an adult of 1.73 m.
ADULT_BODY_M = 1.45
STATURE_OF_BODY = 1.73 / 1.45
_CANDIDATES = (
    (1.0, "metres"),
    (CMU_METRES_PER_UNIT, "CMU units"),
    (0.0254, "inches"),
    (0.01, "centimetres"),
    (0.001, "millimetres"),
)


def longest_path(parent: Sequence[int], offset: Floats, end_sites: dict[int, float]) -> float:
    """The length of the longest path through a tree of bones (parents before children).

    Independent of the rest pose, which is folded in some files. `end_sites` maps a joint to the
    length of the longest end site bone beyond it.
    """
    n = len(parent)
    deepest = np.zeros(n)
    for j, length in end_sites.items():
        deepest[j] = length
    longest = float(deepest.max(initial=0.0))
    for j in range(n - 1, -1, -1):
        if parent[j] < 0:
            continue
        reach = float(deepest[j] + np.linalg.norm(offset[j]))
        longest = max(longest, float(deepest[parent[j]]) + reach)
        deepest[parent[j]] = max(float(deepest[parent[j]]), reach)
    return longest


def is_cmu(names: Sequence[str]) -> bool:
    """Whether the joints are those of the CMU database's BVH conversions."""
    return set(names) >= CMU_SIGNATURE


def body_length(skeleton: Skeleton) -> float | None:
    """Length of a person's leg and trunk up to the head, in the skeleton's unit; None if no person.

    It is the sum of bone lengths, so it does not depend on the rest pose; bones of containers and
    end markers are left out.
    """
    from writhe.recognition import recognise  # loads only for files that do not state their unit

    found = recognise(skeleton)
    if not found.is_person:
        return None

    def length(start: str, end: str) -> float:
        total, joint = 0.0, skeleton.joints[skeleton.index(end)]
        while joint.name != start and joint.parent is not None:
            total += float(np.linalg.norm(joint.offset_in_parent))
            joint = skeleton.joints[skeleton.index(joint.parent)]
        return total

    roles = found.roles
    top = next((roles[r] for r in ("head", "neck", "chest", "spine") if r in roles), roles["hips"])
    legs = [length(roles[f"{s}_hip"], roles[f"{s}_ankle"]) for s in ("left", "right")]
    return 0.5 * sum(legs) + length(roles["hips"], top)


def guess_unit(
    names: Sequence[str], span_in_units: float, body_in_units: float | None = None
) -> tuple[float, str]:
    """Metres per unit, and how that was decided.

    The CMU database is recognised by its joint names. A person (`body_in_units`, see
    `body_length`) gets the unit that makes it nearest to an adult. Otherwise a skeleton spanning
    less than 10 units is taken to be in metres (hands, small robots), and a larger one in the unit
    that brings the longest path through its bones nearest to an adult's.
    """
    if is_cmu(names) and 0.8 < span_in_units * CMU_METRES_PER_UNIT < 5.0:
        return CMU_METRES_PER_UNIT, "recognised: joint names and size of the CMU database"
    if body_in_units is not None and 0.0 < body_in_units < math.inf:
        metres, name = min(
            _CANDIDATES, key=lambda c: abs(math.log(body_in_units * c[0] / ADULT_BODY_M))
        )
        stature = body_in_units * metres * STATURE_OF_BODY
        return metres, f"guessed {name}: the person is then about {stature:.2f} m tall"
    if not math.isfinite(span_in_units) or span_in_units < 10.0:
        return 1.0, f"guessed metres: the bones span {span_in_units:.3g} units"
    metres, name = min(
        _CANDIDATES, key=lambda c: abs(math.log(span_in_units * c[0] / ADULT_SPAN_M))
    )
    return metres, f"guessed {name}: the bones span {span_in_units:.3g} units"
