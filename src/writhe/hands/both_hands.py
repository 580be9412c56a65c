"""`grip_with_both`: two hands of an actor closed around one object."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats, vector3
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.hands.grasp import longest_piece
from writhe.hands.grip import Grip, grip
from writhe.hands.hand import Hand, hand_of
from writhe.hands.standing import stand_before
from writhe.scene import Scene
from writhe.skeleton import forward
from writhe.skeleton.configurations import configuration
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.quaternions import quaternion_of
from writhe.solvers.posing import Controls, Pin, Target, make_poser, pin_here
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.idle_fingers import FingerPoser
from writhe.solvers.posing.support_polygon import can_balance

_SPREAD = 0.72  # the hands are at most at this fraction of the half length
_APART = 0.6  # from the middle to each hand, relative to the distance between the shoulders
_HOVER_M = (0.10, 0.06)  # before a place, towards the body and above it
_FRAMES = 60  # in which the hands get there
_SHORTEST_M = 0.12  # half the length of the shortest object that has room for two hands


@dataclass(frozen=True)
class BothHands:
    """Both hands around an object; `second` was closed after `first`."""

    first: Grip
    second: Grip

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
    row = layout.rest() if q is None else configuration(layout.skeleton, q).copy()
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
    row = _hovering(scene, actor, object_name, row, places, database)
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
    return BothHands(found[0], found[1])


def _hovering(
    scene: Scene,
    actor: str,
    object_name: str,
    q: Floats,
    places: dict[str, Floats],
    database: PostureDatabase | None,
) -> Floats:
    """Both hands at once before their places, towards the body: neither twists the trunk later."""
    frames = forward(scene.layout.skeleton, q)
    figure, own = scene.actor(actor).figure, scene.layout.actor_q[actor]
    hands = {side: hand_of(figure, side) for side in places}
    wrists = [frames.position(f"{actor}.{hand.wrist}") for hand in hands.values()]
    shoulders = [
        frames.position(f"{actor}.{dict(figure.roles)[f'{side}_shoulder']}") for side in places
    ]
    ahead = np.cross(shoulders[0] - shoulders[1], (0.0, 1.0, 0.0))
    away = _HOVER_M[0] * ahead / np.linalg.norm(ahead) - np.array([0.0, _HOVER_M[1], 0.0])
    turn, origin = frames.rotation(object_name), frames.position(object_name)
    goals = [origin + turn @ places[side] - away for side in places]
    feet = [
        pin_here(figure.skeleton, q[own], joint, orientation=True)
        for role, joint in figure.roles
        if role in ANKLES
    ]
    controls = Controls.standing() if can_balance(figure) else None
    poser = make_poser("default", scene, database, actor=actor, controls=controls)
    assert isinstance(poser, DefaultPoser | FingerPoser)
    poser.actor.state[:] = q
    out, posture = q.copy(), q[own].copy()
    for k in range(_FRAMES):
        share = min(1.0, 2.0 * (k + 1) / _FRAMES)
        targets = [
            Target(hand.wrist, vector3(start + share * (goal - start)))
            for hand, start, goal in zip(hands.values(), wrists, goals, strict=True)
        ]
        posture = poser.step(posture, targets, feet).q
    out[own] = posture
    return out


def _pinned(scene: Scene, q: Floats, actor: str, hand: Hand, *, turned: bool) -> Pin:
    """The wrist of a hand kept where it is; turned: also as it is turned."""
    frames, wrist = forward(scene.layout.skeleton, q), f"{actor}.{hand.wrist}"
    turn = quaternion_of(frames.rotation(wrist)) if turned else None
    return Pin(hand.wrist, vector3(frames.position(wrist)), orientation_in_world=turn)


def _palm(scene: Scene, found: Grip) -> Floats:
    """The direction in the world that the palm of a closed hand faces (3,)."""
    return forward(scene.layout.skeleton, found.q).rotation(found.wrist) @ found.hand.axes[:, 1]
