"""The interface of all interactive posers, and what a step answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import degrees
from typing import Protocol, runtime_checkable

from writhe.arrays import Floats
from writhe.skeleton import Figure
from writhe.solvers.posing.handles import Hold, Pin, Target
from writhe.solvers.result import Status
from writhe.terms import Term


@dataclass(frozen=True)
class GateReport:
    """What the certificate did to a step."""

    on: bool = False
    fraction: float = 1.0  # how much of the proposed step was safe
    shortened: bool = False
    refused: bool = False


@dataclass(frozen=True)
class PoseResult:
    """The next configuration and what became of the wishes."""

    q: Floats
    status: Status
    target_error_m: dict[str, float]  # by joint
    pin_error_m: dict[str, float]  # of pins and holds
    milliseconds: float
    gate: GateReport = field(default_factory=GateReport)
    clearance_m: float | None = None  # the smallest gap beyond its allowance, where known
    touching_parts: tuple[str, ...] = ()  # parts in violation (to be painted red)
    unfamiliar: float | None = None  # 1 or more: unlike everything in the database
    turn_error_rad: dict[str, float] = field(default_factory=dict[str, float])
    off_balance_m: float | None = None  # the centre of mass beyond the feet, where balance is on
    blocked: tuple[str, ...] = ()  # objects that were stopped: the body had no way out

    @property
    def reached(self) -> bool:
        """Whether every target was met."""
        return self.status is Status.REACHED

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings: what cannot be, and what is unlike the data."""
        out = [f"{name} is blocked" for name in self.blocked]
        if self.status is Status.REGULARISED:
            out.append("the wishes contradict each other or the body's limits")
        if self.unfamiliar is not None and self.unfamiliar >= 1.0:
            out.append(
                f"unlike every posture of the database ({self.unfamiliar:.1f} times as far as its"
                " own are from each other): it may not look natural"
            )
        return tuple(out)

    def explain(self, met_m: float = 0.005, met_rad: float = 0.05) -> tuple[str, ...]:
        """What was reached and what was not, in sentences."""
        out = [
            f"{joint} is {100 * error:.1f} cm from its target"
            if error > met_m
            else f"{joint} reached its target"
            for joint, error in self.target_error_m.items()
        ]
        out += [
            f"{joint} is {100 * error:.1f} cm from where it is held"
            for joint, error in self.pin_error_m.items()
            if error > met_m
        ]
        out += [
            f"{joint} is turned {degrees(error):.0f} degrees away from what is wanted"
            for joint, error in self.turn_error_rad.items()
            if error > met_rad
        ]
        if self.off_balance_m is not None and self.off_balance_m > met_m:
            out.append(f"the centre of mass is {100 * self.off_balance_m:.1f} cm beyond the feet")
        if self.gate.refused or self.gate.shortened:
            out.append("collisions " + ("stopped" if self.gate.refused else "shortened") + " it")
        return (*out, *self.notes)


class Poser(Protocol):
    """Moves a figure a step towards what the user wants.

    Call `step` once a frame with the newest targets; it keeps what it can between frames.
    """

    name: str
    figure: Figure

    def step(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> PoseResult:
        """The next configuration from q."""
        ...


@runtime_checkable
class KeepsRelations(Protocol):
    """A poser that holds terms between parts: relations, half-spaces."""

    def keep(self, relations: Sequence[Term]) -> None:
        """Terms that hold from now on, in place of those before."""
        ...
