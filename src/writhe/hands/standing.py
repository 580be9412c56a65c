"""Where people stand for what their hands do: opposite each other, or before an object."""

from __future__ import annotations

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats, floats
from writhe.collision import certify
from writhe.errors import WritheError
from writhe.hands.grasp import longest_piece
from writhe.scene import Scene
from writhe.skeleton import forward
from writhe.skeleton.heading import heading_of_vector, yaw_matrix
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import wrapped_angle

_APART = 1.75  # distance between two actors that shake hands, relative to the length of an arm
_NEAR, _FAR = 1.3, 2.1  # at distances between these, they stay where they are
_FACING_RAD = 0.6  # they face each other within this angle
# Distance at which an actor is placed before an object, and deviation from it at which it stays
# where it is; for one hand and for both, relative to the length of an arm
_BEFORE, _OFF = (0.75, 0.62), (0.35, 0.16)
_ASIDE_RAD = 0.7  # an object in front lies within this angle


@checked
def stand_opposite(scene: Scene, first: str, second: str, q: Floats | None = None) -> Floats:
    """The configuration with two actors face to face, near enough to shake hands.

    q: configuration of the scene's layout (default: at rest). It is returned unchanged if they
    stand so already, or if something would overlap. They turn and move along the floor; the middle
    between them and their postures stay.
    """
    people = [_StandingPerson(scene, name) for name in (first, second)]
    row = scene.layout.configuration(q)
    places = [person.ground_pose(row) for person in people]
    towards = places[1][0] - places[0][0]
    far = float(np.linalg.norm(towards))
    if far < 0.05:
        raise WritheError("the two actors stand in each other: move them apart to shake hands")
    heading = float(np.arctan2(towards[0], towards[2]))
    goals = (heading, heading + np.pi)
    arm = float(np.mean([person.arm_m for person in people]))
    turned = max(abs(wrapped_angle(g - p[1])) for g, p in zip(goals, places, strict=True))
    if turned < _FACING_RAD and _NEAR * arm < far < _FAR * arm:
        return row
    middle = 0.5 * (places[0][0] + places[1][0])
    out = row.copy()
    for person, goal, sign in zip(people, goals, (-0.5, 0.5), strict=True):
        person.move(out, middle + sign * _APART * arm * towards / far, goal)
    return out if _stays_clear(scene, row, out) else row


@checked
def stand_before(
    scene: Scene,
    actor: str,
    object_name: str,
    q: Floats | None = None,
    *,
    at: Floats | None = None,
    across: bool = False,
) -> Floats:
    """The configuration with an actor standing before an object, near enough to take it.

    q: configuration of the scene's layout (default: at rest); returned unchanged if the object is
    within reach in front of the actor, or if something would overlap there. at: a place on the
    object, in its frame (default: the middle). across: the actor faces the long side of the
    object, as for both hands on a bar.
    """
    person, row = _StandingPerson(scene, actor), scene.layout.configuration(q)
    frames = forward(scene.layout.skeleton, row)
    turn, origin = frames.rotation(object_name), frames.position(object_name)
    piece = longest_piece(scene.object(object_name).shapes)
    place = piece.centre if at is None else floats(at, (3,), "the place on the object")
    goal, axis = origin + turn @ place, turn @ piece.axes[:, 0]
    here, heading = person.ground_pose(row)
    towards = _flat(goal - here)
    side = _flat(np.cross(axis, (0.0, 1.0, 0.0)))
    if across and np.linalg.norm(side) > 0.3:
        side /= np.linalg.norm(side)
        towards = side * (1.0 if side @ towards >= 0.0 else -1.0)
    elif np.linalg.norm(towards) < 1e-6:
        return row
    towards = towards / np.linalg.norm(towards)
    facing = float(np.arctan2(towards[0], towards[2]))
    thick = float(np.abs(towards @ turn @ piece.axes) @ piece.half_m) if at is None else 0.0
    before = _BEFORE[across] * person.arm_m + (0.0 if across else min(thick, 0.6))
    there = _flat(goal - before * towards)
    off = float(np.linalg.norm(there - here)) / person.arm_m
    if off < _OFF[across] and abs(wrapped_angle(facing - heading)) < _ASIDE_RAD:
        return row
    out = row.copy()
    person.move(out, there, facing)
    return out if _stays_clear(scene, row, out) else row


class _StandingPerson:
    def __init__(self, scene: Scene, name: str) -> None:
        self.figure, self.own = scene.actor(name).figure, scene.layout.actor_q[name]
        roles = dict(self.figure.roles)
        wanted = [f"{side}_{part}" for side in ("left", "right") for part in ("shoulder", "wrist")]
        if not all(role in roles for role in wanted):
            raise WritheError(f"{name!r} has no arms that were recognised")
        self._shoulders = [roles[f"{side}_shoulder"] for side in ("left", "right")]
        rest = forward(self.figure.skeleton, self.figure.skeleton.rest_configuration)
        chain = [rest.position(roles[r]) for r in ("left_shoulder", "left_elbow", "left_wrist")]
        self.arm_m = float(sum(np.linalg.norm(np.diff(chain, axis=0), axis=1)))

    def ground_pose(self, q: Floats) -> tuple[Floats, float]:
        """The point of the floor between the shoulders (3,), and the heading, rad."""
        frames = forward(self.figure.skeleton, q[self.own])
        left, right = (frames.position(joint) for joint in self._shoulders)
        ahead = np.cross(left - right, (0.0, 1.0, 0.0))
        return _flat(0.5 * (left + right)), heading_of_vector(ahead)

    def move(self, q: Floats, to: Floats, heading: float) -> None:
        """Change q: the actor at a point of the floor with a heading."""
        here, now = self.ground_pose(q)
        yaw = yaw_matrix(heading - now)
        away = _flat(to) - yaw @ here
        q[self.own] = moved_roots(self.figure.skeleton, q[self.own][None], yaw, away)[0]


def _stays_clear(scene: Scene, before: Floats, after: Floats) -> bool:
    """Whether nothing overlaps after the move that did not overlap before."""
    free = [
        certify(scene.layout.table, np.array([q, q]), fps=1.0).certified for q in (after, before)
    ]
    return free[0] or not free[1]


def _flat(vector: Floats) -> Floats:
    return np.array([vector[0], 0.0, vector[2]])
