"""The feet of a walk: pinned while they stand, led along a path while they swing.

A foot rolls over its ball before it leaves the floor, swings along a lifted path, lands on its heel
and rolls onto its sole.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from writhe.animation.pins import TimedPin
from writhe.animation.walking.footsteps import Footsteps, GroundPose
from writhe.arrays import Floats, vector3
from writhe.easing import smoothstep
from writhe.skeleton import Figure, Frames
from writhe.skeleton.heading import yaw_matrix
from writhe.skeleton.limbs import SIDES
from writhe.skeleton.quaternions import quaternion_of, rotation_about
from writhe.solvers.posing import Pin

_LIFT_M = 0.035  # of a swinging foot, above the path from heel-off to heel strike
# phases of a step, as shares of its time: the heel leaves the floor (in the step before), the toes
# leave it, the other heel lands, its sole is flat (in the step after)
_HEEL_OFF, _TOE_OFF, _STRIKE, _FLAT = 0.65, 0.1, 1.0, 0.25
_OFF_RAD, _STRIKE_RAD = 0.45, 0.25  # pitch of the foot in a long step, as it leaves and as it lands
_LEAST_ROLL = 0.2  # steps that are shorter than this share of a long one are flat
_ROLL_PARTS, _SWING_PARTS = 4, 6  # straight pieces of the path of a foot
SEAM_S = 3e-6  # between two pieces of the path of a foot


class RollingFeet:
    """Where the feet of a walk are over time.

    figure, frames: the body as it stands at the start; origin: its place on the ground;
    feet: the joints of the left and the right foot.
    """

    def __init__(self, figure: Figure, frames: Frames, origin: GroundPose, feet: list[str]) -> None:
        self.figure, self.skeleton = figure, figure.skeleton
        self.frames, self.origin, self.feet = frames, origin, feet
        self.pivots = [self._heel_and_ball(foot) for foot in feet]

    def pins(self, steps: Footsteps) -> list[TimedPin]:
        """Every foot pinned where it stands, and led from one footprint to the next."""
        out: list[TimedPin] = []
        if not steps.count:
            return [
                TimedPin(self._pin(foot, *self.at(steps, k, 0.0)))
                for k, foot in enumerate(self.feet)
            ]
        for side, foot in enumerate(self.feet):
            times = [0.0]
            for k in range(steps.count):
                if steps.side(k) != side:
                    continue
                off, toes, strike, flat = self._phases(steps, k)
                times += np.linspace(max(off, times[-1]), toes, _ROLL_PARTS + 1).tolist()
                times += np.linspace(toes, strike, _SWING_PARTS + 1).tolist()[1:]
                times += np.linspace(strike, flat, _ROLL_PARTS + 1).tolist()[1:]
            times.append(max(float(steps.times_s[-1]), times[-1]))
            for begin, end in pairwise(times):
                if end - begin > 2.0 * SEAM_S:
                    first, last = (
                        self._pin(foot, *self.at(steps, side, time_s)) for time_s in (begin, end)
                    )
                    out.append(TimedPin(first, begin, end - SEAM_S, last))
            last_s = times[-1]
            out.append(TimedPin(self._pin(foot, *self.at(steps, side, last_s)), last_s, last_s))
        return out

    def at(self, steps: Footsteps, side: int, time_s: float) -> tuple[tuple[Floats, Floats], float]:
        """Position (3,) and rotation (3, 3) of a foot at a time, and its pitch, rad: toes down."""
        stood = self.origin
        for k in range(steps.count):
            if steps.side(k) != side:
                continue
            off, toes, strike, flat = self._phases(steps, k)
            if time_s <= off:
                break
            reach = steps.reach(k)
            roll = 0.0 if reach < _LEAST_ROLL else min(reach / 0.8, 1.0)
            lands = steps.prints[k + 1]
            if time_s < toes:
                pitch = roll * _OFF_RAD * smoothstep((time_s - off) / (toes - off)) if k else 0.0
                return self._placed(side, stood, pitch), pitch
            if time_s < strike:
                u = (time_s - toes) / (strike - toes)
                first = roll * _OFF_RAD if k else 0.0
                last = -roll * _STRIKE_RAD
                pitch = first + smoothstep(u) * (last - first)
                a, _ = self._placed(side, stood, first)
                b, _ = self._placed(side, lands, last)
                position = a + smoothstep(u) * (b - a)
                position[1] += _LIFT_M * float(np.sin(np.pi * u)) ** 2
                between = stood.towards(lands, smoothstep(u))
                return (position, self._rotation(side, between, pitch)), pitch
            stood = lands
            if time_s < flat:
                pitch = (
                    -roll * _STRIKE_RAD * (1.0 - smoothstep((time_s - strike) / (flat - strike)))
                )
                return self._placed(side, lands, pitch), pitch
        return self._placed(side, stood, 0.0), 0.0

    def _phases(self, steps: Footsteps, k: int) -> tuple[float, float, float, float]:
        """When the foot of a step leaves with its heel and toes, and lands with heel and sole."""
        begin, length = float(steps.times_s[k]), steps.length_s(k)
        before = steps.length_s(k - 1) if k > 0 else 0.0
        last = k + 1 == steps.count
        after = 0.0 if last else steps.length_s(k + 1)
        strike = begin + (_STRIKE - (_FLAT if last else 0.0)) * length
        flat = begin + length + _FLAT * after
        return begin - (1.0 - _HEEL_OFF) * before, begin + _TOE_OFF * length, strike, flat

    def _placed(self, side: int, pose: GroundPose, pitch: float) -> tuple[Floats, Floats]:
        """A standing foot with a pitch: about its ball with the toes down, else about its heel."""
        _, position = moved_on_ground(self.frames.position(self.feet[side]), self.origin, pose)
        rotation = self._rotation(side, pose, pitch)
        pivot = self.pivots[side]
        if pivot is None:
            return position, self._rotation(side, pose, 0.0)
        offset = pivot[1] if pitch > 0.0 else pivot[0]
        flat = self._rotation(side, pose, 0.0)
        return position + (flat - rotation) @ offset, rotation

    def _rotation(self, side: int, pose: GroundPose, pitch: float) -> Floats:
        turn = yaw_matrix(pose.heading - self.origin.heading)
        return (
            rotation_about(lateral_axis(pose), pitch) @ turn @ self.frames.rotation(self.feet[side])
        )

    def _heel_and_ball(self, foot: str) -> tuple[Floats, Floats] | None:
        """Where a foot rolls on the floor, in its frame: the end of its rearmost capsule, its toes.

        Without a joint of the toes, the end of its foremost capsule. None without capsules.
        """
        ends = [
            end
            for capsule in self.figure.capsules
            if capsule.joint == foot
            for end in (capsule.start_in_joint, capsule.end_in_joint)
        ]
        if len(ends) < 2:
            return None
        ahead = yaw_matrix(self.origin.heading)[:, 2]
        along = np.array(ends) @ (self.frames.rotation(foot).T @ ahead)
        joints = self.skeleton.joints
        side = SIDES[self.feet.index(foot)]
        toe = dict(self.figure.roles).get(f"{side}_toe")
        ball = ends[int(np.argmax(along))]
        if toe is not None and joints[self.skeleton.index(toe)].parent == foot:
            ball = joints[self.skeleton.index(toe)].offset_in_parent
        return ends[int(np.argmin(along))], ball

    def _pin(self, foot: str, placed: tuple[Floats, Floats], _pitch: float = 0.0) -> Pin:
        position, rotation = placed
        return Pin(foot, vector3(position), orientation_in_world=quaternion_of(rotation))


def moved_on_ground(point: Floats, origin: GroundPose, pose: GroundPose) -> tuple[Floats, Floats]:
    """The rotation (3, 3) from one place on the ground to another, and a point moved with it."""
    turn = yaw_matrix(pose.heading - origin.heading)
    pivot = np.array([origin.at[0], 0.0, origin.at[1]])
    goal = np.array([pose.at[0], 0.0, pose.at[1]])
    return turn, turn @ (point - pivot) + goal


def lateral_axis(pose: GroundPose) -> Floats:
    """(3,) the lateral axis of a body at a place on the ground, to its left."""
    return yaw_matrix(pose.heading) @ np.array([1.0, 0.0, 0.0])
