"""Key poses as records: anatomical angles, supports and hand goals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.postures.builtin.anatomical_angles import (
    ArmAngles,
    BodyAngles,
    LegAngles,
    PelvisPose,
    TrunkAngles,
    configuration,
)
from writhe.postures.builtin.pose_setting import ACTOR, PoseSetting
from writhe.quantities import Direction, Point
from writhe.skeleton import forward
from writhe.terms import Term, keep_centre_over, stay_near

Vector = tuple[float, float, float]
BOTH_FEET = ("left_foot", "right_foot")
_TRUNK, _FIRM = ("spine", "chest", "neck", "head"), 3.0

# points of the left hand, in the wrist's frame
_HAND_POINTS: dict[str, Vector] = {
    "wrist": (0.0, 0.0, 0.0),
    "palm": (0.085, -0.022, 0.0),
    "back": (0.085, 0.02, 0.0),
    "fist": (0.10, -0.02, 0.0),
    "tips": (0.175, -0.012, 0.0),
}


@dataclass(frozen=True, slots=True)
class PointGoal:
    """Goal: a point of a joint at position `at` in the frame of joint `on` ("": the world)."""

    joint: str
    point: Vector
    at: Vector
    on: str = ""
    weight: float = 12.0


@dataclass(frozen=True, slots=True)
class DirectionGoal:
    """Goal: a direction of a joint points along `towards` in the frame of `on` ("": the world)."""

    joint: str
    direction: Vector
    towards: Vector
    on: str = ""
    weight: float = 1.5


def hand(
    side: str,
    at: Vector,
    on: str = "",
    *,
    point: str = "palm",
    palm: Vector | None = None,
    fingers: Vector | None = None,
    weight: float = 12.0,
) -> tuple[PointGoal | DirectionGoal, ...]:
    """Goals for one hand: position of a point, facing of the palm, direction of the fingers."""
    sign = 1.0 if side == "left" else -1.0
    x, y, z = _HAND_POINTS[point]
    goals: list[PointGoal | DirectionGoal] = [
        PointGoal(f"{side}_wrist", (sign * x, y, z), at, on, weight)
    ]
    if palm is not None:
        goals.append(DirectionGoal(f"{side}_wrist", (0.0, -1.0, 0.0), palm, on))
    if fingers is not None:
        goals.append(DirectionGoal(f"{side}_wrist", (sign, 0.0, 0.0), fingers, on))
    return tuple(goals)


def hands(
    at: Vector,
    on: str = "",
    *,
    point: str = "palm",
    palm: Vector | None = None,
    fingers: Vector | None = None,
) -> tuple[PointGoal | DirectionGoal, ...]:
    """Goals for both hands, given for the left and mirrored for the right."""

    def flip(v: Vector | None) -> Vector | None:
        return None if v is None else (-v[0], v[1], v[2])

    left = hand("left", at, on, point=point, palm=palm, fingers=fingers)
    right_at = (-at[0], at[1], at[2])
    return left + hand("right", right_at, on, point=point, palm=flip(palm), fingers=flip(fingers))


# supports: joint, point in it (left), its height above the floor, direction that points upwards
_SUPPORTS: dict[str, tuple[str, Vector, float, Vector | None]] = {
    "foot": ("ankle", (0.0, 0.0, 0.0), 0.068, (0.0, 1.0, 0.0)),
    "ball": ("toe", (0.0, 0.0, 0.0), 0.026, (0.0, 1.0, 0.0)),
    "toes": ("toe", (0.0, 0.0, 0.03), 0.032, None),
    "knee": ("knee", (0.0, 0.0, 0.0), 0.060, None),
    "palm": ("wrist", (0.085, -0.022, 0.0), 0.006, (0.0, 1.0, 0.0)),
    "fist": ("wrist", (0.10, 0.0, 0.0), 0.03, None),
    "elbow": ("elbow", (0.0, 0.0, 0.0), 0.045, None),
    "heel": ("ankle", (0.0, -0.02, -0.02), 0.055, None),
}


@dataclass(frozen=True)
class KeyPose:
    """A posture to be solved for: angles as in `anatomical_angles`, `support` as in `_SUPPORTS`.

    `balanced` keeps the centre of mass over the supports. Unless `grounded`, the pelvis starts at
    its given height rather than where the supports touch the floor.
    """

    name: str
    angles: BodyAngles
    support: tuple[str, ...] = BOTH_FEET
    goals: tuple[PointGoal | DirectionGoal, ...] = ()
    balanced: bool = True
    firmness: float = 0.12  # weight of the authored joint angles
    grounded: bool = True
    firm_trunk: bool = False  # the trunk and the head keep their angles: the arms reach alone

    def start(self, setting: PoseSetting) -> Floats:
        """(nq,) the configuration at the angles, moved vertically until its supports touch."""
        q = configuration(setting.figure.skeleton, self.angles)
        if not self.grounded:
            return q
        frames = forward(setting.figure.skeleton, q)
        drops = [
            float(frames.point(joint, point)[1]) - height
            for joint, point, height, _ in map(_support, self.support)
        ]
        if drops:
            q[1] -= min(drops)
        return q

    def terms(self, setting: PoseSetting, q: Floats) -> list[Term]:
        """The terms that settling minimises, from the start posture q (nq)."""
        # on a seat, the pelvis must not oscillate between contacts
        pelvis = 1.0 if self.grounded else 8.0
        weights = {f"{ACTOR}.hips": pelvis}
        if self.firm_trunk:
            weights |= {f"{ACTOR}.{joint}": _FIRM for joint in _TRUNK}
        terms = stay_near(setting.skeleton, q, weight=self.firmness, weight_of=weights)
        contacts, planted = support_terms(setting, q, self.support)
        terms += planted
        if self.balanced and contacts:
            # the centre of the sole is in front of the ankle
            centre = np.mean(contacts, axis=0) + np.array([0.0, 0.0, 0.04])
            terms.append(keep_centre_over(ACTOR, centre, within_m=0.06, weight=10.0))
        for goal in self.goals:
            on = f"{ACTOR}.{goal.on}" if goal.on else None
            if isinstance(goal, PointGoal):
                quantity = Point(f"{ACTOR}.{goal.joint}", goal.point, on)
                target = np.array(goal.at)
            else:
                quantity = Direction(f"{ACTOR}.{goal.joint}", goal.direction, on)
                target = np.array(goal.towards) / np.linalg.norm(goal.towards)
            terms.append(Term(quantity, target, target, goal.weight, label=f"{goal}"))
        return terms


def support_terms(
    setting: PoseSetting, q: Floats, support: tuple[str, ...]
) -> tuple[list[Floats], list[Term]]:
    """The contact points of q's supports on the floor, and the terms that hold them there."""
    frames = forward(setting.figure.skeleton, q)
    contacts: list[Floats] = []
    terms: list[Term] = []
    for joint, point, height, up in map(_support, support):
        contact = frames.point(joint, point)
        contact[1] = height
        contacts.append(contact)
        name, weights = f"{ACTOR}.{joint}", np.array([8.0, 40.0, 8.0])
        terms.append(
            Term(Point(name, point), contact, contact, weights, label=f"support {joint} {point}")
        )
        if up is not None:
            target = np.array([0.0, 1.0, 0.0])
            weight = 2.0 if joint.endswith("wrist") else 8.0
            terms.append(Term(Direction(name, up), target, target, weight, label=f"flat {joint}"))
    return contacts, terms


def _support(name: str) -> tuple[str, Vector, float, Vector | None]:
    if name == "seat":
        return "hips", (0.0, 0.0, 0.0), 0.160, None
    side, _, kind = name.partition("_")
    joint, (x, y, z), height, up = _SUPPORTS[kind]
    return f"{side}_{joint}", (x if side == "left" else -x, y, z), height, up


def key(
    name: str,
    *,
    arms: ArmAngles | None = None,
    left_arm: ArmAngles | None = None,
    right_arm: ArmAngles | None = None,
    legs: LegAngles | None = None,
    left_leg: LegAngles | None = None,
    right_leg: LegAngles | None = None,
    trunk: TrunkAngles | None = None,
    pelvis: PelvisPose | None = None,
    support: tuple[str, ...] = BOTH_FEET,
    goals: tuple[PointGoal | DirectionGoal, ...] = (),
    balanced: bool = True,
    firmness: float = 0.12,
    grounded: bool = True,
    firm_trunk: bool = False,
) -> KeyPose:
    """A key pose; `arms` and `legs` set both sides."""
    arm, leg = arms or ArmAngles(), legs or LegAngles()
    angles = BodyAngles(
        left_arm or arm,
        right_arm or arm,
        left_leg or leg,
        right_leg or leg,
        trunk or TrunkAngles(),
        pelvis or PelvisPose(),
    )
    return KeyPose(name, angles, support, goals, balanced, firmness, grounded, firm_trunk)
