"""Authored interactions of two people: handshake, embrace, hand on the shoulder, pushing ...

An interaction says where the two stand and where their hands meet. The postures are solved: both
begin standing, their joints move to the goals, and the meeting point wanders afterwards, with the
other as an obstacle. So the pairs are free of penetration, and the partner's hands move with the
leader's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from writhe.arrays import Floats, vector3
from writhe.database import PairDatabase
from writhe.postures.builtin import builtin_database
from writhe.progress import Progress
from writhe.scene import Actor, Scene
from writhe.skeleton import Figure, forward
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import rotation_matrix
from writhe.solvers.posing import Controls, Target, pin_here
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.default_poser import DefaultPoser

Range = tuple[float, float]
Goals = tuple[tuple[str, tuple[float, float, float]], ...]
_VARIATIONS = 6  # of each interaction
_APPROACH, _WANDER, _WANDERINGS = 18, 12, 2  # frames, frames, number of meeting points after
_EVERY = 6  # frames between two records


@dataclass(frozen=True)
class Interaction:
    """Where two people stand and meet. The leader stands at the origin and faces +Z; metres.

    x is to the leader's left. `meeting` is a range of points (x, height, fraction of the way to the
    partner), or, if `on` names a joint of the partner, of offsets from it. The goals of `leader`
    and `partner` are relative to the meeting point, those of `moves` to where the partner's joints
    are at first.
    """

    name: str
    place_x: Range
    place_z: Range
    heading_deg: float  # of the partner
    meeting: tuple[Range, Range, Range]
    leader: Goals
    partner: Goals = ()
    on: str = ""
    moves: Goals = field(default=())


_FACING, _SIDE_BY_SIDE = 180.0, 0.0
INTERACTIONS = (
    Interaction(
        "handshake",
        (-0.1, 0.1),
        (0.75, 1.05),
        _FACING,
        ((-0.08, 0.08), (0.92, 1.15), (0.42, 0.58)),
        leader=(("right_wrist", (-0.02, 0.0, -0.07)),),
        partner=(("right_wrist", (0.02, 0.0, 0.07)),),
    ),
    Interaction(
        "high five",
        (-0.15, 0.15),
        (0.75, 1.05),
        _FACING,
        ((-0.15, 0.15), (1.45, 1.7), (0.42, 0.58)),
        leader=(("right_wrist", (0.0, 0.0, -0.05)),),
        partner=(("right_wrist", (0.0, 0.0, 0.05)),),
    ),
    Interaction(
        "both hands",
        (-0.08, 0.08),
        (0.65, 1.0),
        _FACING,
        ((-0.06, 0.06), (0.9, 1.35), (0.42, 0.58)),
        leader=(("right_wrist", (-0.2, 0.0, -0.08)), ("left_wrist", (0.2, 0.0, -0.08))),
        partner=(("right_wrist", (0.2, 0.0, 0.08)), ("left_wrist", (-0.2, 0.0, 0.08))),
    ),
    Interaction(
        "hand on the shoulder",
        (-0.1, 0.1),
        (0.55, 0.75),
        _FACING,
        ((-0.03, 0.03), (0.07, 0.12), (-0.1, -0.04)),
        leader=(("right_wrist", (0.0, 0.0, -0.06)),),
        on="left_shoulder",
        moves=(("head", (-0.03, -0.02, 0.0)), ("right_wrist", (0.05, 0.08, -0.08))),
    ),
    Interaction(
        "push",
        (-0.06, 0.06),
        (0.55, 0.8),
        _FACING,
        ((-0.04, 0.04), (-0.06, 0.1), (-0.24, -0.14)),
        leader=(("right_wrist", (-0.12, 0.0, -0.08)), ("left_wrist", (0.12, 0.0, -0.08))),
        on="chest",
        moves=(
            ("head", (0.0, -0.04, 0.14)),
            ("hips", (0.0, -0.03, 0.04)),
            ("right_wrist", (0.06, 0.3, -0.1)),
            ("left_wrist", (-0.06, 0.3, -0.1)),
        ),
    ),
    Interaction(
        "embrace",
        (-0.04, 0.04),
        (0.34, 0.42),
        _FACING,
        ((-0.02, 0.02), (1.12, 1.25), (0.45, 0.55)),
        leader=(("right_wrist", (-0.14, 0.12, 0.3)), ("left_wrist", (0.14, -0.02, 0.3))),
        partner=(("right_wrist", (0.14, 0.12, -0.3)), ("left_wrist", (-0.14, -0.02, -0.3))),
    ),
    Interaction(
        "hand in hand",
        (0.5, 0.7),
        (-0.1, 0.1),
        _SIDE_BY_SIDE,
        ((0.26, 0.34), (0.78, 1.0), (0.0, 1.0)),
        leader=(("left_wrist", (-0.03, 0.05, 0.0)),),
        partner=(("right_wrist", (0.03, 0.05, 0.0)),),
    ),
    Interaction(
        "give",
        (-0.1, 0.1),
        (0.8, 1.1),
        _FACING,
        ((-0.25, 0.25), (0.95, 1.35), (0.4, 0.6)),
        leader=(("right_wrist", (-0.12, 0.0, -0.12)), ("left_wrist", (0.12, 0.0, -0.12))),
        partner=(("right_wrist", (0.12, -0.05, 0.12)), ("left_wrist", (-0.12, -0.05, 0.12))),
    ),
)


def interaction_postures(
    figure: Figure,
    interactions: Sequence[Interaction] = INTERACTIONS,
    variations: int = _VARIATIONS,
    progress: Progress | None = None,
) -> PairDatabase:
    """A database of authored interactions of two people with the same figure."""
    rng, stage = np.random.default_rng(0), _Stage(figure)
    records: list[tuple[Floats, Floats]] = []
    names: list[str] = []
    for number, interaction in enumerate(interactions):
        if progress:
            progress(number / len(interactions), interaction.name)
        for _ in range(variations):
            found = _Enacted(stage, interaction, rng).run()
            records += found
            names += [interaction.name] * len(found)
    first, second = (np.array([pair[side] for pair in records]) for side in (0, 1))
    return PairDatabase.from_postures(figure, first, second, clip=names)


class _Stage:
    """Two people and their posers."""

    def __init__(self, figure: Figure) -> None:
        postures = builtin_database("basic")
        self.skeleton = figure.skeleton
        self.standing = postures.q[postures.clip.index("stand")]
        scene = Scene((Actor("leader", figure), Actor("partner", figure)))
        self.slices = scene.layout.actor_q
        self.posers = {
            name: DefaultPoser(
                figure,
                postures,
                actor=ActorInScene.in_scene(scene, name),
                controls=Controls(balance=0.4, rhythm=1.0),
            )
            for name in self.slices
        }


class _Enacted:
    """One variation of an interaction: both bodies are solved frame by frame."""

    def __init__(self, stage: _Stage, interaction: Interaction, rng: np.random.Generator) -> None:
        self._stage, self._interaction, self._rng = stage, interaction, rng
        skeleton, turn = stage.skeleton, np.radians(interaction.heading_deg)
        yaw = rotation_matrix(np.array([np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0]))
        self._place = np.array(
            [rng.uniform(*interaction.place_x), 0.0, rng.uniform(*interaction.place_z)]
        )
        there = moved_roots(skeleton, stage.standing[None], yaw, self._place)[0]
        self._q = {"leader": stage.standing.copy(), "partner": there}
        self._pins = {
            name: [pin_here(skeleton, q, joint, orientation=True) for joint in ANKLES]
            for name, q in self._q.items()
        }
        self._start = {name: forward(skeleton, q) for name, q in self._q.items()}

    def run(self) -> list[tuple[Floats, Floats]]:
        """The records: configurations of leader and partner."""
        found = [self._pair]
        begin = {name: self._places(name) for name in self._q}
        for frames in (_APPROACH, *[_WANDER] * _WANDERINGS):
            meeting = self._meeting_point()
            end = {name: self._goals(name, meeting) for name in self._q}
            for k in range(frames):
                share = (k + 1) / frames
                for name in self._q:
                    self._step(name, begin[name], end[name], share)
                if (k + 1) % _EVERY == 0:
                    found.append(self._pair)
            begin = end
        return found

    @property
    def _pair(self) -> tuple[Floats, Floats]:
        return self._q["leader"].copy(), self._q["partner"].copy()

    def _meeting_point(self) -> Floats:
        interaction = self._interaction
        x, y, z = (self._rng.uniform(*limits) for limits in interaction.meeting)
        if interaction.on:
            return self._start["partner"].position(interaction.on) + np.array([x, y, z])
        return np.array([x, y, z * self._place[2]])

    def _places(self, name: str) -> dict[str, Floats]:
        """Where the joints of the goals are at first."""
        joints = [joint for joint, _ in self._joints(name)]
        return {joint: self._start[name].position(joint).copy() for joint in joints}

    def _joints(self, name: str) -> Goals:
        interaction = self._interaction
        return interaction.leader if name == "leader" else interaction.partner + interaction.moves

    def _goals(self, name: str, meeting: Floats) -> dict[str, Floats]:
        moves = self._interaction.moves if name == "partner" else ()
        start = self._start[name]
        return {
            joint: (start.position(joint) if (joint, offset) in moves else meeting)
            + np.array(offset)
            for joint, offset in self._joints(name)
        }

    def _step(
        self, name: str, begin: dict[str, Floats], end: dict[str, Floats], share: float
    ) -> None:
        poser = self._stage.posers[name]
        for other, q in self._q.items():
            poser.actor.state[self._stage.slices[other]] = q
        targets = [
            Target(joint, vector3(begin[joint] + share * (goal - begin[joint])))
            for joint, goal in end.items()
        ]
        for _ in range(2):
            self._q[name] = poser.step(self._q[name], targets, self._pins[name]).q
