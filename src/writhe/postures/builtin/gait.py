"""Walking and running as functions of the phase (Perry 1992, "Gait Analysis", for the angles).

Angles follow the curves of published gait analyses, sampled at a few phases of the stride from
heel strike of the left foot, and smoothed by a periodic cubic.
"""

from __future__ import annotations

import numpy as np

from writhe.postures.builtin.anatomical_angles import ArmAngles, LegAngles, PelvisPose, TrunkAngles
from writhe.postures.builtin.key_pose import KeyPose, key

# phase of the stride (0 to 1), and hip flexion, knee flexion, ankle dorsiflexion, toe extension
_SHARES = (0.0, 0.12, 0.3, 0.5, 0.62, 0.75, 0.88, 1.0)
_WALK: dict[str, tuple[float, ...]] = {
    "hip": (28, 24, 6, -12, -2, 22, 30, 28),
    "knee": (4, 16, 6, 12, 40, 60, 24, 4),
    "ankle": (0, -6, 6, 6, -18, 0, 2, 0),
    "toes": (8, 0, 0, 26, 26, 4, 8, 8),
}
_RUN: dict[str, tuple[float, ...]] = {
    "hip": (46, 34, 4, -18, 2, 42, 56, 46),
    "knee": (26, 42, 26, 28, 86, 104, 52, 26),
    "ankle": (4, 16, 12, -22, -18, 0, 6, 4),
    "toes": (4, 0, 10, 30, 16, 4, 4, 4),
}


def _curve(values: tuple[float, ...], share: float) -> float:
    from scipy.interpolate import CubicSpline  # imported here, since libraries are rarely generated

    spline = CubicSpline(_SHARES, np.asarray(values, dtype=float), bc_type="periodic")
    return float(spline(share % 1.0))


def _leg(table: dict[str, tuple[float, ...]], share: float, reach: float) -> LegAngles:
    return LegAngles(
        flex=reach * _curve(table["hip"], share),
        abduct=2.0,
        rotate=6.0,
        knee=max(2.0, reach * _curve(table["knee"], share)),
        ankle=_curve(table["ankle"], share),
        toes=_curve(table["toes"], share),
    )


def stride(phase: float, *, run: bool = False, reach: float = 1.0, turn: float = 0.0) -> KeyPose:
    """The posture at a phase in 0..1 of the stride; `reach` scales the stride, `turn` the gaze."""
    table = _RUN if run else _WALK
    swing = float(np.cos(2 * np.pi * phase))  # arms swing opposite to the legs
    size = (38.0 if run else 22.0) * reach
    elbow = 88.0 if run else 22.0
    arms = [
        ArmAngles(
            flex=(2.0 if run else 0.0) - side * size * swing,
            abduct=12.0,
            rotate=18.0 if run else 8.0,
            elbow=elbow - side * (8.0 if run else 10.0) * swing,
        )
        for side in (1.0, -1.0)
    ]
    legs = [_leg(table, phase, reach), _leg(table, phase + 0.5, reach)]
    floating = run and (0.36 < phase % 0.5 < 0.48)
    name = f"{'run' if run else 'walk'} {phase:.3f}"
    return key(
        name,
        left_arm=arms[0],
        right_arm=arms[1],
        left_leg=legs[0],
        right_leg=legs[1],
        trunk=TrunkAngles(
            bend=12.0 if run else 3.0, turn=-0.3 * size * swing, look=0.3 * size * swing + turn
        ),
        pelvis=PelvisPose(
            pitch=8.0 if run else 2.0,
            turn=0.2 * size * swing,
            height_m=1.02 if floating else 0.93,
        ),
        support=() if floating else (_bearing(phase),),
        balanced=False,
        firmness=0.5,
    )


def _bearing(phase: float) -> str:
    """The supporting part: heel, flat foot or ball of the stance side."""
    side = "left" if phase % 1.0 < 0.5 else "right"
    within = phase % 0.5
    if within < 0.08:
        return f"{side}_heel"
    return f"{side}_foot" if within < 0.36 else f"{side}_ball"
