"""The interface of all interactive posers, and the result of a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import degrees
from typing import Protocol, runtime_checkable

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable
from writhe.skeleton import Figure, Frames
from writhe.solvers.posing.handles import Hold, Pin, Target
from writhe.solvers.result import Status
from writhe.terms import Term


@dataclass(frozen=True)
class GateReport:
    """How the gate changed a step."""

    on: bool = False
    fraction: float = 1.0  # certified fraction of the proposed step
    shortened: bool = False
    refused: bool = False


@dataclass(frozen=True)
class PoseResult:
    """The next configuration, with the remaining error of every handle."""

    q: Floats
    status: Status
    target_error_m: dict[str, float]  # by joint
    pin_error_m: dict[str, float]  # of pins and holds
    milliseconds: float
    gate: GateReport = field(default_factory=GateReport)
    clearance_m: float | None = None  # smallest gap plus allowed overlap, where known
    violating_parts: tuple[str, ...] = ()  # parts that overlap more than allowed
    unfamiliar: float | None = None  # distance to the database, in units of its typical spacing
    turn_error_rad: dict[str, float] = field(default_factory=dict[str, float])
    off_balance_m: float | None = None  # distance of the centre of mass outside the support
    centre_of_mass_m: tuple[float, float] | None = None  # (x, z), where balance is kept
    support: Floats | None = None  # (k, 2) corners (x, z) of the support polygon, where it is kept
    frames: Frames | None = None  # joint frames of the whole model at q, where the poser has them
    blocked: tuple[str, ...] = ()  # objects that were stopped because no clear step was found

    @property
    def reached(self) -> bool:
        """Whether every target was met."""
        return self.status is Status.REACHED

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings: blocked objects, contradicting goals, postures far from the database."""
        out = [f"{name} is blocked" for name in self.blocked]
        if self.status is Status.REGULARISED:
            out.append("the goals contradict each other or the joint limits")
        if self.unfamiliar is not None and self.unfamiliar >= 1.0:
            out.append(
                f"unlike every posture of the database ({self.unfamiliar:.1f} times the usual"
                " distance between its postures): it may not look natural"
            )
        return tuple(out)

    def explain(self, tolerance_m: float = 0.005, tolerance_rad: float = 0.05) -> tuple[str, ...]:
        """One sentence per target, and one per constraint that is not met."""
        out = [
            f"{joint} is {100 * error:.1f} cm from its target"
            if error > tolerance_m
            else f"{joint} reached its target"
            for joint, error in self.target_error_m.items()
        ]
        out += [
            f"{joint} is {100 * error:.1f} cm from its pin"
            for joint, error in self.pin_error_m.items()
            if error > tolerance_m
        ]
        out += [
            f"{joint} is {degrees(error):.0f} degrees from its goal orientation"
            for joint, error in self.turn_error_rad.items()
            if error > tolerance_rad
        ]
        if self.off_balance_m is not None and self.off_balance_m > tolerance_m:
            out.append(f"the centre of mass is {100 * self.off_balance_m:.1f} cm beyond the feet")
        if self.gate.refused or self.gate.shortened:
            out.append(
                "collisions " + ("stopped" if self.gate.refused else "shortened") + " the step"
            )
        return (*out, *self.notes)


class Poser(Protocol):
    """Moves a figure step by step towards targets.

    Call `step` once a frame with the newest targets; state is kept between frames.
    """

    @property
    def name(self) -> str:
        """The name of the method."""
        ...

    @property
    def figure(self) -> Figure:
        """The figure that is posed."""
        ...

    @property
    def table(self) -> CollisionTable:
        """Shapes and contact policy that the poser avoids; those of the whole scene in one."""
        ...

    def step(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> PoseResult:
        """One frame: the next configuration from q towards the targets, with remaining errors."""
        ...


# bounds of the largest change of an entry of q (radians, metres, quaternion entries) in a step
# a smaller step with status reached or settled: the pose is at rest
_AT_REST_WITHOUT_PROGRESS = 2e-4
_AT_REST = 1e-6  # a smaller step: the pose is at rest whatever the status


def step_until_rest(
    poser: Poser,
    q: Floats,
    targets: Sequence[Target],
    pins: Sequence[Pin | Hold] = (),
    steps: int = 60,
    *,
    after_step: Callable[[Floats, PoseResult], None] | None = None,
) -> tuple[PoseResult, bool]:
    """Take up to `steps` steps, at least one; returns the last result, and whether q is at rest.

    At rest, further steps towards the same targets would not move q. after_step: called after
    each step with the configuration before it and its result.
    """
    count = 0
    while True:
        result = poser.step(q, targets, pins)
        moved = float(np.abs(result.q - q).max())
        if after_step is not None:
            after_step(q, result)
        q, count = result.q, count + 1
        no_progress = result.status in (Status.REACHED, Status.SETTLED)
        if moved < (_AT_REST_WITHOUT_PROGRESS if no_progress else _AT_REST):
            return result, True
        if count >= steps:
            return result, False


@runtime_checkable
class SupportsRelations(Protocol):
    """A poser that maintains terms between parts: relative positions, distances, half-spaces."""

    def set_relations(self, relations: Sequence[Term]) -> None:
        """Replace the terms to maintain."""
        ...
