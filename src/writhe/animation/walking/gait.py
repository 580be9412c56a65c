"""How a walking body moves over footsteps: smooth functions of time for place, speed, height."""

from __future__ import annotations

import numpy as np

from writhe.animation.key_interpolation import monotone_slopes
from writhe.animation.walking.footsteps import READY_S, Footsteps, GroundPose
from writhe.animation.walking.ground_course import heading_of_direction
from writhe.arrays import Floats
from writhe.easing import smoothstep
from writhe.skeleton.quaternions import wrapped_angle

_SPEED_M_S = 0.85  # arms swing and the trunk leans in proportion to the speed, so far at this one
_CHEST_LEAD_S, _HEAD_LEAD_S = 0.12, 0.3  # chest and head turn earlier than the hips
_CHEST_LEAD_RAD, _HEAD_LEAD_RAD = 0.25, 0.5  # and are ahead by this at most
_GAZE_RAD, _GAZE_S, _GAZE_M = 0.9, 0.4, 0.9  # towards the goal: how far, how soon, up to where
_READY = 0.6  # of the sway in walking: how far the hips move over a foot before the first step
_LANDING = 0.991  # length of the leg when its foot lands, relative to a straight one
# by which the hips are lower in the middle of a step, and at both ends, relative to the leg
_DROP, _UNLOCK = 0.007, 0.014
_LOWEST = 0.06  # the share of a step at which the hips are lowest


class Gait:
    """How the body moves over footsteps.

    straight_m, stands_m: lengths of a straight leg, and of the leg of the standing body.
    """

    def __init__(self, steps: Footsteps, straight_m: float, stands_m: float) -> None:
        self.steps, times = steps, steps.times_s
        bodies = steps.bodies
        ground = np.array([[*body.at, body.heading] for body in bodies])
        self.ground = _Course(times, ground)
        # quantities when feet land: none before the first step and after the last one
        between = range(1, steps.count)
        speed, swing, low, middle = np.zeros((4, len(bodies)))
        for end in (0, -1):  # the knees unlock before the first step, and straighten in the last
            low[end] = middle[end] = _UNLOCK * stands_m
        for k in between:
            way = bodies[k - 1].distance(bodies[k]) + bodies[k].distance(bodies[k + 1])
            speed[k] = min(way / float(times[k + 1] - times[k - 1]) / _SPEED_M_S, 1.3)
            swing[k] = speed[k] * (2.0 * steps.side(k - 1) - 1.0)
            half = 0.5 * steps.apart_m(k - 1)
            height = np.sqrt(max((_LANDING * straight_m) ** 2 - half**2, (0.7 * stands_m) ** 2))
            low[k] = max(stands_m - float(height), 0.0)
            middle[k] = _DROP * stands_m
        self.course = _Course(times, np.stack([speed, swing, low, middle], axis=1))

    def body(self, time_s: float) -> GroundPose:
        x, z, heading = (float(value) for value in self.ground.at(time_s))
        return GroundPose(np.array([x, z]), heading)

    def turns_ahead(self, time_s: float) -> tuple[float, float]:
        """rad by which the chest, and the head, are turned further than the hips."""
        at = [float(self.ground.at(time_s + s)[2]) for s in (0.0, _CHEST_LEAD_S, _HEAD_LEAD_S)]
        chest = min(max(at[1] - at[0], -_CHEST_LEAD_RAD), _CHEST_LEAD_RAD)
        head = min(max(at[2] - at[0], -_HEAD_LEAD_RAD), _HEAD_LEAD_RAD)
        gaze, share = self._gaze(time_s)
        return chest, head + share * (gaze - head)

    def _gaze(self, time_s: float) -> tuple[float, float]:
        """The turn of the head from the hips to the goal, rad, and how much it looks there.

        It looks there from the beginning until it is near.
        """
        body = self.body(time_s)
        ahead = self.steps.prints[-1].at - body.at
        far = float(np.linalg.norm(ahead))
        if far < 1e-6:
            return 0.0, 0.0
        turn = wrapped_angle(heading_of_direction(ahead) - body.heading)
        share = smoothstep(time_s / _GAZE_S) * smoothstep(far / _GAZE_M - 0.5)
        share *= smoothstep((np.pi - abs(turn)) / 0.6)  # not over the other shoulder at once
        return min(max(turn, -_GAZE_RAD), _GAZE_RAD), float(share)

    def sway(self, time_s: float) -> float:
        """How far the hips are over the right foot, 1 in the middle of a step at full speed.

        Negative over the left one. They move over the standing foot before the first step.
        """
        step, u = self.step(time_s)
        side = 1.0 - 2.0 * self.steps.side(step)
        over = min(self.speed(time_s), 1.0) * float(np.sin(np.pi * u)) ** 2
        if step == 0:
            first_s = float(self.steps.times_s[0])
            begins = _READY * smoothstep((time_s - first_s + READY_S) / READY_S)
            over = max(over, begins * (1.0 - smoothstep(u)))
        return side * over

    def speed(self, time_s: float) -> float:
        """The speed, relative to _SPEED_M_S."""
        return float(self.course.at(time_s)[0])

    def swing(self, time_s: float) -> float:
        """The swing of arms and hips: positive with the right foot ahead."""
        return float(self.course.at(time_s)[1])

    def lower_m(self, time_s: float) -> float:
        """By how much the hips are lower than standing."""
        _, u = self.step(time_s)
        low, middle = (float(value) for value in self.course.at(time_s)[2:])
        landing = 0.5 + 0.5 * np.cos(2.0 * np.pi * (u - _LOWEST))
        first_s, last_s = (float(self.steps.times_s[k]) for k in (0, -1))
        unlocked = smoothstep((time_s - first_s) / READY_S + 1.0)
        unlocked *= smoothstep((last_s - time_s) / READY_S)
        return float(unlocked * (middle + landing * (low - middle)))

    def step(self, time_s: float) -> tuple[int, float]:
        """The step at a time, and the share of it that is over."""
        times = self.steps.times_s
        k = int(np.searchsorted(times, time_s, side="right")) - 1
        k = min(max(k, 0), self.steps.count - 1)
        u = (time_s - float(times[k])) / self.steps.length_s(k)
        return k, float(min(max(u, 0.0), 1.0))


class _Course:
    """A smooth quantity over time: values (n, size) at times (n,). It rests at both ends.

    It does not overshoot.
    """

    def __init__(self, times_s: Floats, values: Floats) -> None:
        self.times_s, self.values = times_s, values
        self.slopes = np.zeros_like(values)
        if len(values) > 1:
            self.slopes = monotone_slopes(np.diff(values, axis=0) / np.diff(times_s)[:, None])

    def at(self, time_s: float) -> Floats:
        """(size,) the value at a time."""
        if len(self.values) < 2:
            return self.values[0]
        i = int(np.searchsorted(self.times_s, time_s, side="right")) - 1
        i = min(max(i, 0), len(self.times_s) - 2)
        length = float(self.times_s[i + 1] - self.times_s[i])
        u = min(max((time_s - float(self.times_s[i])) / length, 0.0), 1.0)
        before, after = length * self.slopes[i], length * self.slopes[i + 1]
        blend = self.values[i] + smoothstep(u) * (self.values[i + 1] - self.values[i])
        return blend + u * (1.0 - u) * ((1.0 - u) * before - u * after)
