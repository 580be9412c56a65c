"""Winding limbs around each other: live while a slider moves, and keys of tangles over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.arrays import Floats, vector3
from writhe.errors import UnknownNameError, WritheError
from writhe.planning.tangle_motion import TangleInterval, wind_intervals
from writhe.plugin.action import StageMotion
from writhe.plugin.action_edits import NewKeys, certified_keys
from writhe.plugin.drag import supports
from writhe.plugin.scene import Stage, label
from writhe.postures.preset_poses import is_person
from writhe.progress import Progress
from writhe.skeleton import forward
from writhe.solvers.tangling import LiveWinding, Tangle, TangleSetup
from writhe.solvers.tangling.actor_setup import TangleMover, actor_setup
from writhe.topology import Strand


@dataclass(frozen=True)
class CharacterLimb:
    """A limb of a character: torso, left_arm, right_arm, left_leg or right_leg."""

    character: str
    limb: str

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> CharacterLimb:
        """A limb from its names."""
        return cls(str(data["character"]), str(data["limb"]))

    def strand(self, stage: Stage) -> Strand:
        """The limb as a strand of the scene."""
        known = dict(stage.character(self.character).figure.strands)
        if self.limb not in known:
            raise UnknownNameError(f"limb of {self.character!r}", self.limb, list(known))
        who, joints = label(self.character), known[self.limb]
        words = self.limb.replace("_", " ")
        if len(stage.characters) > 1:
            words = f"{self.character}’s {words}"
        skeleton = stage.scene.layout.skeleton
        return Strand.between(skeleton, f"{who}.{joints[0]}", f"{who}.{joints[-1]}", name=words)


@dataclass(frozen=True)
class WindingGoal:
    """Two chains and their topology coordinates; None leaves a coordinate free.

    writhe: about 1 for a full turn; centre: where the tangle lies along each chain (-1 to 1);
    density: the angle of the writhe matrix in radians.
    """

    first: CharacterLimb
    second: CharacterLimb
    writhe: float
    centre: tuple[float | None, float | None] = (None, None)
    density: float | None = None

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> WindingGoal:
        """A goal from names and numbers."""

        def number(name: str) -> float | None:
            return None if data.get(name) is None else float(data[name])

        return cls(
            CharacterLimb.from_plain(data["first"]),
            CharacterLimb.from_plain(data["second"]),
            float(data.get("writhe", 0.0)),
            (number("centre_first"), number("centre_second")),
            number("density"),
        )

    def tangle(self, stage: Stage) -> Tangle:
        """The goal of the solver."""
        if self.first == self.second:
            raise WritheError("choose two different limbs")
        first, second = self.first.strand(stage), self.second.strand(stage)
        return Tangle(first, second, self.writhe, self.centre, self.density)


class LimbWinding:
    """Two limbs that are being wound, step by step, from the present poses."""

    def __init__(
        self,
        stage: Stage,
        state: Floats,
        goal: WindingGoal,
        movers: Sequence[str],
        pins: Mapping[str, Mapping[str, bool]],
    ) -> None:
        """Start; movers: the characters that may move, pins: their pinned bones."""
        self._stage, self._movers = stage, tuple(movers)
        stepper = setup_of(stage, state, movers, pins).stepper([goal.tangle(stage)])
        self._live = LiveWinding(stepper, state.copy())

    @property
    def q(self) -> Floats:
        """The configuration of the scene now."""
        return self._live.q

    def measure(self, goal: WindingGoal) -> dict[str, float]:
        """The topology coordinates of the chains now."""
        skeleton = self._stage.scene.layout.skeleton
        first, second = goal.first.strand(self._stage), goal.second.strand(self._stage)
        found = Tangle.measured(skeleton, self.q, first, second)
        return {
            "writhe": found.writhe,
            "centre_first": found.centre[0] or 0.0,
            "centre_second": found.centre[1] or 0.0,
            "density": found.density or 0.0,
        }

    def move(self, goal: WindingGoal, steps: int) -> tuple[bool, bool]:
        """Take certified steps towards a goal; whether it is reached, and whether it stalled."""
        return self._live.move(goal.tangle(self._stage), steps)

    def poses(self) -> dict[str, Floats]:
        """The configurations of the characters that move."""
        own = self._stage.scene.layout.actor_q
        return {name: self.q[own[label(name)]] for name in self._movers}


def setup_of(
    stage: Stage, state: Floats, movers: Sequence[str], pins: Mapping[str, Mapping[str, bool]]
) -> TangleSetup:
    """The solver for characters that may move; without pins of their own their supports stay."""
    layout = stage.scene.layout
    found: list[TangleMover] = []
    for name in movers:
        figure = stage.character(name).figure
        if label(name) not in layout.actor_q:
            raise WritheError(f"{name!r} has no collision shapes and cannot be wound")
        q = state[layout.actor_q[label(name)]]
        held = list(pins.get(name, {}))
        if not held and is_person(figure):
            held = supports(figure, q)
        frames = forward(figure.skeleton, q)
        places = tuple((joint, vector3(frames.position(joint))) for joint in held)
        found.append(TangleMover(label(name), figure, places))
    return actor_setup(layout, found, state)


@dataclass(frozen=True)
class WindingKey:
    """A tangle that holds at a time, and the characters that wind towards it."""

    time_s: float
    goal: WindingGoal
    movers: tuple[str, ...]

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> WindingKey:
        """A key from names and numbers."""
        return cls(
            float(data["time_s"]), WindingGoal.from_plain(data), tuple(map(str, data["movers"]))
        )


def wound_keys(
    stage: Stage,
    motion: StageMotion,
    keys: Sequence[WindingKey],
    fps: float,
    modes: Mapping[str, Mapping[str, str]],
    pins: Mapping[str, Mapping[str, bool]],
    progress: Progress,
) -> NewKeys:
    """The motion from time 0 through tangle keys; a tangle holds until its chains are keyed again.

    Characters that do not wind keep their actions.
    """
    if not keys:
        raise WritheError("key a tangle first: choose two limbs, wind them, press Key Tangle")
    layout = stage.scene.layout
    start = motion.frames(stage, np.zeros(1))[0]
    active: dict[tuple[CharacterLimb, CharacterLimb], WindingGoal] = {}
    intervals: list[TangleInterval] = []
    before = 0
    for key in sorted(keys, key=lambda k: k.time_s):
        at = round(key.time_s * fps)
        if at <= before:
            raise WritheError("tangle keys must be a frame apart, after the first frame")
        active[key.goal.first, key.goal.second] = key.goal
        around = motion.frames(stage, np.arange(before, at + 1) / fps)
        for who in key.movers:
            around[:, layout.actor_q[label(who)]] = around[0, layout.actor_q[label(who)]]
        intervals.append(
            TangleInterval(
                f"{key.time_s:.2f} s",
                tuple(goal.tangle(stage) for goal in active.values()),
                setup_of(stage, start, key.movers, pins),
                around,
                movers=tuple(label(name) for name in key.movers),
            )
        )
        before = at
    found = wind_intervals(layout, intervals, start, "together", fps, progress)
    rows = np.concatenate([found.rows[0], *(part[1:] for part in found.rows[1:])])
    times = np.arange(len(rows)) / fps
    movers = dict.fromkeys(name for key in keys for name in key.movers)
    frames = {name: np.ascontiguousarray(rows[:, layout.actor_q[label(name)]]) for name in movers}
    made = certified_keys(stage, motion, frames, times, None, modes)
    problems = "; ".join(f"{name}: {problem}" for name, problem in found.problems)
    count = f"{len(keys)} tangle key{'s' if len(keys) > 1 else ''}"
    return made.with_message(
        f"{count}: {problems}" if problems else f"{count} reached: {made.after.verdict}"
    )
