"""Where arms rest: hanging beside a standing body, with the hands on the thighs of a seated one.

While the pelvis, a leg or the head is dragged, a database says little about the arms. They hang by
their weight, whatever the trunk does, and the hands of a body that sits lie on its thighs.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel

# directions of a hanging upper arm and forearm: down, and parts outwards and ahead of it
UPPER_OUT, UPPER_AHEAD, FORE_OUT, FORE_AHEAD = 0.13, -0.04, 0.04, 0.3
UPPER_LENGTH = sqrt(1.0 + UPPER_OUT**2 + UPPER_AHEAD**2)
FORE_LENGTH = sqrt(1.0 + FORE_OUT**2 + FORE_AHEAD**2)
# the slope of the steeper thigh (drop from hip to knee over its length) below which hands lie on
# the thighs, and above which arms hang
SEATED, STANDING = 0.45, 0.8
ON_THIGH, ABOVE_M = 0.72, 0.115  # where on the way to the knee, and how far above the bones
PULL = 0.35  # of the elbow outwards, beside downwards and backwards, when the hand is on the thigh


class RestingArms(NamedTuple):
    """The k arms of a body, by indices of joints in the model."""

    joints: Ints  # (k, 5) shoulder, elbow, wrist, hip, knee
    other: Ints  # (k,) the other shoulder
    side: Ints  # (k,) 1: left, -1: right
    lengths: Floats  # (k, 2) of upper arm and forearm, m
    goals: Floats  # (k, 2, 3) out: where elbow and wrist rest


@kernel
def place_resting_arms(arms: RestingArms, positions: Floats) -> None:
    """Write `goals` for the joint positions (n, 3) of the model."""
    steepest = -1.0  # of the thighs: a body on one leg does not sit
    for i in range(arms.joints.shape[0]):
        hip, knee = arms.joints[i, 3], arms.joints[i, 4]
        tx = positions[knee, 0] - positions[hip, 0]
        ty = positions[knee, 1] - positions[hip, 1]
        tz = positions[knee, 2] - positions[hip, 2]
        steepest = max(steepest, -ty / max(sqrt(tx * tx + ty * ty + tz * tz), 1e-9))
    for i in range(arms.joints.shape[0]):
        shoulder = arms.joints[i, 0]
        upper, fore = arms.lengths[i, 0], arms.lengths[i, 1]
        ox = positions[shoulder, 0] - positions[arms.other[i], 0]
        oz = positions[shoulder, 2] - positions[arms.other[i], 2]
        norm = max(sqrt(ox * ox + oz * oz), 1e-9)
        ox, oz = ox / norm, oz / norm
        ax, az = -arms.side[i] * oz, arms.side[i] * ox  # a quarter turn from outwards
        hang = min(max((steepest - SEATED) / (STANDING - SEATED), 0.0), 1.0)
        goals = arms.goals[i]
        for c in range(3):
            out = ox if c == 0 else (oz if c == 2 else 0.0)
            ahead = ax if c == 0 else (az if c == 2 else 0.0)
            down = -1.0 if c == 1 else 0.0
            along = down + UPPER_OUT * out + UPPER_AHEAD * ahead
            goals[0, c] = positions[shoulder, c] + upper * along / UPPER_LENGTH
            below = down + FORE_OUT * out + FORE_AHEAD * ahead
            goals[1, c] = goals[0, c] + fore * below / FORE_LENGTH
        if hang < 1.0:
            _blend_seated(goals, positions, arms.joints[i], upper, fore, ox, oz, hang)


@kernel
def _blend_seated(
    goals: Floats,
    positions: Floats,
    joints: Ints,
    upper: float,
    fore: float,
    ox: float,
    oz: float,
    hang: float,
) -> None:
    """Blend goals (2, 3) of a hanging arm with those of one whose hand lies on the thigh."""
    shoulder, hip, knee = joints[0], joints[3], joints[4]
    square = 0.0
    for c in range(3):
        at = positions[hip, c] + ON_THIGH * (positions[knee, c] - positions[hip, c])
        if c == 1:
            at += ABOVE_M
        goals[1, c] = hang * goals[1, c] + (1.0 - hang) * at
        square += (goals[1, c] - positions[shoulder, c]) ** 2
    reach = max(sqrt(square), 1e-9)
    # the elbow is on the circle of points at both lengths from shoulder and hand
    along = min(max((reach * reach + upper * upper - fore * fore) / (2.0 * reach), 0.0), upper)
    aside = sqrt(max(upper * upper - along * along, 0.0))
    dot, length = 0.0, 0.0
    for c in range(3):
        pole = PULL * ox if c == 0 else (PULL * oz if c == 2 else -1.0)
        dot += pole * (goals[1, c] - positions[shoulder, c]) / reach
    for c in range(3):
        pole = PULL * ox if c == 0 else (PULL * oz if c == 2 else -1.0)
        length += (pole - dot * (goals[1, c] - positions[shoulder, c]) / reach) ** 2
    length = max(sqrt(length), 1e-9)
    for c in range(3):
        pole = PULL * ox if c == 0 else (PULL * oz if c == 2 else -1.0)
        towards = (goals[1, c] - positions[shoulder, c]) / reach
        elbow = positions[shoulder, c] + along * towards + aside * (pole - dot * towards) / length
        goals[0, c] = hang * goals[0, c] + (1.0 - hang) * elbow
