"""The interface of all interactive posers, and what a step answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from writhe.arrays import Floats
from writhe.skeleton import Figure
from writhe.solvers.posing.handles import Pin, Target
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
    pin_error_m: dict[str, float]
    milliseconds: float
    gate: GateReport = field(default_factory=GateReport)
    clearance_m: float | None = None  # the smallest gap beyond its allowance, where known
    touching_parts: tuple[str, ...] = ()  # parts in violation (to be painted red)
    unfamiliar: float | None = None  # 1 or more: unlike everything in the database
    notes: tuple[str, ...] = ()

    @property
    def reached(self) -> bool:
        """Whether every target was met."""
        return self.status is Status.REACHED


class Poser(Protocol):
    """Moves a figure a step towards what the user wants.

    Call `step` once a frame with the newest targets; it keeps what it can between frames.
    """

    name: str
    figure: Figure

    def step(self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin] = ()) -> PoseResult:
        """The next configuration from q."""
        ...


@runtime_checkable
class KeepsRelations(Protocol):
    """A poser that holds terms between parts: relations, half-spaces."""

    def keep(self, relations: Sequence[Term]) -> None:
        """Terms that hold from now on, in place of those before."""
        ...
