"""A walk: footsteps to a point of the floor, around obstacles, solved as keys by `animate`.

The body turns towards the goal, walks there and turns to its final direction. While a foot stands
it is pinned. It rolls over its ball before it leaves the floor, swings along a lifted path, lands
on its heel and rolls onto its sole.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from writhe.animation.animate_keys import animate
from writhe.animation.body.turn_joint import turned
from writhe.animation.collision_world import EnvironmentOverTime
from writhe.animation.key_interpolation import Key, KeyBlend, monotone_slopes
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import TimedPin
from writhe.animation.result import Animation
from writhe.animation.walking.footsteps import STRIDE, Footsteps, GroundPose, footsteps
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
from writhe.skeleton.quaternions import quaternion_of, rotation_about, rotation_matrix
from writhe.solvers.posing import Hold, Pin

_SAMPLES = 8  # poses per step
_SPEED_M_S = 0.85  # arms swing and the trunk leans in proportion to the speed, so far at this one
_CHEST_LEAD_S, _HEAD_LEAD_S = 0.12, 0.3  # chest and head turn earlier than the hips
_CHEST_LEAD_RAD, _HEAD_LEAD_RAD = 0.25, 0.5  # and are ahead by this at most
_LIFT_M = 0.035  # of a swinging foot, above the path from heel-off to heel strike
# phases of a step, as shares of its time: the heel leaves the floor (in the step before), the toes
# leave it, the other heel lands, its sole is flat (in the step after)
_HEEL_OFF, _TOE_OFF, _STRIKE, _FLAT = 0.65, 0.1, 1.0, 0.25
_OFF_RAD, _STRIKE_RAD = 0.45, 0.25  # pitch of the foot in a long step, as it leaves and as it lands
_LEAST_ROLL = 0.2  # steps that are shorter than this share of a long one are flat
_ROLL_PARTS, _SWING_PARTS = 4, 6  # straight pieces of the path of a foot
_LANDING = 0.987  # length of the leg when its foot lands, relative to a straight one
_DROP = 0.016  # by which the hips are lower in the middle of a step, relative to the leg
_LOWEST = 0.06  # the share of a step at which the hips are lowest
_FORWARD_RAD, _BACK_RAD, _ELBOW_RAD = 0.2, 0.3, 0.15  # swing of the arms; bend of the forward elbow
# turn of the hips with the leading leg; of the chest against them; lean of the trunk
_HIPS_RAD, _CHEST_RAD, _LEAN_RAD = 0.12, 0.24, 0.04
_TILT_RAD, _SWAY_M = 0.07, 0.02  # in the middle of a step: hips tilt, and move over the leg
_LEG = ("hip", "knee", "ankle")
_DETOURS = 4  # times that a path is searched again around what moves
_PASSES_M = CLEARANCE_M - 0.01  # what moves is passed at this distance, at least
_FARTHEST_M, _LONGEST_READY_S = 100.0, 10.0
_SEAM_S = 3e-6  # between two pieces of the path of a foot


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
    walker = _Walker(figure, q, held, feet, _busy(subject, actor, holds), ready_s)
    around = list(avoid or ())
    if avoid is None and isinstance(subject, Scene):
        around = outlines(subject, subject.actor(actor).name, subject.layout.rest())
    steps = walker.steps(route(walker.origin.at, goal, around), facing_rad)
    if isinstance(subject, Scene) and environment is not None:
        for _ in range(_DETOURS):
            met = _met(subject, actor, environment, steps)
            if not met:
                break
            around += met
            steps = walker.steps(route(walker.origin.at, goal, around), facing_rad)
    keys = walker.keys(steps)
    return animate(
        subject,
        [Key(0.0, q), *(keys if ready_s > 0.0 else keys[1:])],
        fps=fps,
        pins=[*walker.pins(steps), *(TimedPin(hold) for hold in holds)],
        actor=actor,
        environment=environment,
        options=AnimateOptions(fade_s=0.1, plan=False, balance=False, clear_keys=True),
    )


def _met(
    scene: Scene, actor: str | None, environment: EnvironmentOverTime, steps: Footsteps
) -> list[Outline]:
    """The outlines of what has moved onto the path when the body comes by."""
    name = scene.actor(actor).name
    rows = environment(np.concatenate([[0.0], steps.times_s]))
    still, out = [one.centres for one in outlines(scene, name, rows[0])], list[Outline]()
    for pose, row in zip(steps.bodies, rows[1:], strict=True):
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


class _Gait:
    """How the body moves over footsteps."""

    def __init__(self, steps: Footsteps, straight_m: float, stands_m: float) -> None:
        self.steps, times = steps, steps.times_s
        bodies = steps.bodies
        ground = np.array([[*body.at, body.heading] for body in bodies])
        self.ground = _Course(times, ground)
        # quantities when feet land: none before the first step and after the last one
        between = range(1, steps.count)
        speed, swing, low, middle = np.zeros((4, len(bodies)))
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
        return chest, head

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
        return float(middle + landing * (low - middle))

    def step(self, time_s: float) -> tuple[int, float]:
        """The step at a time, and the share of it that is over."""
        times = self.steps.times_s
        k = int(np.searchsorted(times, time_s, side="right")) - 1
        k = min(max(k, 0), self.steps.count - 1)
        u = (time_s - float(times[k])) / self.steps.length_s(k)
        return k, float(min(max(u, 0.0), 1.0))


class _Walker:
    def __init__(
        self,
        figure: Figure,
        start: Floats,
        q: Floats,
        feet: list[str],
        busy: set[str],
        begin_s: float,
    ) -> None:
        self.figure, self.q, self.feet, self.busy = figure, q, feet, busy
        self.start = start if begin_s <= 0.0 else q
        self.begin_s = begin_s  # of the first step
        self.skeleton: Skeleton = figure.skeleton
        self.frames: Frames = forward(self.skeleton, q)
        self.root = self.frames.positions[free_root(self.skeleton)]
        middle = np.mean([self.frames.position(foot) for foot in feet], axis=0)
        self.origin = GroundPose(middle[[0, 2]], heading_of(figure, q))
        self.leg_m = float(self.root[1] - middle[1])
        self.pivots = [self._heel_and_ball(foot) for foot in feet]

    def steps(self, path: Floats, facing: float | None) -> Footsteps:
        """The footsteps along a path (n, 2) over the ground."""
        return footsteps(self.origin, path, facing, STRIDE * self.leg_m, self.begin_s)

    def keys(self, steps: Footsteps) -> list[Key]:
        """Poses at several times of every step."""
        if not steps.count:
            return [Key(self.begin_s, self.q), Key(self.begin_s + 0.1, self.q)]
        gait, times = _Gait(steps, *self._leg()), [self.begin_s]
        if float(steps.times_s[0]) > self.begin_s + _SEAM_S:
            times += np.linspace(self.begin_s, float(steps.times_s[0]), 4)[1:].tolist()
        for k in range(steps.count):
            ends = float(steps.times_s[k]), float(steps.times_s[k + 1])
            times += np.linspace(*ends, _SAMPLES + 1)[1:].tolist()
        taken_s = float(steps.times_s[1])
        taken = KeyBlend(
            self.skeleton,
            np.array([self.begin_s, taken_s]),
            np.stack([self.start, self.q]),
            ("smooth", "smooth"),
        )
        out = [Key(time_s, self._pose(gait, taken.at(time_s), time_s)) for time_s in times]
        return [*out[:-1], Key(times[-1], self._body_at(self.q, steps.bodies[-1]))]

    def _pose(self, gait: _Gait, q: Floats, time_s: float) -> Floats:
        """The pose at a time; q is that of the body at its start."""
        body, (step, u) = gait.body(time_s), gait.step(time_s)
        q = self._body_at(q, body)
        down = np.array([0.0, -gait.lower_m(time_s), 0.0])
        q = moved_roots(self.skeleton, q[None], np.eye(3), down)[0]
        q = self._leant(q, body, gait.speed(time_s))
        if time_s < gait.steps.times_s[0]:
            u = 0.0
        over = float(np.sin(np.pi * u)) ** 2
        side = gait.steps.side(step)
        q = self._swayed(q, body, (1.0 - 2.0 * side) * over * min(gait.speed(time_s), 1.0))
        q = self._wound(q, gait.swing(time_s), gait.turns_ahead(time_s))
        q = self._arms_swung(q, body, gait.swing(time_s))
        for foot in range(2):
            (position, rotation), pitch = self._foot(gait.steps, foot, time_s)
            q = self._leg_reaching(q, SIDES[foot], body, position, rotation)
            if pitch > 0.0:  # the toes stay flat
                q = self._turned(q, f"{SIDES[foot]}_toe", _across(body), -pitch)
        return q

    def _leg_reaching(
        self, q: Floats, side: str, body: GroundPose, position: Floats, rotation: Floats
    ) -> Floats:
        """The pose with the leg of a side bent so that its ankle is at a position and rotation."""
        hip, knee, ankle = (self.figure.joint_of(f"{side}_{part}") for part in _LEG)
        across = _across(body)
        for _ in range(3):
            frames = forward(self.skeleton, q)
            thigh = frames.position(knee) - frames.position(hip)
            shin = frames.position(ankle) - frames.position(knee)
            a, b = float(np.linalg.norm(thigh)), float(np.linalg.norm(shin))
            reach = min(float(np.linalg.norm(position - frames.position(hip))), 0.9995 * (a + b))
            wanted = np.arccos(np.clip((reach**2 - a**2 - b**2) / (2.0 * a * b), -1.0, 1.0))
            bend = np.arccos(np.clip(float(thigh @ shin) / (a * b), -1.0, 1.0))
            # a leg that is bent backwards past straight has a negative bend
            bend = bend if float(np.cross(thigh, shin) @ across) > 0.0 else -bend
            q = self._turned(q, f"{side}_knee", across, float(wanted - bend))
            frames = forward(self.skeleton, q)
            now = frames.position(ankle) - frames.position(hip)
            there = position - frames.position(hip)
            axis = np.cross(now, there)
            sine = float(np.linalg.norm(axis))
            if sine > 1e-9:
                angle = float(np.arctan2(sine, float(now @ there)))
                q = self._turned(q, f"{side}_hip", axis / sine, angle)
        frames, at = forward(self.skeleton, q), self.skeleton.index(ankle)
        if self.skeleton.joints[at].kind is JointKind.BALL:
            turn = self.skeleton.q_slice(ankle)
            base = frames.rotations[at] @ rotation_matrix(q[turn]).T
            q[turn] = quaternion_of(base.T @ rotation)
        return q

    def pins(self, steps: Footsteps) -> list[TimedPin]:
        """Every foot pinned where it stands, and led from one footprint to the next."""
        out: list[TimedPin] = []
        if not steps.count:
            return [
                TimedPin(self._pin(foot, *self._foot(steps, k, 0.0)))
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
                if end - begin > 2.0 * _SEAM_S:
                    first, last = (
                        self._pin(foot, *self._foot(steps, side, time_s)) for time_s in (begin, end)
                    )
                    out.append(TimedPin(first, begin, end - _SEAM_S, last))
            last_s = times[-1]
            out.append(TimedPin(self._pin(foot, *self._foot(steps, side, last_s)), last_s, last_s))
        return out

    def _phases(self, steps: Footsteps, k: int) -> tuple[float, float, float, float]:
        """When the foot of a step leaves with its heel and toes, and lands with heel and sole."""
        begin, length = float(steps.times_s[k]), steps.length_s(k)
        before = steps.length_s(k - 1) if k > 0 else 0.0
        last = k + 1 == steps.count
        after = 0.0 if last else steps.length_s(k + 1)
        strike = begin + (_STRIKE - (_FLAT if last else 0.0)) * length
        flat = begin + length + _FLAT * after
        return begin - (1.0 - _HEEL_OFF) * before, begin + _TOE_OFF * length, strike, flat

    def _foot(
        self, steps: Footsteps, side: int, time_s: float
    ) -> tuple[tuple[Floats, Floats], float]:
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

    def _placed(self, side: int, pose: GroundPose, pitch: float) -> tuple[Floats, Floats]:
        """A standing foot with a pitch: about its ball with the toes down, else about its heel."""
        _, position = self._moved(self.frames.position(self.feet[side]), pose)
        rotation = self._rotation(side, pose, pitch)
        pivot = self.pivots[side]
        if pivot is None:
            return position, self._rotation(side, pose, 0.0)
        offset = pivot[1] if pitch > 0.0 else pivot[0]
        flat = self._rotation(side, pose, 0.0)
        return position + (flat - rotation) @ offset, rotation

    def _rotation(self, side: int, pose: GroundPose, pitch: float) -> Floats:
        turn = yaw_matrix(pose.heading - self.origin.heading)
        return rotation_about(_across(pose), pitch) @ turn @ self.frames.rotation(self.feet[side])

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

    def _moved(self, point: Floats, pose: GroundPose) -> tuple[Floats, Floats]:
        """The rotation of the body from the start to a pose, and a point moved with it."""
        turn = yaw_matrix(pose.heading - self.origin.heading)
        pivot = np.array([self.origin.at[0], 0.0, self.origin.at[1]])
        goal = np.array([pose.at[0], 0.0, pose.at[1]])
        return turn, turn @ (point - pivot) + goal

    def _leg(self) -> tuple[float, float]:
        """Lengths of a straight leg, and of the leg that stands, from the hip to the ankle."""
        names = [self.figure.joint_of(f"left_{part}") for part in ("hip", "knee", "ankle")]
        hip, knee, ankle = (self.frames.position(name) for name in names)
        straight = np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee)
        return float(straight), float(hip[1] - ankle[1])

    def _body_at(self, q: Floats, pose: GroundPose) -> Floats:
        turn, root = self._moved(self.root, pose)
        return moved_roots(self.skeleton, q[None], turn, root - turn @ self.root)[0]

    def _leant(self, q: Floats, pose: GroundPose, speed: float) -> Floats:
        """The trunk forward in proportion to the speed; the head looks ahead."""
        for role, angle in (("spine", 0.5), ("chest", 0.5), ("neck", -1.0)):
            q = self._turned(q, role, _across(pose), speed * angle * _LEAN_RAD)
        return q

    def _wound(self, q: Floats, swing: float, ahead: tuple[float, float]) -> Floats:
        """Hips turned with the leading leg, the right one for a positive swing, chest against them.

        ahead: turns of the chest and of the head into the direction of a turn. Otherwise the head
        looks ahead.
        """
        up = np.array([0.0, 1.0, 0.0])
        chest, head = ahead
        for role, angle in (
            ("hips", swing * _HIPS_RAD),
            ("spine", -swing * (_HIPS_RAD + 0.5 * _CHEST_RAD) + 0.5 * chest),
            ("chest", -swing * 0.5 * _CHEST_RAD + 0.5 * chest),
            ("neck", swing * _CHEST_RAD + head - chest),
        ):
            q = self._turned(q, role, up, angle)
        return q

    def _swayed(self, q: Floats, pose: GroundPose, sign: float) -> Floats:
        """Hips over the standing leg, the right one with a positive sign, lower on the other side.

        The trunk stays upright.
        """
        left, ahead = (yaw_matrix(pose.heading) @ np.eye(3)[k] for k in (0, 2))
        q = moved_roots(self.skeleton, q[None], np.eye(3), -sign * _SWAY_M * left)[0]
        q = self._turned(q, "hips", ahead, -sign * _TILT_RAD)
        return self._turned(q, "spine", ahead, sign * _TILT_RAD)

    def _arms_swung(self, q: Floats, pose: GroundPose, swing: float) -> Floats:
        """The arms swung about the lateral axis, the left one forwards for a positive swing."""
        roles = dict(self.figure.roles)
        for side, back in (("left", -swing), ("right", swing)):
            shoulder = roles.get(f"{side}_shoulder")
            if shoulder is not None and not self._is_busy(shoulder):
                angle = back * (_BACK_RAD if back > 0.0 else _FORWARD_RAD)
                q = self._turned(q, f"{side}_shoulder", _across(pose), angle)
                bend = -_ELBOW_RAD * max(-back, 0.0)
                q = self._turned(q, f"{side}_elbow", _across(pose), bend)
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


def _across(pose: GroundPose) -> Floats:
    """(3,) the lateral axis of the body, to its left."""
    return yaw_matrix(pose.heading) @ np.array([1.0, 0.0, 0.0])
