"""Repeated steps until all goals are met or progress ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from writhe.arguments import check_fields, checked
from writhe.arrays import Floats
from writhe.solvers.result import Status
from writhe.solvers.tangling.driven_motion import DrivenMotion
from writhe.solvers.tangling.goal_conflicts import conflicts
from writhe.solvers.tangling.stepper import TangleStepper

Cancelled = Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """Stopping criteria, and random perturbation of stuck poses."""

    max_steps: int = 400
    min_steps: int = 0  # continue at least this long, even if all goals are met
    patience: int = 25  # steps without progress before a perturbation
    shakes: int = 4  # perturbations before giving up
    shake_steps: int = 6  # steps per perturbation
    shake_size: float = 0.05  # radians or metres per degree of freedom and step
    still: float = 0.004  # with a reference posture: a smaller step ends the solve
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class TangleResult:
    """The path taken (frames, nq), certified step by step, and its status.

    If not reached, the last frame is the best pose found; `unmet` holds by goal the remaining
    errors of its coordinates, `conflicts` their causes in sentences.
    """

    path: Floats
    status: Status
    unmet: dict[str, Floats]
    conflicts: tuple[str, ...]
    milliseconds: Floats
    shortened: int = 0
    refused: int = 0
    fractions: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def q(self) -> Floats:
        """The last configuration."""
        return self.path[-1]

    @property
    def reached(self) -> bool:
        """Whether every goal is met."""
        return self.status is Status.REACHED


@checked
def solve(
    stepper: TangleStepper,
    q: Floats,
    options: SolveOptions | None = None,
    *,
    drive: DrivenMotion | None = None,
    cancelled: Cancelled | None = None,
) -> TangleResult:
    """Take gated steps from q until every goal is met; `drive` prescribes the motion of all other
    degrees of freedom.

    A stuck pose is perturbed: for a few steps every degree of freedom prefers a random direction,
    while goals and contacts hold. The path ends at the best pose found.
    """
    options = options or SolveOptions()
    rng = np.random.default_rng(options.seed)
    path, taken = [q.copy()], list[float]()
    gate = stepper.gate
    shortened, refused = gate.shortened, gate.refused
    stepper.update(q)
    stepper.reached()  # a chain already through its loop counts as such from the first step
    best, best_at, since, shakes = np.inf, 0, 0, 0
    status = Status.APPROACHING
    for step in range(options.max_steps):
        if cancelled is not None and cancelled(step):
            break
        start = time.perf_counter()
        q = stepper.step(path[-1], None if drive is None else drive.step(path[-1]))
        if drive is not None:
            drive.advance(stepper.fraction)
        taken.append(1e3 * (time.perf_counter() - start))
        path.append(q)
        stepper.update(q)
        arrived = stepper.reached().all()
        if step + 1 < options.min_steps:
            continue
        if arrived and stepper.resting(options.still):
            status = Status.REACHED
            break
        merit = stepper.merit(q)
        if merit < best * (1.0 - 2e-3):
            best, best_at, since = merit, len(path) - 1, 0
            continue
        since += 1
        if since < options.patience:
            continue
        if arrived:
            status = Status.REACHED
            break
        if shakes == options.shakes:
            status = Status.SETTLED
            break
        shakes, since = shakes + 1, 0
        size = options.shake_size * (1.0 + 0.5 * shakes)
        direction = rng.normal(0.0, size, len(stepper.preferred))
        for _ in range(options.shake_steps):
            driven = None if drive is None else drive.step(path[-1])
            path.append(stepper.step(path[-1], driven, direction))
            if drive is not None:
                drive.advance(stepper.fraction)
        best *= 1.2  # count progress after the perturbation, before it regains the best merit
    # end at the best pose, unless a driven part has moved on in the meantime
    if status is not Status.REACHED and best_at < len(path) - 1 and drive is None:
        del path[best_at + 1 :]
    stepper.update(path[-1])
    met = stepper.reached()
    if met.all():
        status = Status.REACHED
    found = () if met.all() else conflicts(stepper, path[-1])
    return TangleResult(
        np.array(path),
        status,
        stepper.unmet(),
        found,
        np.array(taken),
        gate.shortened - shortened,
        gate.refused - refused,
    )
