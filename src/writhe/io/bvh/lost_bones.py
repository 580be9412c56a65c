"""Detects and restores the bones that a known conversion lost.

The ASF/AMC to BVH conversion of the CMU database drops the bone at every branching joint except
the root: the thorax (Spine1 to Neck, LeftShoulder, RightShoulder) and the wrists (Hand to
FingerBase, Thumb) have no length. Handstands then float and handshakes miss by 0.2 m. The thorax
becomes as long as the bone below it, the wrist half as long as the forearm bone of the file, which
is exact for the original ASF files compared and an estimate otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.io.length_units import is_cmu

# parent: (children without length, their length relative to the parent's own bone)
_LOST = {
    "Spine1": (("Neck", "LeftShoulder", "RightShoulder"), 1.0),
    "LeftHand": (("LeftFingerBase", "LThumb"), 0.5),
    "RightHand": (("RightFingerBase", "RThumb"), 0.5),
}


def lost_bones(
    names: Sequence[str], parent: Sequence[int], offset: Floats
) -> list[tuple[int, Floats]]:
    """(joint, restored offset) for each bone lost by the conversion; usually empty."""
    if not is_cmu(names):
        return []
    index = {name: j for j, name in enumerate(names)}
    found: list[tuple[int, Floats]] = []
    for trunk, (branches, share) in _LOST.items():
        if trunk not in index or not np.any(offset[index[trunk]]):
            continue
        children = {names[j] for j in range(len(names)) if parent[j] == index[trunk]}
        expected = [b for b in branches if b in children]
        # the conversion zeroes every branch; a single zero may be intended
        if len(expected) < 2 or any(np.any(offset[index[b]]) for b in expected):
            continue
        found += [(index[b], share * offset[index[trunk]]) for b in expected]
    return found
