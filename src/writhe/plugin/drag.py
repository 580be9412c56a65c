"""Dragging bones of a character: certified steps from the present pose towards targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, vector3
from writhe.plugin.scene import Stage
from writhe.postures.builtin import builtin_database
from writhe.postures.preset_poses import is_person, supporting_joints
from writhe.skeleton import Figure, forward
from writhe.skeleton.move_root import moving_root
from writhe.solvers.posing import Controls, Pin, Target, pin_here, step_until_rest
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.idle_fingers import FingerPoser, default_poser
from writhe.solvers.result import Status


@dataclass(frozen=True)
class DragOptions:
    """How the body behaves while it is dragged.

    keep_feet: feet, knees or hands that support the pose stay where they are.
    balance: the centre of mass stays over the feet.
    natural: follow the built-in postures of people.
    """

    keep_feet: bool = True
    balance: bool = True
    natural: bool = True


@dataclass(frozen=True)
class DraggedPose:
    """The pose after a step.

    clearance_m: the smallest clearance of the character's parts, None if all are far apart;
    violating_parts: they overlap more than allowed; at_rest: more steps towards these targets
    change nothing.
    """

    q: Floats
    at_rest: bool
    status: Status
    error_m: dict[str, float]
    clearance_m: float | None
    violating_parts: tuple[str, ...]
    notes: tuple[str, ...]
    milliseconds: float


class PoserCache:
    """A poser for every character, kept until the scene changes."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._made: dict[tuple[str, bool], tuple[object, DefaultPoser | FingerPoser]] = {}

    def get(self, name: str, state: Floats, options: DragOptions) -> DefaultPoser | FingerPoser:
        """The poser of a character among others at `state`."""
        key = (name, options.natural)
        scene, figure = self._stage.scene, self._stage.character(name).figure
        known = self._made.get(key)
        if known is None or known[0] is not scene:
            database = builtin_database() if options.natural and is_person(figure) else None
            actor = self._stage.actor_in_scene(name, state)
            poser = default_poser(figure, database, actor=actor)
            known = (scene, poser)
            self._made[key] = known
        known[1].actor.state[:] = state
        return known[1]


class CharacterDrag:
    """One drag of some bones of a character, from press to release."""

    def __init__(
        self,
        stage: Stage,
        posers: PoserCache,
        name: str,
        state: Floats,
        handles: Sequence[tuple[str, Floats]],
        pins: Mapping[str, bool],
        options: DragOptions,
    ) -> None:
        """Start a drag.

        handles: bones, each with the point that is dragged, in the frame of the bone.
        pins: bones that stay where they are; True if they keep their orientation as well.
        """
        self.character = stage.character(name)
        figure = self.character.figure
        self._poser = posers.get(name, state, options)
        self._own = self._poser.actor.q
        self.q: Floats = state[self._own].copy()
        self._handles = [(joint, vector3(point)) for joint, point in handles]
        held = {joint for joint, _ in handles}
        self._poser.controls = Controls.for_drag(figure, held, balance=options.balance)
        skeleton = figure.skeleton
        kept = dict(pins)
        if options.keep_feet and is_person(figure) and not pins:
            kept |= dict.fromkeys(supports(figure, self.q), True)
        self._pins: list[Pin] = [
            pin_here(skeleton, self.q, joint, orientation=turn)
            for joint, turn in kept.items()
            if joint not in held
        ]
        if moving_root(figure) in held:  # the whole body is moved
            self._pins = [pin for pin in self._pins if pin.joint in pins]

    def start_points(self) -> Floats:
        """(k, 3) where the dragged points are now."""
        frames = forward(self.character.skeleton, self.q)
        return np.array([frames.point(joint, point) for joint, point in self._handles])

    def move(self, points: Floats, steps: int = 1) -> DraggedPose:
        """Take up to `steps` certified steps towards points (k, 3) of the world."""
        targets = [
            Target(joint, vector3(goal), point)
            for (joint, point), goal in zip(self._handles, points, strict=True)
        ]
        spent: list[float] = []
        result, at_rest = step_until_rest(
            self._poser,
            self.q,
            targets,
            self._pins,
            steps,
            after_step=lambda _, step: spent.append(step.milliseconds),
        )
        self.q = result.q
        return DraggedPose(
            self.q,
            at_rest,
            result.status,
            result.target_error_m,
            result.clearance_m,
            result.violating_parts,
            result.notes,
            sum(spent),
        )


def supports(figure: Figure, q: Floats) -> list[str]:
    """The feet, knees and hands of a person that support the pose."""
    roles = {joint: role for role, joint in figure.roles}
    found = supporting_joints(figure, q, on_chair=False)
    return [j for j in found if roles.get(j, "").endswith(("_ankle", "_knee", "_wrist"))]
