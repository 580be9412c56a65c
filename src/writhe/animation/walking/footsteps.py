"""Footsteps along a path over the ground, and their times."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from writhe.animation.walking.ground_course import GroundCourse
from writhe.arrays import Floats
from writhe.skeleton.quaternions import wrapped_angle

STRIDE = 0.5  # length of a step, relative to that of a leg
TURN_RAD = 0.7  # in a step on the spot
_INWARD_RAD = 0.35  # larger turns do not begin with the foot of the other side
NEAR_M = 0.05  # a goal that is nearer than this needs no step
_STAYS_M, _STAYS_RAD = 0.02, 0.05  # a foot this near to its footprint makes no step
# a step takes _SHORT_STEP_S, and _LONGER_S more if the foot moves by two strides
_SHORT_STEP_S, _LONGER_S = 0.4, 0.16
_ARC_STEP_RAD = 0.5  # of turn in a step along a course
READY_S = 0.2  # in which the head turns and the weight moves over a foot, before the first step


@dataclass(frozen=True)
class GroundPose:
    """Where the body is over the ground: position (x, z) and heading, rad."""

    at: Floats
    heading: float

    def distance(self, other: GroundPose) -> float:
        return float(np.linalg.norm(other.at - self.at))

    def towards(self, other: GroundPose, share: float) -> GroundPose:
        """The pose at a share of the way to another."""
        heading = self.heading + share * (other.heading - self.heading)
        return GroundPose(self.at + share * (other.at - self.at), heading)

    def stays(self, other: GroundPose) -> bool:
        """Whether a foot that stands here need not move to get there."""
        turn = abs(other.heading - self.heading)
        return self.distance(other) < _STAYS_M and turn < _STAYS_RAD


@dataclass(frozen=True)
class Footsteps:
    """The feet move in turn, each to its footprint; the body is between them."""

    first_side: int  # the foot that swings first: 0 is the left one
    prints: list[GroundPose]  # of the body over each footprint; the first one is where it stands
    times_s: Floats  # when the first foot leaves, and when each foot lands
    stride_m: float

    @property
    def count(self) -> int:
        return len(self.prints) - 1

    @property
    def bodies(self) -> list[GroundPose]:
        """The body when each foot lands: between the two feet."""
        pairs = pairwise(self.prints)
        return [self.prints[0], *(a.towards(b, 0.5) for a, b in pairs)]

    def side(self, step: int) -> int:
        """The foot that swings in a step: 0 is the left one, 1 the right one."""
        return (step + self.first_side) % 2

    def leaves(self, step: int) -> GroundPose:
        """The footprint from which the foot of a step leaves."""
        return self.prints[max(step - 1, 0)]

    def length_s(self, step: int) -> float:
        return float(self.times_s[step + 1] - self.times_s[step])

    def apart_m(self, step: int) -> float:
        """The distance of the footprints when the foot of a step lands."""
        return self.prints[step].distance(self.prints[step + 1])

    def reach(self, step: int) -> float:
        """How far the foot of a step moves: 1 in a long walk, less in a short step."""
        moves = self.leaves(step).distance(self.prints[step + 1])
        return min(moves / (2.0 * self.stride_m), 1.0)


def footsteps(
    origin: GroundPose,
    course: GroundCourse | None,
    facing: float | None,
    stride_m: float,
    begin_s: float,
    *,
    stands: Floats | None = None,
) -> Footsteps:
    """The footsteps along a course to a heading at the end; the last ones are side by side.

    course: None if the body stays. stands (2,): where it stands in the end, if that is beside the
    end of the course: it goes there while it turns.
    """
    prints, side = [origin], 0
    if course is not None:
        spaced = course.spaced(stride_m, _ARC_STEP_RAD)
        ahead = float(spaced.headings[-1]) - origin.heading
        side = 0 if (course.turn_rad or ahead) >= 0.0 else 1
        if course.turn_rad:
            side = _turn(prints, side, origin.heading + course.turn_rad)
        for at, heading in zip(spaced.points[1:], spaced.headings[1:], strict=True):
            prints.append(GroundPose(at, float(heading)))
        if facing is not None:
            prints[-1] = _turned_at_the_end(prints, side, facing)
    if facing is not None:
        side = _turn(prints, side, facing, stands)
    if len(prints) > 1 and not prints[-2].stays(prints[-1]):
        prints.append(prints[-1])
    steps = Footsteps(side, prints, np.zeros(len(prints)), stride_m)
    lengths = [_SHORT_STEP_S + _LONGER_S * steps.reach(k) for k in range(steps.count)]
    times = begin_s + READY_S + np.concatenate([[0.0], np.cumsum(lengths)])
    return Footsteps(side, prints, times, stride_m)


def _turned_at_the_end(prints: list[GroundPose], first_side: int, facing: float) -> GroundPose:
    """The last footprint of a walk, turned towards the final heading as far as a foot can."""
    last = prints[-1]
    turn = _turn_between(last.heading, facing)
    swings = (first_side + len(prints) - 2) % 2
    most = TURN_RAD if (turn > 0.0) == (swings == 0) else _INWARD_RAD
    return GroundPose(last.at, last.heading + min(max(turn, -most), most))


def _turn(
    prints: list[GroundPose], first_side: int, heading: float, stands: Floats | None = None
) -> int:
    """Add a turn on the spot, or on the way to where the body stands (2,).

    It begins with the foot on the side of the turn. Returns the foot that swings in the first step
    of all.
    """
    first = prints[-1]
    angle = _turn_between(first.heading, heading)
    moves = stands is not None and np.linalg.norm(stands - first.at) > _STAYS_M
    if abs(angle) < 1e-6 and not moves:
        return first_side
    count = max(1, int(np.ceil(abs(angle) / TURN_RAD - 1e-9)))
    side = 0 if angle > 0.0 else 1
    if len(prints) == 1:
        first_side = side
    elif abs(angle) > _INWARD_RAD and (first_side + len(prints) - 1) % 2 != side:
        prints.append(first)
    last = GroundPose(first.at if stands is None else stands, first.heading + angle)
    prints.extend(first.towards(last, (k + 1) / count) for k in range(count))
    return first_side


def _turn_between(heading: float, other: float) -> float:
    """The turn from one heading to another, -pi to pi."""
    return wrapped_angle(other - heading)
