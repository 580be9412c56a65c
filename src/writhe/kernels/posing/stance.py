"""The stance of a body: what is not dragged returns to the posture in which the drag began.

Trunk and legs give way while a hand is on its way, and would stay there: the steps of a drag only
penalise motion. This pull takes them back as soon as the arms reach their targets without them.
"""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import BALL, FREE
from writhe.kernels.skeleton.rotation import quaternion_difference

GAIN = 0.2  # fraction of the way in a frame
MAX_STEP = 0.15  # the most by which a coordinate moves in a frame (rad, m)


class Stance(NamedTuple):
    """The k joints that return, and the configuration that they return to."""

    kind: Ints  # (k,) of the joints
    q_start: Ints  # (k,)
    v_start: Ints  # (k,)
    returns: Ints  # (k,) 1: the joint returns, 0: it is free in this drag
    q: Floats  # (nq,) at the beginning of the drag
    step: Floats  # (6,) workspace


@kernel
def add_stance_pull(
    stance: Stance, q: Floats, strength: float, inertia: Floats, pull: Floats
) -> None:
    """Add to pull (nv) the pulls that return the joints at q (nq) to the stance."""
    step = stance.step
    for i in range(stance.kind.shape[0]):
        if stance.returns[i] == 0:
            continue
        kind, at, v_at = stance.kind[i], stance.q_start[i], stance.v_start[i]
        count = 1
        if kind < BALL:
            step[0] = stance.q[at] - q[at]
        else:
            first = 0
            if kind == FREE:
                for c in range(3):
                    step[c] = stance.q[at + c] - q[at + c]
                first = 3
            turn = at + first
            quaternion_difference(q[turn : turn + 4], stance.q[turn : turn + 4], step[first:])
            count = first + 3
        for c in range(count):
            most = min(max(GAIN * step[c], -MAX_STEP), MAX_STEP)
            pull[v_at + c] += strength * inertia[v_at + c] * most
