"""Where a standing body steps to, so that a target beyond its reach comes within easy reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Floats, unit
from writhe.skeleton import Figure, Frames, forward
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.limbs import ANKLES, LIMBS, SIDES, arms_by_joint
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix, wrapped_angle
from writhe.solvers.posing.handles import Pin, Target

_LEG_M = 0.85  # from the hip to the ankle, of a body of human size; lengths below are for it
# a standing body reaches this far beyond the arm of an upright one by leaning, before it steps;
# a step brings the target this near
_LEAN_M, _COMFORT_M = 0.2, 0.04
_MISSED_M = 0.04  # a settled body that misses a target of the trunk or head by more than this steps
_SHORTEST_M, _LONGEST_M = 0.12, 0.45  # of a step, relative to the place beside the other foot
_WIDEST_M = 0.55  # distance between the ankles after a step
_NARROWEST = 0.6  # feet do not cross: their least distance sideways, relative to that at the start
_APART_M = 0.12  # of feet that are apart by more than this, the one behind steps
_ARM_USED = 0.95  # of the length of the arm, in a comfortable reach
_BESIDE = 0.6  # and the least of it that is horizontal: one stands beside what is on the ground
_SIDEWAYS = 0.5  # a step to the side begins with the foot on that side
_ACROSS_RAD, _OUTWARDS_RAD = 0.35, 1.4  # where an arm reaches without a turn of the feet
_TURN_RAD = 0.8  # the most by which a foot is turned in a step, relative to the other one
_TURNED_RAD = 0.4  # feet whose directions differ by more than this are brought together


@dataclass(frozen=True)
class Feet:
    """The pins of two standing feet, and how far each has turned since the drag began, rad."""

    left: Pin
    right: Pin
    left_turn: float = 0.0
    right_turn: float = 0.0

    def moved(self, pin: Pin, turn: float) -> Feet:
        """The feet with one of them at another place."""
        if pin.joint == self.left.joint:
            return replace(self, left=pin, left_turn=turn)
        return replace(self, right=pin, right_turn=turn)

    @property
    def turn(self) -> float:
        """How far the body has turned, rad."""
        return 0.5 * (self.left_turn + self.right_turn)

    @property
    def middle(self) -> Floats:
        """(3,) between the feet."""
        return 0.5 * np.add(self.left.position_in_world, self.right.position_in_world)


class StepChoice:
    """Chooses the steps of a figure that stands on two feet at q (nq)."""

    def __init__(self, figure: Figure, q: Floats, feet: Feet) -> None:
        self._figure, self._q, self._feet = figure, q.copy(), feet
        self._roles = dict(figure.roles)
        self._heading = heading_of(figure, q)
        stance = np.subtract(feet.left.position_in_world, feet.right.position_in_world)
        self._stance: Floats = np.array([stance[0], 0.0, stance[2]])
        self._arms = arms_by_joint(figure)
        rest = forward(figure.skeleton, figure.skeleton.rest_configuration)
        self.scale = _leg_m(figure, rest) / _LEG_M
        self._shoulders = self._upright_shoulders(rest)

    def posture_at(self, feet: Feet) -> Floats:
        """(nq,) the posture at the start of the drag, standing on the feet where they are now."""
        turn = yaw_matrix(feet.turn)
        away = feet.middle - turn @ self._feet.middle
        return moved_roots(self._figure.skeleton, self._q[None], turn, away)[0]

    def next(
        self, q: Floats, targets: Sequence[Target], feet: Feet, last: str | None, *, settled: bool
    ) -> tuple[Pin, float] | None:
        """The pin of the foot that steps next, and its turn; None if no step is needed.

        last: the foot that stepped last. settled: whether the body is at rest short of a target.
        """
        needed = self._needed(q, targets, feet, settled=settled)
        if needed is not None:
            return self._towards(feet, *needed)
        if last is not None and abs(feet.left_turn - feet.right_turn) > _TURNED_RAD:
            left = last != feet.left.joint
            turn = feet.right_turn if left else feet.left_turn
            beside = yaw_matrix(turn) @ self._stance
            other = feet.right.position_in_world if left else feet.left.position_in_world
            return self._placed(feet, left, other + beside if left else other - beside, turn)
        return None

    def _towards(
        self, feet: Feet, side: str, way: Floats, goal: Floats
    ) -> tuple[Pin, float] | None:
        """The step on a way (3,) over the ground to reach a point (3,); None if it is too short."""
        a, b = np.array(feet.left.position_in_world), np.array(feet.right.position_in_world)
        ahead = unit(way)
        stance, start = a - b, yaw_matrix(feet.turn) @ self._stance
        apart = float((stance - start) @ ahead)
        sideways = float(stance @ ahead) / max(float(np.linalg.norm(stance)), 1e-9)
        if abs(apart) > _APART_M * self.scale:
            left = apart < 0.0
        elif abs(sideways) > _SIDEWAYS:
            left = sideways > 0.0
        else:
            left = side != "right"
        standing = feet.right_turn if left else feet.left_turn
        wanted = self._wanted_turn(side, goal - feet.middle - way, feet.turn)
        turn = standing + min(max(wanted - standing, -_TURN_RAD), _TURN_RAD)
        # beside the other foot, and as far ahead of it as the body still has to go
        beside = (1.0 if left else -1.0) * (yaw_matrix(0.5 * (turn + standing)) @ self._stance)
        other = b if left else a
        rest = float((feet.middle + way - (other + 0.5 * beside)) @ ahead)
        step = beside + min(max(2.0 * rest, 0.0), _LONGEST_M * self.scale) * ahead
        sidewards, least = unit(beside), _NARROWEST * float(np.linalg.norm(beside))
        step += max(least - float(step @ sidewards), 0.0) * sidewards
        step *= min(_WIDEST_M * self.scale / float(np.linalg.norm(step)), 1.0)
        moves = np.linalg.norm(other + step - (a if left else b))
        before = feet.left_turn if left else feet.right_turn
        if moves < _SHORTEST_M * self.scale and abs(turn - before) < _TURNED_RAD:
            return None
        return self._placed(feet, left, other + step, turn)

    def _placed(self, feet: Feet, left: bool, at: Floats, turn: float) -> tuple[Pin, float]:
        pin, before = (feet.left, feet.left_turn) if left else (feet.right, feet.right_turn)
        rotation = pin.orientation_in_world
        if rotation is not None:
            turned = yaw_matrix(turn - before) @ rotation_matrix(np.array(rotation))
            rotation = quaternion_of(turned)
        position = float(at[0]), pin.position_in_world[1], float(at[2])
        return replace(pin, position_in_world=position, orientation_in_world=rotation), turn

    def _wanted_turn(self, side: str, ahead: Floats, turn: float) -> float:
        """The turn of a body that has its target in the direction (3,) ahead, rad."""
        if math.hypot(ahead[0], ahead[2]) < _COMFORT_M * self.scale:
            return turn
        angle = math.atan2(ahead[0], ahead[2]) - self._heading - turn
        low, high = {
            "left": (-_ACROSS_RAD, _OUTWARDS_RAD),
            "right": (-_OUTWARDS_RAD, _ACROSS_RAD),
        }.get(side, (-_ACROSS_RAD, _ACROSS_RAD))
        angle = wrapped_angle(angle)
        return turn + angle - min(max(angle, low), high)

    def _needed(
        self, q: Floats, targets: Sequence[Target], feet: Feet, *, settled: bool
    ) -> tuple[str, Floats, Floats] | None:
        """The side of the worst target, how far (3,) the feet have to move, and the target (3,).

        None if a leg or the pelvis is dragged, or if all targets are within reach.
        """
        frames = forward(self._figure.skeleton, q)
        legs = {self._roles.get(role) for side in SIDES for role in LIMBS[f"{side}_leg"]}
        worst: tuple[str, Floats, Floats] | None = None
        for target in targets:
            if target.is_soft_pin:
                continue
            if target.joint in legs or target.joint == self._roles.get("hips"):
                return None
            goal = np.array(target.position_in_world)
            if target.joint in self._arms:
                side, arm_m = self._arms[target.joint]
                arm_m += math.hypot(*target.point_in_joint)
                way = self._beyond(self._shoulder(side, feet), arm_m, goal)
            else:
                side, way = "", (goal - frames.point(target.joint, target.point_in_joint))
                way = way * (1.0, 0.0, 1.0)
                if not settled or np.linalg.norm(way) < _MISSED_M * self.scale:
                    way = None
            if way is not None and (
                worst is None or np.linalg.norm(way) > np.linalg.norm(worst[1])
            ):
                worst = side, way, goal
        return worst

    def _shoulder(self, side: str, feet: Feet) -> Floats:
        return feet.middle + yaw_matrix(feet.turn) @ self._shoulders[side]

    def _beyond(self, shoulder: Floats, arm_m: float, goal: Floats) -> Floats | None:
        """How far (3,) an upright body has to go until its arm reaches a point (3,) easily.

        None if it reaches the point by leaning.
        """
        arm = _ARM_USED * arm_m
        level = max(math.sqrt(max(arm**2 - float(goal[1] - shoulder[1]) ** 2, 0.0)), _BESIDE * arm)
        way = (goal - shoulder) * (1.0, 0.0, 1.0)
        distance = float(np.linalg.norm(way))
        if distance < level + _LEAN_M * self.scale:
            return None
        return (distance - level - _COMFORT_M * self.scale) * unit(way)

    def _upright_shoulders(self, rest: Frames) -> dict[str, Floats]:
        """By side: the shoulder (3,) of an upright body, from the middle between its ankles."""
        ankles = [rest.position(self._roles[role]) for role in ANKLES]
        skeleton = self._figure.skeleton
        turn = yaw_matrix(self._heading - heading_of(self._figure, skeleton.rest_configuration))
        return {
            side: turn @ (rest.position(self._roles[f"{side}_shoulder"]) - np.mean(ankles, axis=0))
            for side in SIDES
            if f"{side}_shoulder" in self._roles
        }


def _leg_m(figure: Figure, rest: Frames) -> float:
    hip, knee, ankle = (
        rest.position(figure.joint_of(f"left_{part}")) for part in ("hip", "knee", "ankle")
    )
    return float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
