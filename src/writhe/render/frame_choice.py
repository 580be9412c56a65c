"""Which frames of a motion a film strip shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Skeleton, forward

_SHARE_OF_TIME = 0.15  # the rest is by distance travelled: a pause is shown, but briefly


def frames_by_time(length: int, count: int) -> list[int]:
    """At most `count` evenly spaced frames of `length`, the first and the last among them."""
    return np.unique(np.linspace(0, length - 1, max(count, 1)).round().astype(int)).tolist()


def frames_by_motion(skeleton: Skeleton, motions: Sequence[Floats], count: int) -> list[int]:
    """At most `count` frames between which joints move equally far, the first and last among them.

    `motions`, each (frames, nq), have the same length; distances are means over their joints. So a
    strip shows what happens instead of the pause that follows.
    """
    length = len(motions[0])
    if length <= count:
        return list(range(length))
    travelled = np.zeros(length)
    for q in motions:
        steps = np.diff(forward(skeleton, q).positions, axis=0)
        travelled[1:] += np.cumsum(np.linalg.norm(steps, axis=2).mean(axis=1))
    if travelled[-1] < 1e-6:
        return frames_by_time(length, count)
    progress = (1.0 - _SHARE_OF_TIME) * travelled / travelled[-1]
    progress += _SHARE_OF_TIME * np.linspace(0.0, 1.0, length)
    wanted = np.linspace(0.0, 1.0, max(count, 1))
    chosen = sorted({int(np.abs(progress - share).argmin()) for share in wanted})
    while len(chosen) < count:  # a leap takes several shares: show more before and after it
        widest = int(np.argmax(np.diff(chosen)))
        chosen.insert(widest + 1, (chosen[widest] + chosen[widest + 1]) // 2)
    return chosen
