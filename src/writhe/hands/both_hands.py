"""`grip_with_both`: two hands of an actor closed around one object."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats, vector3
from writhe.collision import certify
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.hands.grasp import longest_piece
from writhe.hands.grip import Grip, grip
from writhe.hands.hand import Hand, hand_of
from writhe.hands.standing import stand_before
from writhe.scene import Scene
from writhe.skeleton import Frames, forward
from writhe.skeleton.limbs import ANKLES, SIDES
from writhe.skeleton.quaternions import quaternion_of
from writhe.solvers.posing import Controls, Pin, Target, make_poser, pin_here
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.idle_fingers import FingerPoser
from writhe.solvers.posing.support_polygon import can_balance

_SPREAD = 0.72  # the hands are at most at this fraction of the half length
_APART = 0.6  # from the middle to each hand, relative to the distance between the shoulders
_HOVER_M = (0.16, 0.14)  # before a place, towards the body and above it
_ABOVE_M = 0.10  # the hands above the object, before they are lowered to it
_FRAMES, _STOPS = 60, 4  # in which the hands get there, and the postures kept of that path
_SAME_M = 0.002  # a hand nearer than this to its place on the object holds it there
_SHORTEST_M = 0.12  # half the length of the shortest object that two hands fit on


@dataclass(frozen=True)
class BothHands:
    """Both hands around an object; `second` was closed after `first`.

    `approach` has the postures that lead there: on the way to the object, and with open fingers
    before it, above it and on it.
    """

    first: Grip
    second: Grip
    approach: tuple[Floats, ...] = ()

    @property
    def q(self) -> Floats:
        """The configuration of the scene."""
        return self.second.q

    @property
    def closed(self) -> bool:
        """Whether both hands are closed, and where they should be."""
        return all(found.closed and found.reached for found in (self.first, self.second))

    @property
    def certified(self) -> bool:
        """Whether nothing penetrates."""
        return self.second.certified


@checked
def grip_with_both(
    scene: Scene,
    actor: str,
    object_name: str,
    q: Floats | None = None,
    *,
    step: bool = True,
    database: PostureDatabase | None = None,
) -> BothHands:
    """Both hands of an actor closed around a long object, as far apart as the shoulders.

    q: configuration of the scene's layout (default: at rest). step: an actor who does not stand
    before the object within reach is placed there (`stand_before`). The grip is overhand: thumbs
    towards each other, palms the same way.
    """
    layout = scene.layout
    row = layout.configuration(q)
    piece = longest_piece(scene.object(object_name).shapes)
    if piece.half_m[0] < _SHORTEST_M:
        raise WritheError(f"{object_name!r} is too short for two hands: grip it with one")
    if step:
        row = stand_before(scene, actor, object_name, row, across=True)
    frames = forward(layout.skeleton, row)
    roles = dict(scene.actor(actor).figure.roles)
    left, right = (frames.position(f"{actor}.{roles[f'{s}_shoulder']}") for s in ("left", "right"))
    axis = piece.axes[:, 0]
    apart = min(_APART * float(np.linalg.norm(left - right)), _SPREAD * float(piece.half_m[0]))
    inwards = frames.rotation(object_name) @ axis  # for the right hand
    if inwards @ (left - right) < 0.0:
        axis, inwards = -axis, -inwards
    places = {"left": piece.centre + apart * axis, "right": piece.centre - apart * axis}
    reaching = _ReachingPerson(scene, actor, database)
    path = reaching.moved(row, reaching.before(row, object_name, places))
    row = path[-1].copy()
    found: list[Grip] = []
    for side, other in (("right", "left"), ("left", "right")):
        hand = hand_of(scene.actor(actor).figure, other)
        found.append(
            grip(
                scene,
                actor,
                side,
                object_name,
                row,
                at=places[side],
                palm=_palm(scene, found[0]) if found else None,
                thumb=inwards if side == "right" else -inwards,
                pins=[_pinned(scene, row, actor, hand, turned=bool(found))],
                database=database,
            )
        )
        row = found[-1].q
    for part in found:
        if part.approach:
            reaching.set_fingers(path[-1], part.approach[-1], part.hand)
    row = reaching.together(path[-1], found)
    opened = row.copy()
    for part in found:
        if part.approach:
            reaching.set_fingers(opened, part.approach[-1], part.hand)
    first, second = (replace(part, q=row) for part in found)
    return BothHands(first, second, (*path, reaching.above(opened), opened))


class _ReachingPerson:
    """Moves both hands of an actor at once, feet in place: neither twists the trunk."""

    def __init__(self, scene: Scene, name: str, database: PostureDatabase | None) -> None:
        self._layout, self._prefix = scene.layout, f"{name}."
        self._figure, self._own = scene.actor(name).figure, scene.layout.actor_q[name]
        self._wrists = {side: hand_of(self._figure, side).wrist for side in SIDES}
        controls = Controls.standing() if can_balance(self._figure) else None
        made = make_poser("default", scene, database, actor=name, controls=controls)
        assert isinstance(made, DefaultPoser | FingerPoser)
        self._poser = made

    def before(self, q: Floats, object_name: str, places: dict[str, Floats]) -> list[Target]:
        """Targets of the hands before their places on an object, towards the body and above."""
        frames = forward(self._layout.skeleton, q)
        turn, origin = frames.rotation(object_name), frames.position(object_name)
        away = self._towards_body(frames, *_HOVER_M)
        return [
            Target(self._wrists[side], vector3(origin + turn @ place + away))
            for side, place in places.items()
        ]

    def above(self, q: Floats) -> Floats:
        """The configuration with the hands raised from an object, turned as they are."""
        return self.moved(q, self._wrists_of(q, _ABOVE_M))[-1]

    def together(self, q: Floats, found: list[Grip]) -> Floats:
        """The grips of both hands, reached at once from q with open fingers.

        Hands that close one after the other leave the trunk turned to the first one. The last of
        the grips is returned if both hands at once do not get there.
        """
        last = found[-1].q
        goals = self._wrists_of(last, 0.0)
        row = self.moved(self.moved(q, self._wrists_of(last, _ABOVE_M))[-1], goals)[-1]
        frames = forward(self._layout.skeleton, row)
        off_m = [
            np.linalg.norm(frames.position(self._prefix + goal.joint) - goal.position_in_world)
            for goal in goals
        ]
        if max(off_m) > _SAME_M:
            return last
        for part in found:
            self.set_fingers(row, last, part.hand)
        return row if certify(self._layout.table, np.array([row, row]), fps=1.0).certified else last

    def set_fingers(self, q: Floats, source: Floats, hand: Hand) -> None:
        """Change q: the fingers of a hand as in another configuration."""
        for joint in hand.joints:
            at = self._layout.skeleton.q_slice(self._prefix + joint)
            q[at] = source[at]

    def _wrists_of(self, q: Floats, up_m: float) -> list[Target]:
        """Targets of both wrists, raised from where they are at q and turned as they are."""
        frames = forward(self._layout.skeleton, q)
        targets: list[Target] = []
        for wrist in self._wrists.values():
            at, turn = (f(self._prefix + wrist) for f in (frames.position, frames.rotation))
            raised = vector3(at + np.array([0.0, up_m, 0.0]))
            targets.append(Target(wrist, raised, orientation_in_world=quaternion_of(turn)))
        return targets

    def moved(self, q: Floats, targets: list[Target]) -> list[Floats]:
        """Configurations while the hands move straight towards targets; the last one is there."""
        skeleton, rows = self._figure.skeleton, list[Floats]()
        frames, posture = forward(self._layout.skeleton, q), q[self._own].copy()
        feet = [
            pin_here(skeleton, posture, joint, orientation=True)
            for role, joint in self._figure.roles
            if role in ANKLES
        ]
        self._poser.actor.state[:] = q
        starts = [frames.position(self._prefix + target.joint) for target in targets]
        for k in range(_FRAMES):
            share = min(1.0, 2.0 * (k + 1) / _FRAMES)
            step = [
                replace(t, position_in_world=vector3(s + share * (t.position_in_world - s)))
                for t, s in zip(targets, starts, strict=True)
            ]
            posture = self._poser.step(posture, step, feet).q
            if (k + 1) % (_FRAMES // _STOPS) == 0:
                rows.append(q.copy())
                rows[-1][self._own] = posture
        return rows

    def _towards_body(self, frames: Frames, back_m: float, up_m: float) -> Floats:
        """A displacement towards the body and up (3,)."""
        roles = dict(self._figure.roles)
        left, right = (frames.position(self._prefix + roles[f"{side}_shoulder"]) for side in SIDES)
        ahead = np.cross(left - right, (0.0, 1.0, 0.0))
        return np.array([0.0, up_m, 0.0]) - back_m * ahead / np.linalg.norm(ahead)


def _pinned(scene: Scene, q: Floats, actor: str, hand: Hand, *, turned: bool) -> Pin:
    """The wrist of a hand kept where it is; turned: also as it is turned."""
    frames, wrist = forward(scene.layout.skeleton, q), f"{actor}.{hand.wrist}"
    turn = quaternion_of(frames.rotation(wrist)) if turned else None
    return Pin(hand.wrist, vector3(frames.position(wrist)), orientation_in_world=turn)


def _palm(scene: Scene, found: Grip) -> Floats:
    """The direction in the world that the palm of a closed hand faces (3,)."""
    return forward(scene.layout.skeleton, found.q).rotation(found.wrist) @ found.hand.axes[:, 1]
