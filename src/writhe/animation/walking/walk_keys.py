"""A walk: footsteps to a point of the floor, around obstacles, solved as keys by `animate`.

The body sets off in an arc towards the goal, walks there and turns to its final direction. To a
place right beside an obstacle, such as the front of a chair, it walks with clearance, and goes the
rest while it turns. While a foot stands it is pinned.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from writhe.animation.animate_keys import animate
from writhe.animation.collision_world import EnvironmentOverTime
from writhe.animation.key_interpolation import Key, KeyBlend
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import TimedPin
from writhe.animation.result import Animation
from writhe.animation.walking.footsteps import NEAR_M, STRIDE, Footsteps, footsteps
from writhe.animation.walking.gait import Gait
from writhe.animation.walking.ground_course import course_along, heading_of_direction
from writhe.animation.walking.rolling_feet import SEAM_S
from writhe.animation.walking.walk_pose import WalkingBody
from writhe.arguments import checked
from writhe.arrays import Floats, floats, number
from writhe.errors import WritheError
from writhe.planning.ground_route import (
    CLEARANCE_M,
    Outline,
    outlines,
    place_with_clearance,
    route,
)
from writhe.scene import Scene
from writhe.skeleton import Figure, JointKind
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.move_root import free_root
from writhe.skeleton.quaternions import wrapped_angle
from writhe.solvers.posing import Hold

_SAMPLES = 8  # poses per step
_DETOURS = 4  # times that a path is searched again around what moves
_PASSES_M = CLEARANCE_M - 0.01  # what moves is passed at this distance, at least
_ARC_M = 0.04  # an arc may be nearer to outlines than the path by this
_ONWARDS_RAD = 0.6  # a last step that leads less aside from the final direction is made ahead
_FARTHEST_M, _LONGEST_READY_S = 100.0, 10.0


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
    body = WalkingBody(figure, held, feet, _busy(subject, actor, holds))
    around = list(avoid or ())
    if avoid is None and isinstance(subject, Scene):
        around = outlines(subject, subject.actor(actor).name, subject.layout.rest())
    steps = _steps(body, goal, around, facing_rad, ready_s)
    if isinstance(subject, Scene) and environment is not None:
        for _ in range(_DETOURS):
            met = _met(subject, actor, environment, steps)
            if not met:
                break
            around += met
            steps = _steps(body, goal, around, facing_rad, ready_s)
    keys = _keys(body, q if ready_s <= 0.0 else held, steps, ready_s)
    return animate(
        subject,
        [Key(0.0, q), *(keys if ready_s > 0.0 else keys[1:])],
        fps=fps,
        pins=[*body.feet.pins(steps), *(TimedPin(hold) for hold in holds)],
        actor=actor,
        environment=environment,
        options=AnimateOptions(fade_s=0.1, plan=False, balance=False, clear_keys=True),
    )


def _steps(
    body: WalkingBody,
    goal: Floats,
    around: Sequence[Outline],
    facing_rad: float | None,
    begin_s: float,
) -> Footsteps:
    """The footsteps around outlines to a place (2,) on the ground, from begin_s on."""
    start, stride_m = body.origin.at, STRIDE * body.leg_m
    if np.linalg.norm(goal - start) < NEAR_M:
        return footsteps(body.origin, None, facing_rad, stride_m, begin_s)
    leaves, before = (place_with_clearance(point, around) for point in (start, goal))
    last = goal - before
    onwards = facing_rad is None or (
        abs(wrapped_angle(heading_of_direction(last) - facing_rad)) < _ONWARDS_RAD
    )
    corners = [start, *route(leaves, before, around), *([goal] if onwards else [])]
    path = np.array([a for a, b in pairwise(corners) if np.linalg.norm(b - a) > 1e-3])
    path = np.concatenate([path, corners[-1:]])
    if float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()) < NEAR_M:
        return footsteps(body.origin, None, facing_rad, stride_m, begin_s, stands=goal)
    course = course_along(body.origin.heading, path, lambda points: _clear(points, around))
    return footsteps(body.origin, course, facing_rad, stride_m, begin_s, stands=goal)


def _clear(points: Floats, around: Sequence[Outline]) -> bool:
    """Whether a walk over points (n, 2) keeps clear of outlines, as far as its ends do."""
    for one in around:
        far = np.array([one.distance(point) for point in points])
        along = np.linalg.norm(np.diff(points, axis=0), axis=1).cumsum()
        along = np.concatenate([[0.0], along])
        ends = np.minimum(far[0] + along, far[-1] + along[-1] - along)
        if (far < np.minimum(CLEARANCE_M - _ARC_M, ends - _ARC_M)).any():
            return False
    return True


def _keys(body: WalkingBody, start: Floats, steps: Footsteps, begin_s: float) -> list[Key]:
    """Poses at several times of every step, from begin_s on.

    start (nq): from which the body goes over into its posture of the walk, in the first step.
    """
    if not steps.count:
        return [Key(begin_s, body.q), Key(begin_s + 0.1, body.q)]
    gait, times = Gait(steps, *body.leg_lengths_m()), [begin_s]
    if float(steps.times_s[0]) > begin_s + SEAM_S:
        times += np.linspace(begin_s, float(steps.times_s[0]), 4)[1:].tolist()
    for k in range(steps.count):
        ends = float(steps.times_s[k]), float(steps.times_s[k + 1])
        times += np.linspace(*ends, _SAMPLES + 1)[1:].tolist()
    taken_s = float(steps.times_s[1])
    taken = KeyBlend(
        body.skeleton,
        np.array([begin_s, taken_s]),
        np.stack([start, body.q]),
        ("smooth", "smooth"),
    )
    out = [Key(time_s, body.pose(gait, taken.at(time_s), time_s)) for time_s in times]
    return [*out[:-1], Key(times[-1], body.at(body.q, steps.bodies[-1]))]


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
