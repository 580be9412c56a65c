"""A walk: footsteps to a point of the floor, around obstacles, solved as keys by `animate`.

The body turns towards the goal, walks there and turns to its final direction. While a foot stands
it is pinned; while it swings it follows a lifted path from one footstep to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.animation.animate_keys import animate
from writhe.animation.body.turn_joint import turned
from writhe.animation.collision_world import EnvironmentOverTime
from writhe.animation.key_interpolation import Key
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import TimedPin
from writhe.animation.result import Animation
from writhe.arguments import checked
from writhe.arrays import Floats, floats, number, vector3
from writhe.easing import smoothstep
from writhe.errors import WritheError
from writhe.planning.ground_route import CLEARANCE_M, Outline, outlines, route
from writhe.scene import Scene
from writhe.skeleton import Figure, Frames, JointKind, Skeleton, forward
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.limbs import ANKLES, SIDES
from writhe.skeleton.move_root import free_root, moved_roots
from writhe.skeleton.quaternions import quaternion_of, rotation_about, wrapped_angle
from writhe.solvers.posing import Hold, Pin

STEP_S = 0.5
STRIDE = 0.5  # length of a step, relative to that of a leg
_TURN_RAD = 0.7  # in a step on the spot
_INWARD_RAD = 0.35  # larger turns do not begin with the foot of the other side
_NEAR_M = 0.05  # a goal that is nearer than this needs no step
_LIFT_M = 0.07  # of a swinging foot
_PARTS = 6  # straight pieces of the path of a swinging foot
_BOB = 0.05  # by which the hips are lower than standing, relative to the leg
_FORWARD_RAD, _BACK_RAD, _ELBOW_RAD = 0.2, 0.5, 0.25  # swing of the arms; bend of the forward elbow
# turn of the hips with the leading leg; of the chest against them; lean of the trunk
_HIPS_RAD, _CHEST_RAD, _LEAN_RAD = 0.12, 0.24, 0.04
_DROP_RAD, _SWAY_M = 0.07, 0.02  # in the middle of a step: hips drop, and move over the leg
_THIGH_RAD, _KNEE_RAD = 0.5, 0.9  # by which the swinging leg is bent in the middle of a step
_TOE_RAD, _HEEL_RAD = 0.35, 0.2  # pitch of a swinging foot after it leaves and before it lands
_DETOURS = 4  # times that a path is searched again around what moves
_PASSES_M = CLEARANCE_M - 0.01  # what moves is passed at this distance, at least
_FARTHEST_M, _LONGEST_READY_S = 100.0, 10.0


@dataclass(frozen=True)
class _GroundPose:
    """Where the body is over the ground: position (x, z) and heading, rad."""

    at: Floats
    heading: float


@checked
def walk(
    subject: Figure | Scene,
    start: ArrayLike,
    goal_m: ArrayLike,
    *,
    fps: float,
    facing_rad: float | None = None,
    holds: Sequence[Hold] = (),
    posture: ArrayLike | None = None,
    ready_s: float = 0.0,
    actor: str | None = None,
    avoid: Sequence[Outline] | None = None,
    environment: EnvironmentOverTime | None = None,
) -> Animation:
    """A walk of a person from a standing pose (nq) to the position goal_m (x, z) on the ground.

    facing_rad: heading at the end, about the vertical from +z towards +x; by default the direction
    of the walk. holds: kept all the way, such as the second hand on a carried bar; arms with a
    hold, or with an object attached to them, do not swing. posture (nq): of
    the body while it walks and at the end, standing as at the start (default: that pose); it is
    taken on the first step or, with ready_s, in that time before it. avoid: what the
    path leads around, by default the other actors and the objects of the scene at rest.
    environment: as in `animate`; the path goes around what moves into it, too.
    """
    figure = subject.actor(actor).figure if isinstance(subject, Scene) else subject
    skeleton, roles = figure.skeleton, dict(figure.roles)
    feet = [roles[role] for role in ANKLES if role in roles]
    if len(feet) < 2 or skeleton.joints[free_root(skeleton)].kind is not JointKind.FREE:
        raise WritheError("only a body with two feet and a free root can walk")
    q = floats(start, (skeleton.configuration_size,), "the standing pose")
    goal = floats(goal_m, (2,), "the goal")
    number(float(np.abs(goal).max()), "the goal", maximum=_FARTHEST_M)
    held = q if posture is None else floats(posture, q.shape, "the posture of the walk")
    number(ready_s, "the time before the first step", minimum=0.0, maximum=_LONGEST_READY_S)
    walker = _Walker(figure, held, feet, _busy(subject, actor, holds), ready_s)
    around = list(avoid or ())
    if avoid is None and isinstance(subject, Scene):
        around = outlines(subject, subject.actor(actor).name, subject.layout.rest())
    poses = walker.poses(route(walker.origin.at, goal, around), facing_rad)
    if isinstance(subject, Scene) and environment is not None:
        for _ in range(_DETOURS):
            met = _met(subject, actor, environment, walker, poses)
            if not met:
                break
            around += met
            poses = walker.poses(route(walker.origin.at, goal, around), facing_rad)
    keys = walker.keys(poses)
    return animate(
        subject,
        [Key(0.0, q), *(keys if ready_s > 0.0 else keys[1:])],
        fps=fps,
        pins=[*walker.pins(poses), *(TimedPin(hold) for hold in holds)],
        actor=actor,
        environment=environment,
        options=AnimateOptions(fade_s=0.1, plan=False, balance=False, clear_keys=True),
    )


def _met(
    scene: Scene,
    actor: str | None,
    environment: EnvironmentOverTime,
    walker: _Walker,
    poses: list[_GroundPose],
) -> list[Outline]:
    """The outlines of what has moved onto the path when the body comes by."""
    name = scene.actor(actor).name
    times = walker.begin_s + STEP_S * np.arange(len(poses))
    rows = environment(np.concatenate([[0.0], times]))
    still, out = [one.centres for one in outlines(scene, name, rows[0])], list[Outline]()
    for pose, row in zip(poses, rows[1:], strict=True):
        for outline in outlines(scene, name, row):
            moved = not any(np.array_equal(outline.centres, centres) for centres in still)
            if moved and outline.distance(pose.at) < _PASSES_M:
                out.append(outline)
    return out


def _busy(subject: Figure | Scene, actor: str | None, holds: Sequence[Hold]) -> set[str]:
    """Joints of the actor that hold or carry something."""
    busy = {hold.joint for hold in holds} | {hold.on for hold in holds}
    if isinstance(subject, Scene):
        prefix = f"{actor or subject.actors[0].name}."
        carried = [item.attached_to for item in subject.objects]
        busy |= {name.removeprefix(prefix) for name in carried if name.startswith(prefix)}
    return busy


class _Walker:
    def __init__(
        self, figure: Figure, q: Floats, feet: list[str], busy: set[str], begin_s: float
    ) -> None:
        self.figure, self.q, self.feet, self.busy = figure, q, feet, busy
        self.begin_s = begin_s  # of the first step
        self.first_side = 0  # the foot that swings first: 0 is the left one
        self.skeleton: Skeleton = figure.skeleton
        self.frames: Frames = forward(self.skeleton, q)
        self.root = self.frames.positions[free_root(self.skeleton)]
        middle = np.mean([self.frames.position(foot) for foot in feet], axis=0)
        self.origin = _GroundPose(middle[[0, 2]], heading_of(figure, q))
        self.leg_m = float(self.root[1] - middle[1])

    def poses(self, path: Floats, facing: float | None) -> list[_GroundPose]:
        """The body at the start and after every step of a path (n, 2) over the ground.

        The last step brings the feet together.
        """
        out = [self.origin]
        legs = np.linalg.norm(np.diff(path, axis=0), axis=1)
        length = np.concatenate([[0.0], np.cumsum(legs)])
        if length[-1] >= _NEAR_M:
            count = int(np.ceil(length[-1] / (STRIDE * self.leg_m)))
            at = np.linspace(0.0, float(length[-1]), count + 1)
            points = np.stack([np.interp(at, length, path[:, k]) for k in range(2)], axis=1)
            turn = _turn_between(self.origin.heading, _heading(points[1] - points[0]))
            self.first_side = 0 if turn >= 0.0 else 1
            if abs(turn) > _TURN_RAD:
                self._turn(out, self.origin.heading + turn)
            for k in range(1, count + 1):
                ahead = _heading(points[min(k + 1, count)] - points[k - 1])
                turn = _turn_between(out[-1].heading, ahead)
                if abs(turn) > _TURN_RAD:
                    self._turn(out, ahead)
                    turn = 0.0
                out.append(_GroundPose(points[k], out[-1].heading + turn))
        if facing is not None:
            self._turn(out, facing)
        return [*out, out[-1]]

    def _turn(self, poses: list[_GroundPose], heading: float) -> None:
        """Add a turn on the spot, which begins with the foot on the side of the turn."""
        first = poses[-1]
        angle = _turn_between(first.heading, heading)
        count = int(np.ceil(abs(angle) / _TURN_RAD - 1e-9))
        side = 0 if angle > 0.0 else 1
        if len(poses) == 1:
            self.first_side = side
        elif abs(angle) > _INWARD_RAD and self._swings(len(poses) - 1) != side:
            poses.append(first)
        poses.extend(
            _GroundPose(first.at, first.heading + angle * (k + 1) / count) for k in range(count)
        )

    def _swings(self, step: int) -> int:
        """The foot that swings in a step: 0 is the left one, 1 the right one."""
        return (step + self.first_side) % 2

    def keys(self, poses: list[_GroundPose]) -> list[Key]:
        """A key after every step, and one in the middle of it with the swinging leg bent."""
        last = len(poses) - 1
        out = [Key(self.begin_s, self.q)]
        for k in range(last):
            a, b = poses[k], poses[k + 1]
            middle = self._lowered(self._body_at(_between(a, b, 0.5)), 0.5 * _BOB)
            walks = bool(np.linalg.norm(b.at - a.at) > _NEAR_M)
            if walks:
                middle = self._leant(middle, _between(a, b, 0.5))
                middle = self._swayed(middle, _between(a, b, 0.5), 1.0 - 2.0 * self._swings(k))
            middle = self._leg_bent(middle, _between(a, b, 0.5), SIDES[self._swings(k)])
            out.append(Key(self.begin_s + (k + 0.5) * STEP_S, middle))
            q = self._body_at(b)
            if walks and k + 1 < last:
                sign = 2.0 * self._swings(k) - 1.0
                q = self._arms_swung(
                    self._wound(self._leant(self._lowered(q, _BOB), b), sign), b, sign
                )
            out.append(Key(self.begin_s + (k + 1) * STEP_S, q))
        return out

    def _lowered(self, q: Floats, share: float) -> Floats:
        """The body lowered by a share of its leg."""
        down = np.array([0.0, -share * self.leg_m, 0.0])
        return moved_roots(self.skeleton, q[None], np.eye(3), down)[0]

    def _leg_bent(self, q: Floats, pose: _GroundPose, side: str) -> Floats:
        q = self._turned(q, f"{side}_hip", _across(pose), -_THIGH_RAD)
        return self._turned(q, f"{side}_knee", _across(pose), _KNEE_RAD)

    def pins(self, poses: list[_GroundPose]) -> list[TimedPin]:
        """Every foot pinned where it stands, and led from one footstep to the next."""
        out: list[TimedPin] = []
        last = len(poses) - 1
        for side, foot in enumerate(self.feet):
            stood, since = self.origin, 0.0
            for k in range(last):
                if self._swings(k) != side:
                    continue
                # it lands where the body is in the middle of the time that it stands
                a, b = poses[min(k + 1, last)], poses[min(k + 2, last)]
                lands = _GroundPose(0.5 * (a.at + b.at), 0.5 * (a.heading + b.heading))
                begin = self.begin_s + k * STEP_S
                end = begin + STEP_S
                out.append(TimedPin(self._pin(foot, stood), since, begin))
                out += self._swing(foot, stood, lands, begin, end)
                stood, since = lands, end
            out.append(TimedPin(self._pin(foot, stood), since, self.begin_s + last * STEP_S))
        return out

    def _swing(
        self, foot: str, start: _GroundPose, end: _GroundPose, begin_s: float, end_s: float
    ) -> list[TimedPin]:
        us = np.linspace(0.0, 1.0, _PARTS + 1)
        pins = [self._pin(foot, _between(start, end, smoothstep(u)), u) for u in us]
        times = begin_s + us * (end_s - begin_s)
        return [
            TimedPin(pins[i], float(times[i]) + 1e-4, float(times[i + 1]) - 1e-4, pins[i + 1])
            for i in range(_PARTS)
        ]

    def _pin(self, foot: str, pose: _GroundPose, u: float = 0.0) -> Pin:
        """A foot under the body at a pose, lifted and pitched at the fraction u of its swing."""
        turn, position = self._moved(self.frames.position(foot), pose)
        share = np.sin(np.pi * u) ** 2
        position[1] += _LIFT_M * share
        pitch = share * (_TOE_RAD * (1.0 - u) - _HEEL_RAD * u)
        across = yaw_matrix(pose.heading) @ np.array([1.0, 0.0, 0.0])
        rotation = rotation_about(across, pitch) @ turn @ self.frames.rotation(foot)
        return Pin(foot, vector3(position), orientation_in_world=quaternion_of(rotation))

    def _moved(self, point: Floats, pose: _GroundPose) -> tuple[Floats, Floats]:
        """The rotation of the body from the start to a pose, and a point moved with it."""
        turn = yaw_matrix(pose.heading - self.origin.heading)
        pivot = np.array([self.origin.at[0], 0.0, self.origin.at[1]])
        goal = np.array([pose.at[0], 0.0, pose.at[1]])
        return turn, turn @ (point - pivot) + goal

    def _body_at(self, pose: _GroundPose) -> Floats:
        turn, root = self._moved(self.root, pose)
        return moved_roots(self.skeleton, self.q[None], turn, root - turn @ self.root)[0]

    def _leant(self, q: Floats, pose: _GroundPose) -> Floats:
        """The trunk a little forward; the head looks ahead."""
        for role, angle in (("spine", 0.5), ("chest", 0.5), ("neck", -1.0)):
            q = self._turned(q, role, _across(pose), angle * _LEAN_RAD)
        return q

    def _wound(self, q: Floats, sign: float) -> Floats:
        """Hips turned with the leading leg, the right one with a positive sign, chest against them.

        The head looks ahead.
        """
        up = np.array([0.0, 1.0, 0.0])
        for role, angle in (
            ("hips", sign * _HIPS_RAD),
            ("spine", -sign * (_HIPS_RAD + 0.5 * _CHEST_RAD)),
            ("chest", -sign * 0.5 * _CHEST_RAD),
            ("neck", sign * _CHEST_RAD),
        ):
            q = self._turned(q, role, up, angle)
        return q

    def _swayed(self, q: Floats, pose: _GroundPose, sign: float) -> Floats:
        """Hips over the standing leg, the right one with a positive sign, lower on the other side.

        The trunk stays upright.
        """
        left, ahead = (yaw_matrix(pose.heading) @ np.eye(3)[k] for k in (0, 2))
        q = moved_roots(self.skeleton, q[None], np.eye(3), -sign * _SWAY_M * left)[0]
        q = self._turned(q, "hips", ahead, -sign * _DROP_RAD)
        return self._turned(q, "spine", ahead, sign * _DROP_RAD)

    def _arms_swung(self, q: Floats, pose: _GroundPose, sign: float) -> Floats:
        """The arms swung about the lateral axis, the left one forwards with a positive sign."""
        roles = dict(self.figure.roles)
        for side, back in (("left", -sign), ("right", sign)):
            shoulder = roles.get(f"{side}_shoulder")
            if shoulder is not None and not self._is_busy(shoulder):
                swing = _BACK_RAD if back > 0.0 else -_FORWARD_RAD
                q = self._turned(q, f"{side}_shoulder", _across(pose), swing)
                if back < 0.0:
                    q = self._turned(q, f"{side}_elbow", _across(pose), -_ELBOW_RAD)
        return q

    def _is_busy(self, shoulder: str) -> bool:
        """Whether a joint of the arm below a shoulder holds or carries something."""
        at = self.skeleton.index(shoulder)
        return not self.busy.isdisjoint(
            self.skeleton.names[at : int(self.skeleton.tree.subtree_end[at])]
        )

    def _turned(self, q: Floats, role: str, axis: Floats, angle: float) -> Floats:
        """The pose with the joint of a role, if there is one, turned about an axis in the world."""
        return turned(self.skeleton, q, dict(self.figure.roles).get(role), axis, angle)


def _heading(ahead: Floats) -> float:
    """The heading of a direction (x, z), rad."""
    return float(np.arctan2(ahead[0], ahead[1]))


def _turn_between(heading: float, other: float) -> float:
    """The turn from one heading to another, -pi to pi."""
    return wrapped_angle(other - heading)


def _between(a: _GroundPose, b: _GroundPose, share: float) -> _GroundPose:
    return _GroundPose(a.at + share * (b.at - a.at), a.heading + share * (b.heading - a.heading))


def _across(pose: _GroundPose) -> Floats:
    """(3,) the lateral axis of the body, to its left."""
    return yaw_matrix(pose.heading) @ np.array([1.0, 0.0, 0.0])
