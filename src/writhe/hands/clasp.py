"""`clasp`, `unclasp`: two actors shake hands, palm to palm, and let go again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats, vector3
from writhe.collision import certify
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.hands.closing import Touch, close_fingers
from writhe.hands.hand import Hand, hand_of, set_finger
from writhe.hands.poses import finger_goal
from writhe.scene import Scene
from writhe.skeleton import forward
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.quaternions import quaternion_of
from writhe.solvers.posing import Controls, Hold, Pin, Target, make_poser
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.idle_fingers import FingerPoser
from writhe.solvers.posing.support_polygon import can_balance

_FRAMES, _LAST = 90, 60  # until the hands are opposite each other, and until they meet
_APART_M = (0.12, 0.004)  # between the palms, after each of them
_DOWN_RAD, _BACK_M = np.radians(32.0), 0.018  # fingers point down, around the other hand's edge
_BACK_APART_M = (
    0.06,
    0.05,
)  # by which hands that let go draw back: off the palm, along the fingers
_BELOW_M = 0.28  # below the shoulders
_MET_M = 0.055  # palms this near have met


@dataclass(frozen=True)
class Clasp:
    """Two hands that hold each other; q is the configuration of the scene.

    `touches` are those of the first actor's hand, `apart_m` the distance of the two palms. `hold`
    keeps the first hand on the second one while that moves. `approach` has two configurations with
    open hands on the way: opposite each other, and palm to palm.
    """

    q: Floats
    approach: tuple[Floats, Floats]
    touches: tuple[Touch, ...]
    certified: bool
    apart_m: float
    hold: Hold

    @property
    def met(self) -> bool:
        """Whether the palms are together."""
        return self.apart_m < _MET_M


@checked
def clasp(
    scene: Scene,
    first: str,
    second: str,
    sides: tuple[str, str] = ("right", "right"),
    q: Floats | None = None,
    *,
    database: PostureDatabase | None = None,
) -> Clasp:
    """Two actors shake hands: palms together between them, thumbs up, fingers closed.

    q: configuration of the scene's layout (default: at rest). Feet stay where they are; actors
    too far apart do not meet (`met`).
    """
    if first == second:
        raise WritheError("two different actors are needed to shake hands")
    layout = scene.layout
    row = scene.layout.configuration(q)
    people = _clasping_people(scene, (first, second), sides, database)
    for person in people:
        person.open_hand(row)
    meeting, across = _meeting(people, row)
    feet = [person.feet(row) for person in people]
    approach: list[Floats] = []
    for apart, count in zip(_APART_M, (_FRAMES, _LAST), strict=True):
        targets = [
            person.target(meeting, sign * across, 0.5 * apart)
            for person, sign in zip(people, (1.0, -1.0), strict=True)
        ]
        for _ in range(count):
            for person, target, pins in zip(people, targets, feet, strict=True):
                person.step(row, target, pins)
        approach.append(row.copy())
    closed = None
    for person in (people[1], people[0]):
        closed = close_fingers(
            layout.table, row, person.hand, "around", prefix=person.prefix, start="open"
        )
        row = closed.q
    assert closed is not None
    proof = certify(layout.table, np.array([row, row]), fps=1.0)
    frames = forward(layout.skeleton, row)
    palms = [frames.point(p.wrist, p.hand.palm) for p in people]
    turn = frames.rotation(people[1].wrist)
    hold = Hold(
        people[0].hand.wrist,
        people[1].wrist,
        vector3(turn.T @ (frames.position(people[0].wrist) - frames.position(people[1].wrist))),
        orientation_in_other=quaternion_of(turn.T @ frames.rotation(people[0].wrist)),
    )
    return Clasp(
        row,
        (approach[0], approach[1]),
        closed.touches,
        proof.certified,
        float(np.linalg.norm(palms[0] - palms[1])),
        hold,
    )


@checked
def unclasp(
    scene: Scene,
    first: str,
    second: str,
    sides: tuple[str, str] = ("right", "right"),
    q: Floats | None = None,
    *,
    database: PostureDatabase | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Two actors let go of each other's hands: configurations from the clasp (q) on.

    The first actor opens the hand, then the second one; then both draw their hands back.
    """
    row = scene.layout.configuration(q)
    people = _clasping_people(scene, (first, second), sides, database)
    rows: list[Floats] = []
    for person in people:
        person.open_hand(row)
        rows.append(row.copy())
    feet = [person.feet(row) for person in people]
    targets = [person.drawn_back(row) for person in people]
    for _ in range(_FRAMES):
        for person, target, pins in zip(people, targets, feet, strict=True):
            person.step(row, target, pins)
    return rows[0], rows[1], row


def _clasping_people(
    scene: Scene,
    names: tuple[str, str],
    sides: tuple[str, str],
    database: PostureDatabase | None,
) -> list[_ClaspingPerson]:
    return [
        _ClaspingPerson(scene, name, hand_of(scene.actor(name).figure, side), database)
        for name, side in zip(names, sides, strict=True)
    ]


def _meeting(people: list[_ClaspingPerson], q: Floats) -> tuple[Floats, Floats]:
    """Where the hands meet, and the horizontal direction from the first to the second actor."""
    shoulders = [person.shoulders(q) for person in people]
    away = shoulders[1] - shoulders[0]
    away[1] = 0.0
    if np.linalg.norm(away) < 0.2:
        raise WritheError("the two actors stand in each other: move them apart to shake hands")
    middle = 0.5 * (shoulders[0] + shoulders[1]) - np.array([0.0, _BELOW_M, 0.0])
    return middle, away / np.linalg.norm(away)


class _ClaspingPerson:
    def __init__(
        self, scene: Scene, name: str, hand: Hand, database: PostureDatabase | None
    ) -> None:
        self.scene, self.name, self.hand = scene, name, hand
        self.prefix, self.wrist = f"{name}.", f"{name}.{hand.wrist}"
        self.own = scene.layout.actor_q[name]
        balanced = Controls.standing() if can_balance(scene.actor(name).figure) else None
        made = make_poser("default", scene, database, actor=name, controls=balanced)
        assert isinstance(made, DefaultPoser | FingerPoser)
        self.poser = made
        self._roles = dict(scene.actor(name).figure.roles)

    def open_hand(self, q: Floats) -> None:
        for finger in self.hand.fingers:
            goal = finger_goal(finger, "open")
            set_finger(self.scene.layout.skeleton, q, finger, *goal, prefix=self.prefix)

    def shoulders(self, q: Floats) -> Floats:
        """The middle of the shoulders (3,)."""
        frames = forward(self.scene.layout.skeleton, q)
        both = [self._roles[f"{side}_shoulder"] for side in ("left", "right")]
        return np.mean([frames.position(self.prefix + joint) for joint in both], axis=0)

    def feet(self, q: Floats) -> list[Pin]:
        frames = forward(self.scene.layout.skeleton, q)
        return [
            Pin(
                self._roles[role],
                vector3(frames.position(self.prefix + self._roles[role])),
                orientation_in_world=quaternion_of(
                    frames.rotation(self.prefix + self._roles[role])
                ),
            )
            for role in ANKLES
            if role in self._roles
        ]

    def target(self, meeting: Floats, along: Floats, away_m: float) -> Target:
        """The wrist with fingers `along` and down, thumb up, its palm this far from the meeting."""
        c, s = np.cos(_DOWN_RAD), np.sin(_DOWN_RAD)
        forwards, vertical = along, np.array([0.0, 1.0, 0.0])
        along, up = c * forwards - s * vertical, s * forwards + c * vertical
        sign = float(np.sign(np.linalg.det(self.hand.axes)))
        out = sign * np.cross(up, along)
        turn = np.stack([along, out, up], axis=1) @ self.hand.axes.T
        position = meeting - away_m * out - _BACK_M * forwards - turn @ self.hand.palm
        return Target(self.hand.wrist, vector3(position), orientation_in_world=quaternion_of(turn))

    def drawn_back(self, q: Floats) -> Target:
        """The wrist away from the other hand: against the palm's direction, and back."""
        frames = forward(self.scene.layout.skeleton, q)
        turn = frames.rotation(self.wrist)
        along, out = turn @ self.hand.axes[:, 0], turn @ self.hand.axes[:, 1]
        goal = frames.position(self.wrist) - _BACK_APART_M[0] * out - _BACK_APART_M[1] * along
        return Target(self.hand.wrist, vector3(goal), orientation_in_world=quaternion_of(turn))

    def step(self, q: Floats, target: Target, pins: list[Pin]) -> None:
        """One frame; q of the whole scene is changed."""
        self.poser.actor.state[:] = q
        q[self.own] = self.poser.step(q[self.own].copy(), [target], pins).q
