"""`lift`: a character that holds an object stands up and carries it in front of the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats, vector3
from writhe.collision import certify
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.hands.grasp import longest_piece
from writhe.hands.hand import hands_of
from writhe.hands.holds import hold_state
from writhe.scene import Scene
from writhe.scene.carrying import parts_below
from writhe.skeleton import Frames, forward, quaternions
from writhe.skeleton.configurations import configuration
from writhe.skeleton.limbs import ANKLES, SIDES
from writhe.skeleton.quaternions import quaternion_of, rotation_of_vector
from writhe.solvers.posing import Controls, Hold, Target, make_poser, pin_here
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.idle_fingers import FingerPoser
from writhe.solvers.posing.support_polygon import can_balance

_FRAMES, _SETTLE = 90, 60  # numbers of frames in which the body rises, and then comes to rest
# Goal of the wrists: in front of the shoulders by this many forearm lengths, and below them by this
# many upper arm lengths.
_AHEAD, _BELOW = 0.85, 1.05
# Goal of the elbows: beside and below the shoulders, in upper arm lengths; softness of this target.
_ELBOWS, _ELBOW_SOFTNESS = (0.2, 0.97), 0.7
# On the way, the hands are this far ahead, so that they clear thighs and knees; less far if they
# rise by less than the second number.
_DETOUR_M, _DETOUR_RISE_M = 0.12, 0.4
# The hands rise straight up over this part of their path first: off a stand, out of a shelf.
_STRAIGHT_UP = 0.3
_DOWN_RAD = np.radians(12.0)  # fingers around a thin object point this far below the horizontal
_HIP_HEIGHT = 0.99  # height of the hips above the ankles, relative to that in the rest pose
_THIN = 0.2  # an object whose thickness / length is below this may roll about its length
_STEEP = 0.3  # hands are not levelled if the sine of their line's angle to the vertical is below
_ALONG = 0.9  # cosine of the angle between hands and object above which the hands lie along it
_NEEDED = ("hips", "head", *ANKLES, "left_hip", "right_hip", "left_elbow", "right_elbow")
_UPRIGHT_M = 0.06  # a body whose head is lower than its goal by less than this is upright
_IN_PLACE_M = 0.05  # hands nearer to their goals than this are in place


@dataclass(frozen=True)
class Lift:
    """An upright carrying posture; q is the configuration of the scene.

    `path` (k, nq) leads there from the posture before. The step gate of the poser certified each
    of its steps, without testing the object against the hands that hold it. `certified` is the
    verdict on the last pose alone, in which the object is tested against the hands in `holds`, too.
    `hand_error_m` is the distance of a hand from its goal, the largest of the carrying hand and of
    those in `holds`; `stoop_m` is the distance of the head from that of an upright body, in height
    or aside, whichever is larger.
    """

    q: Floats
    path: Floats
    certified: bool
    hand_error_m: float
    stoop_m: float

    @property
    def upright(self) -> bool:
        """Whether the head is where that of an upright body is, and the hands carry the object."""
        return self.stoop_m < _UPRIGHT_M and self.hand_error_m < _IN_PLACE_M


@checked
def lift(
    scene: Scene,
    actor: str,
    object_name: str,
    q: Floats,
    *,
    holds: Sequence[Hold] = (),
    database: PostureDatabase | None = None,
) -> Lift:
    """Let an actor stand up with an object that is attached to a hand, and carry it in front.

    The elbows bend by about a right angle and the object is level in front of the belly. The feet
    stay where they are, with the centre of mass over them. If an obstacle blocks the motion, the
    body rises as far as it can.

    scene: a scene in which the object is carried (`found.carried()`, `writhe.scene.carried`).
    q: a configuration of its layout.
    holds: holds that keep the other hand on the object.
    """
    layout = scene.layout
    row = configuration(layout.skeleton, q).copy()
    person = _CarryingPerson(scene, actor, object_name, row, holds)
    figure, own = person.figure, layout.actor_q[actor]
    controls = Controls.standing() if can_balance(figure) else None
    together = _held_by_all(scene, object_name, [f"{actor}.{hold.joint}" for hold in holds])
    poser = make_poser("default", together, database, actor=actor, controls=controls)
    assert isinstance(poser, DefaultPoser | FingerPoser)
    poser.actor.state[:] = row
    feet = [
        pin_here(figure.skeleton, row[own], joint, orientation=True)
        for role, joint in figure.roles
        if role in ANKLES
    ]
    rows = [row]
    for k in range(_FRAMES + _SETTLE):
        out = rows[-1].copy()
        targets = person.targets(min(1.0, (k + 1) / _FRAMES))
        out[own] = poser.step(out[own], targets, [*feet, *holds]).q
        rows.append(out)
    last = rows[-1]
    proof = certify(layout.table, np.array([last, last]), fps=1.0)
    hand_m, stoop_m = person.errors_m(forward(layout.skeleton, last))
    held_m = [hold_state(scene, last, actor, hold).apart_m for hold in holds]
    return Lift(last, np.array(rows), proof.certified, max([hand_m, *held_m]), stoop_m)


def _held_by_all(scene: Scene, object_name: str, joints: list[str]) -> Scene:
    """The scene without tests of an object against these hands, which holds keep around it."""
    policy = scene.policy
    for part in (part for joint in joints for part in parts_below(scene, joint)):
        policy = policy.ignore(part, object_name)
    return replace(scene, policy=policy)


@dataclass(frozen=True)
class _JointPath:
    """The path of a joint from its frame at the start to its goal."""

    joint: str
    start: Floats  # position (3,)
    goal: Floats
    orientation: Floats  # at the start, a quaternion (4,)
    goal_orientation: Floats
    detour: Floats  # displacement (3,) halfway along the path across
    straight_up: float = 0.0  # the part of the path up before anything else changes

    def target(self, progress: float) -> Target:
        """The target at a progress from 0 to 1 along the path."""
        across = max(0.0, (progress - self.straight_up) / (1.0 - self.straight_up))
        at = self.start + across * (self.goal - self.start) + np.sin(np.pi * across) * self.detour
        at[1] = self.start[1] + progress * (self.goal[1] - self.start[1])
        sign = 1.0 if self.orientation @ self.goal_orientation >= 0.0 else -1.0
        orientation = quaternions.normalised(
            (1.0 - across) * sign * self.orientation + across * self.goal_orientation
        )
        w, x, y, z = (float(value) for value in orientation)
        return Target(self.joint, vector3(at), orientation_in_world=(w, x, y, z))


class _CarryingPerson:
    def __init__(
        self, scene: Scene, name: str, object_name: str, q: Floats, holds: Sequence[Hold]
    ) -> None:
        self.figure, self._prefix = scene.actor(name).figure, f"{name}."
        self._item = scene.object(object_name)
        hands = {hand.wrist: hand for hand in hands_of(self.figure).values()}
        wrist = self._item.attached_to.removeprefix(self._prefix)
        if wrist not in hands:
            raise WritheError(f"{object_name!r} is in no hand of {name!r}: grip it first")
        if not all(role in dict(self.figure.roles) for role in _NEEDED):
            raise WritheError(f"{name!r} has no trunk, arms and legs that were recognised")
        self._hands = [hands[wrist], *(hands[h.joint] for h in holds if h.joint in hands)]
        skeleton = self.figure.skeleton
        self._rest = forward(skeleton, skeleton.rest_configuration)
        self._now = forward(scene.layout.skeleton, q)
        self._body, self._rest_body = (
            _basis(np.subtract(*(at(f"{side}_hip") for side in SIDES)))
            for at in (self._at, self._at_rest)
        )
        self._turn, self._shift = self._standing()
        self._paths = (self._carrying(), self._upright("hips"), self._upright("head"))
        self._elbows = [self._elbow(hand.side) for hand in self._hands]

    def targets(self, progress: float) -> list[Target]:
        """Targets of hand, hips and head at a progress along their paths, and of the elbows."""
        return [*(path.target(progress) for path in self._paths), *self._elbows]

    def errors_m(self, frames: Frames) -> tuple[float, float]:
        """The distance of the hand from its goal, and that of the head from its own.

        That of the head is the larger of the height that it lacks and of the distance aside.
        """
        hand, _, head = self._paths
        off = frames.position(self._prefix + hand.joint) - hand.goal
        away = frames.position(self._prefix + head.joint) - head.goal
        return float(np.linalg.norm(off)), max(-float(away[1]), float(np.hypot(away[0], away[2])))

    def _standing(self) -> tuple[Floats, Floats]:
        """The rotation (3, 3) and shift (3,) that put the rest pose where the actor stands."""
        turn = self._body @ self._rest_body.T
        middle, rest = (
            np.mean([at(a) for a in ANKLES], axis=0) for at in (self._at, self._at_rest)
        )
        shift = middle - turn @ rest
        shift[1] -= (1.0 - _HIP_HEIGHT) * float(self._at_rest("hips")[1] - rest[1])
        return turn, shift

    def _upright(self, role: str) -> _JointPath:
        """The path of a joint to its place in the rest pose, if the actor stood here in it."""
        joint = self.figure.joint_of(role)
        goal = self._turn @ self._rest.position(joint) + self._shift
        return self._path(joint, goal, self._turn @ self._rest.rotation(joint))

    def _carrying(self) -> _JointPath:
        """The path of the carrying hand, which moves rigidly with the object and the other hand."""
        sides = [hand.side for hand in self._hands]
        shoulders, elbows, wrists = (
            [self._turn @ self._at_rest(f"{side}_{part}") + self._shift for side in sides]
            for part in ("shoulder", "elbow", "wrist")
        )
        upper = float(np.linalg.norm(np.subtract(shoulders[0], elbows[0])))
        lower = float(np.linalg.norm(np.subtract(elbows[0], wrists[0])))
        body = self._body
        goal = (
            np.mean(shoulders, axis=0) + lower * _AHEAD * body[:, 2] - upper * _BELOW * body[:, 1]
        )
        places = [self._now.position(self._prefix + hand.wrist) for hand in self._hands]
        change = self._levelling(places)
        wrist = self._hands[0].wrist
        at = goal + change @ (places[0] - np.mean(places, axis=0))
        turn = change @ self._now.rotation(self._prefix + wrist)
        rise = float((goal - np.mean(places, axis=0)) @ body[:, 1])
        detour = _DETOUR_M * float(np.clip(rise / _DETOUR_RISE_M, 0.0, 1.0)) * body[:, 2]
        return self._path(wrist, at, turn, detour, _STRAIGHT_UP)

    def _elbow(self, side: str) -> Target:
        """A soft target of an elbow beside the body."""
        shoulder, elbow = (self._at_rest(f"{side}_{part}") for part in ("shoulder", "elbow"))
        upper = float(np.linalg.norm(shoulder - elbow))
        out = float(np.sign((shoulder - self._at_rest("hips")) @ self._rest_body[:, 0]))
        beside = self._rest_body @ np.array([out * _ELBOWS[0], -_ELBOWS[1], 0.0])
        goal = self._turn @ (shoulder + upper * beside) + self._shift
        return Target(
            self.figure.joint_of(f"{side}_elbow"), vector3(goal), softness=_ELBOW_SOFTNESS
        )

    def _levelling(self, places: list[Floats]) -> Floats:
        """The rotation (3, 3) that levels the hands with the object in front of the body."""
        body = self._body
        if len(places) < 2:
            across, up, ahead = (float(c) for c in body.T @ self._fingers())
            far = float(np.hypot(across, ahead))
            return rotation_of_vector(
                (-np.arctan2(across, ahead) if far > abs(up) else 0.0) * body[:, 1]
            )
        across = places[0] - places[1]
        if across @ body[:, 0] < 0.0:
            across = -across
        across = across / np.linalg.norm(across)
        up = body[:, 1] - (body[:, 1] @ across) * across
        if np.linalg.norm(up) < _STEEP:
            return np.eye(3)
        up /= np.linalg.norm(up)
        change = body @ np.stack([across, up, np.cross(across, up)], axis=1).T
        piece = longest_piece(self._item.shapes)
        turn = self._now.rotation(self._item.name)
        along_hands = abs(float(turn @ piece.axes[:, 0] @ across))
        if piece.half_m[1] < _THIN * piece.half_m[0] and along_hands > _ALONG:
            change = self._rolling(change) @ change
        return change

    def _rolling(self, change: Floats) -> Floats:
        """The rotation about the lateral axis after which the fingers point ahead."""
        _, up, ahead = (float(c) for c in self._body.T @ change @ self._fingers())
        return rotation_of_vector((np.arctan2(up, ahead) + _DOWN_RAD) * self._body[:, 0])

    def _fingers(self) -> Floats:
        """(3,) the sum of the directions of both hands' fingers, in the world."""
        turns = [self._now.rotation(self._prefix + hand.wrist) for hand in self._hands]
        along = [turn @ hand.axes[:, 0] for turn, hand in zip(turns, self._hands, strict=True)]
        return np.sum(along, axis=0)

    def _path(
        self,
        joint: str,
        goal: Floats,
        turn: Floats,
        detour: Floats | float = 0.0,
        straight_up: float = 0.0,
    ) -> _JointPath:
        name = self._prefix + joint
        start, now = self._now.position(name), self._now.rotation(name)
        before, after = (np.array(quaternion_of(matrix)) for matrix in (now, turn))
        return _JointPath(joint, start, goal, before, after, detour * np.ones(3), straight_up)

    def _at(self, role: str) -> Floats:
        return self._now.position(self._prefix + self.figure.joint_of(role))

    def _at_rest(self, role: str) -> Floats:
        return self._rest.position(self.figure.joint_of(role))


def _basis(left: Floats) -> Floats:
    """Columns: to the left, up and ahead of a body (3, 3), from a vector to its left."""
    across = np.array([left[0], 0.0, left[2]]) / max(float(np.hypot(left[0], left[2])), 1e-9)
    up = np.array([0.0, 1.0, 0.0])
    return np.stack([across, up, np.cross(across, up)], axis=1)
