"""The length unit of a file that does not state it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats

CMU_METRES_PER_UNIT = 0.0254 / 0.45  # unit of the AMC files, kept by BVH conversions
CMU_SIGNATURE = {"LHipJoint", "RHipJoint", "LowerBack", "Neck1", "LeftUpLeg", "LThumb"}

# The longest path through an adult's bones, hand tip to toe tip.
ADULT_SPAN_M = 2.35
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


def guess_unit(names: Sequence[str], span_in_units: float) -> tuple[float, str]:
    """Metres per unit, and how that was decided.

    The CMU database is recognised by its joint names. Otherwise skeletons spanning less than 10
    units are taken as metres (people, hands, small robots), and larger ones as the unit in which
    the longest path through the bones is nearest to an adult's.
    """
    if is_cmu(names) and 0.8 < span_in_units * CMU_METRES_PER_UNIT < 5.0:
        return CMU_METRES_PER_UNIT, "recognised: joint names and size of the CMU database"
    if not math.isfinite(span_in_units) or span_in_units < 10.0:
        return 1.0, f"guessed metres: the bones span {span_in_units:.3g} units"
    metres, name = min(
        _CANDIDATES, key=lambda c: abs(math.log(span_in_units * c[0] / ADULT_SPAN_M))
    )
    return metres, f"guessed {name}: the bones span {span_in_units:.3g} units"
