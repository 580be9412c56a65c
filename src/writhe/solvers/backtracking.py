"""Certified paths back along the configurations of a drag that is stuck.

A drag can end in a local minimum, such as a spine at all its limits, from which no small step
brings the body nearer to its target, although the target can be met from where the drag began. The
path back is certified, since every step of the drag was. `shortened_path` skips the configurations
between which a straight motion is certified too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.collision import Gate
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import Skeleton, forward

_MAX_CHECKS = 100  # of the gate, for one path
_MAX_FRAMES = 120  # of a path
_FRAME_M = 0.12  # farthest that a joint moves in a frame


def shortened_path(gate: Gate, skeleton: Skeleton, nodes: Sequence[Floats]) -> list[Floats]:
    """Frames along straight certified motions between some of the nodes (each (nq,)).

    The first node is left out and the last is the last frame; empty if no such path is found with
    a reasonable number of checks and frames.
    """
    frames: list[Floats] = []
    at, last, checks = 0, len(nodes) - 1, 0
    while at < last:
        ahead = last - at
        while gate.fraction(nodes[at], nodes[at + ahead]) < 1.0:
            checks += 1
            if ahead == 1 or checks > _MAX_CHECKS:
                return []
            ahead = max(1, 2 * ahead // 3)
        frames += _frames_between(skeleton, nodes[at], nodes[at + ahead])
        at += ahead
        if len(frames) > _MAX_FRAMES:
            return []
    return frames


def _frames_between(skeleton: Skeleton, start: Floats, end: Floats) -> list[Floats]:
    """The straight motion from start to end in steps of at most _FRAME_M; without the start."""
    apart = forward(skeleton, end).positions - forward(skeleton, start).positions
    count = max(1, int(np.ceil(np.linalg.norm(apart, axis=1).max() / _FRAME_M)))
    out: list[Floats] = []
    for i in range(1, count + 1):
        q = end.copy()
        kinematics.interpolate(skeleton.tree, start, end, i / count, q)
        out.append(q)
    return out
