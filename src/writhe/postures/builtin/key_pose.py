"""Key poses as records: anatomical angles, what bears the weight, where hands go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.postures.builtin.anatomical_angles import Angles, Arm, Leg, Pelvis, Trunk, configuration
from writhe.postures.builtin.pose_setting import ACTOR, Place
from writhe.quantities import Direction, Point
from writhe.skeleton import forward
from writhe.terms import Term, keep_centre_over, stay_near

Vector = tuple[float, float, float]
FEET = ("left_foot", "right_foot")

# points of the left hand, in the wrist's frame
_HAND_POINTS: dict[str, Vector] = {
    "wrist": (0.0, 0.0, 0.0),
    "palm": (0.085, -0.022, 0.0),
    "back": (0.085, 0.02, 0.0),
    "fist": (0.10, -0.02, 0.0),
    "tips": (0.175, -0.012, 0.0),
}


@dataclass(frozen=True, slots=True)
class Goal:
    """A point of a joint is wanted at a place in the frame `on` ("": the world)."""

    joint: str
    point: Vector
    at: Vector
    on: str = ""
    weight: float = 12.0


@dataclass(frozen=True, slots=True)
class Aim:
    """A direction of a joint is wanted along a direction of the frame `on` ("": the world)."""

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
) -> tuple[Goal | Aim, ...]:
    """Goals for one hand: a point of it at a place, where the palm faces, where fingers point."""
    sign = 1.0 if side == "left" else -1.0
    x, y, z = _HAND_POINTS[point]
    goals: list[Goal | Aim] = [Goal(f"{side}_wrist", (sign * x, y, z), at, on, weight)]
    if palm is not None:
        goals.append(Aim(f"{side}_wrist", (0.0, -1.0, 0.0), palm, on))
    if fingers is not None:
        goals.append(Aim(f"{side}_wrist", (sign, 0.0, 0.0), fingers, on))
    return tuple(goals)


def hands(
    at: Vector,
    on: str = "",
    *,
    point: str = "palm",
    palm: Vector | None = None,
    fingers: Vector | None = None,
) -> tuple[Goal | Aim, ...]:
    """Goals for both hands; the right ones are the mirror image of the left ones given here."""

    def flip(v: Vector | None) -> Vector | None:
        return None if v is None else (-v[0], v[1], v[2])

    left = hand("left", at, on, point=point, palm=palm, fingers=fingers)
    right_at = (-at[0], at[1], at[2])
    return left + hand("right", right_at, on, point=point, palm=flip(palm), fingers=flip(fingers))


# what may bear weight: joint, point in it (left), its height above the floor, what points upwards
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
    """A posture to be settled: see `anatomy` for the angles and `_SUPPORTS` for `support`.

    `balanced` keeps the centre of mass over what bears it. Unless `grounded`, the pelvis starts at
    the height given rather than where the supports reach the floor.
    """

    name: str
    angles: Angles
    support: tuple[str, ...] = FEET
    goals: tuple[Goal | Aim, ...] = ()
    balanced: bool = True
    firmness: float = 0.12  # of every joint, towards the angles
    grounded: bool = True

    def start(self, place: Place) -> Floats:
        """The configuration of the angles, lowered or raised so that its supports touch."""
        q = configuration(place.figure.skeleton, self.angles)
        if not self.grounded:
            return q
        frames = forward(place.figure.skeleton, q)
        drops = [
            float(frames.point(joint, point)[1]) - height
            for joint, point, height, _ in map(_support, self.support)
        ]
        if drops:
            q[1] -= min(drops)
        return q

    def terms(self, place: Place, q: Floats) -> list[Term]:
        """What settling is to bring about, from the start posture q."""
        # on a seat the pelvis must not rock from one contact to the other
        pelvis = 1.0 if self.grounded else 8.0
        wanted = stay_near(
            place.skeleton, q, weight=self.firmness, weight_of={f"{ACTOR}.hips": pelvis}
        )
        bearing, planted = support_terms(place, q, self.support)
        wanted += planted
        if self.balanced and bearing:
            # the middle of the foot lies ahead of the ankle
            centre = np.mean(bearing, axis=0) + np.array([0.0, 0.0, 0.04])
            wanted.append(keep_centre_over(ACTOR, centre, within_m=0.06, weight=10.0))
        for goal in self.goals:
            on = f"{ACTOR}.{goal.on}" if goal.on else None
            if isinstance(goal, Goal):
                quantity = Point(f"{ACTOR}.{goal.joint}", goal.point, on)
                target = np.array(goal.at)
            else:
                quantity = Direction(f"{ACTOR}.{goal.joint}", goal.direction, on)
                target = np.array(goal.towards) / np.linalg.norm(goal.towards)
            wanted.append(Term(quantity, target, target, goal.weight, label=f"{goal}"))
        return wanted


def support_terms(
    place: Place, q: Floats, support: tuple[str, ...]
) -> tuple[list[Floats], list[Term]]:
    """Where q's supports touch the floor, and the terms that keep them there."""
    frames = forward(place.figure.skeleton, q)
    bearing: list[Floats] = []
    terms: list[Term] = []
    for joint, point, height, up in map(_support, support):
        there = frames.point(joint, point)
        there[1] = height
        bearing.append(there)
        name, weights = f"{ACTOR}.{joint}", np.array([8.0, 40.0, 8.0])
        terms.append(
            Term(Point(name, point), there, there, weights, label=f"support {joint} {point}")
        )
        if up is not None:
            target = np.array([0.0, 1.0, 0.0])
            weight = 2.0 if joint.endswith("wrist") else 8.0
            terms.append(Term(Direction(name, up), target, target, weight, label=f"flat {joint}"))
    return bearing, terms


def _support(name: str) -> tuple[str, Vector, float, Vector | None]:
    if name == "seat":
        return "hips", (0.0, 0.0, 0.0), 0.160, None
    side, _, kind = name.partition("_")
    joint, (x, y, z), height, up = _SUPPORTS[kind]
    return f"{side}_{joint}", (x if side == "left" else -x, y, z), height, up


def key(
    name: str,
    *,
    arms: Arm | None = None,
    left_arm: Arm | None = None,
    right_arm: Arm | None = None,
    legs: Leg | None = None,
    left_leg: Leg | None = None,
    right_leg: Leg | None = None,
    trunk: Trunk | None = None,
    pelvis: Pelvis | None = None,
    support: tuple[str, ...] = FEET,
    goals: tuple[Goal | Aim, ...] = (),
    balanced: bool = True,
    firmness: float = 0.12,
    grounded: bool = True,
) -> KeyPose:
    """A key pose; `arms` and `legs` speak for both sides."""
    arm, leg = arms or Arm(), legs or Leg()
    angles = Angles(
        left_arm or arm,
        right_arm or arm,
        left_leg or leg,
        right_leg or leg,
        trunk or Trunk(),
        pelvis or Pelvis(),
    )
    return KeyPose(name, angles, support, goals, balanced, firmness, grounded)
