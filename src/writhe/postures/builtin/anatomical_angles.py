"""Anatomical joint angles of the human, in degrees, and their configuration.

All angles are zero with arms and legs hanging straight and the palms facing the thighs. The
same angles on the right side give the mirror image of the left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import acos, atan2, cos, degrees, radians, sin

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Skeleton, quaternions

SIDES = ("left", "right")
_TWIST_RANGE = (-88.0, 84.0)  # shoulder twist, external to internal, degrees


@dataclass(frozen=True, slots=True)
class ArmAngles:
    """`flex` raises the arm forwards, `abduct` (first) sideways, `rotate` turns it inwards.

    With the arm raised forwards, negative `abduct` brings it across the chest. `raise_` and
    `forward` move the clavicle, in addition to its contribution to every raised arm.
    """

    flex: float = 4.0
    abduct: float = 11.0
    rotate: float = 8.0
    elbow: float = 16.0
    pronate: float = 10.0
    wrist: float = 0.0  # flexion
    deviate: float = 0.0  # towards the little finger
    raise_: float = 0.0
    forward: float = 0.0


@dataclass(frozen=True, slots=True)
class LegAngles:
    """`abduct` goes sideways, then `flex` raises the thigh; `rotate` turns the toes outwards."""

    flex: float = 2.0
    abduct: float = 4.0
    rotate: float = 6.0
    knee: float = 3.0
    ankle: float = 0.0  # toes up
    toes: float = 0.0  # toes bent up against the foot


@dataclass(frozen=True, slots=True)
class TrunkAngles:
    """Back and chest: forward `bend`, left `lean`, left `turn`; neck and head: nod, tilt, look."""

    bend: float = 2.0
    lean: float = 0.0
    turn: float = 0.0
    nod: float = 0.0
    tilt: float = 0.0
    look: float = 0.0


@dataclass(frozen=True, slots=True)
class PelvisPose:
    """`pitch` tips forwards, `roll` lowers the left side, `turn` turns left (degrees)."""

    pitch: float = 0.0
    roll: float = 0.0
    turn: float = 0.0
    height_m: float = 0.95
    forward_m: float = 0.0
    left_m: float = 0.0


@dataclass(frozen=True, slots=True)
class BodyAngles:
    """A whole posture in anatomical angles."""

    left_arm: ArmAngles = field(default_factory=ArmAngles)
    right_arm: ArmAngles = field(default_factory=ArmAngles)
    left_leg: LegAngles = field(default_factory=LegAngles)
    right_leg: LegAngles = field(default_factory=LegAngles)
    trunk: TrunkAngles = field(default_factory=TrunkAngles)
    pelvis: PelvisPose = field(default_factory=PelvisPose)


def _axis_turn(axis: int, angle_deg: float) -> Floats:
    q = np.zeros(4)
    q[0], q[1 + axis] = cos(radians(angle_deg) / 2), sin(radians(angle_deg) / 2)
    return q


def _product(*factors: tuple[int, float]) -> Floats:
    return quaternions.multiply(*[_axis_turn(axis, angle) for axis, angle in factors])


X, Y, Z = 0, 1, 2


def _lift(arm: ArmAngles) -> float:
    """Angle between the upper arm and the vertical (0: hanging), in degrees."""
    c = cos(radians(arm.flex)) * cos(radians(arm.abduct))
    return degrees(acos(min(1.0, max(-1.0, c))))


def _left_arm(arm: ArmAngles) -> dict[str, Floats]:
    # the clavicle follows a raised arm (scapulohumeral rhythm)
    raised = arm.raise_ + 0.22 * max(0.0, _lift(arm) - 35.0)
    girdle = _product((Y, -arm.forward), (Z, raised))
    whole = _product((X, -arm.flex), (Z, arm.abduct - 90.0), (X, arm.rotate))
    back = girdle * np.array([1.0, -1.0, -1.0, -1.0])
    shoulder, beyond = _limit_twist(quaternions.multiply(back, whole))
    pronate = min(70.0, max(-75.0, arm.pronate + beyond))
    return {
        "clavicle": girdle,
        "shoulder": shoulder,
        "elbow": np.array([radians(arm.elbow)]),
        "wrist": _product((Y, arm.deviate), (Z, -arm.wrist), (X, pronate)),
    }


def _limit_twist(shoulder: Floats) -> tuple[Floats, float]:
    """The rotation with its twist about the bone clamped to its range, and the excess (degrees).

    Raising an arm forwards without rotating it twists the shoulder by 180 degrees relative to
    raising it sideways (Codman's paradox); the excess becomes pronation of the forearm.
    """
    twist = degrees(2.0 * atan2(float(shoulder[1]), float(shoulder[0])))
    twist = (twist + 180.0) % 360.0 - 180.0
    kept = min(_TWIST_RANGE[1], max(_TWIST_RANGE[0], twist))
    return quaternions.multiply(shoulder, _axis_turn(X, kept - twist)), twist - kept


def _left_leg(leg: LegAngles) -> dict[str, Floats]:
    return {
        "hip": _product((X, -leg.flex), (Z, leg.abduct), (Y, leg.rotate)),
        "knee": np.array([radians(leg.knee)]),
        "ankle": _product((X, -leg.ankle)),
        "toe": np.array([radians(leg.toes)]),
    }


def _mirrored(values: Floats) -> Floats:
    return values * np.array([1.0, 1.0, -1.0, -1.0]) if len(values) == 4 else values


def configuration(skeleton: Skeleton, angles: BodyAngles) -> Floats:
    """(nq,) the configuration of the human at these angles; the root height is not set yet."""
    q = skeleton.rest_configuration
    trunk, pelvis = angles.trunk, angles.pelvis
    for name, share, nods in (
        ("spine", 0.5, 0.0),
        ("chest", 0.5, 0.0),
        ("neck", 0.0, 0.5),
        ("head", 0.0, 0.5),
    ):
        turn = (0.3 if name == "spine" else 0.7) * trunk.turn if share else nods * trunk.look
        bend = share * trunk.bend + nods * trunk.nod
        lean = share * trunk.lean + nods * trunk.tilt
        q[skeleton.q_slice(name)] = _product((Y, turn), (X, bend), (Z, -lean))
    for side, arm, leg in (
        ("left", angles.left_arm, angles.left_leg),
        ("right", angles.right_arm, angles.right_leg),
    ):
        for name, values in {**_left_arm(arm), **_left_leg(leg)}.items():
            own = values if side == "left" else _mirrored(values)
            q[skeleton.q_slice(f"{side}_{name}")] = own
    rest = skeleton.joints[0].offset_in_parent
    setting = np.array([pelvis.left_m, pelvis.height_m, pelvis.forward_m])
    q[:3] = setting - rest
    q[3:7] = _product((Y, pelvis.turn), (X, pelvis.pitch), (Z, -pelvis.roll))
    return q
