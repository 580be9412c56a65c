"""The result of a step of half-space inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass, field

from writhe.arrays import Floats
from writhe.solvers.posing.poser import GateReport
from writhe.solvers.result import Status


@dataclass(frozen=True)
class Effort:
    """Time and work of a step."""

    milliseconds: float = 0.0
    detect_ms: float = 0.0
    solve_ms: float = 0.0
    gate_ms: float = 0.0
    half_spaces: int = 0
    rounds: int = 0
    iterations: int = 0


@dataclass(frozen=True)
class ResponseResult:
    """The scene after a step.

    `blocked` names the objects that were stopped short of their goals; `lag_m` is the largest
    remaining distance. Errors are by handle or term.
    """

    q: Floats
    status: Status
    blocked: tuple[str, ...] = ()
    lag_m: float = 0.0
    clearance_m: float | None = None
    target_error_m: dict[str, float] = field(default_factory=dict[str, float])
    pin_error_m: dict[str, float] = field(default_factory=dict[str, float])
    relation_error: dict[str, float] = field(default_factory=dict[str, float])
    gate: GateReport = field(default_factory=GateReport)
    effort: Effort = field(default_factory=Effort)
