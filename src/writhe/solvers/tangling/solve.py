"""Steps repeated until the wishes are met, or it is clear that they will not be."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from writhe.arrays import Floats
from writhe.solvers.result import Status
from writhe.solvers.tangling.conflict import conflicts
from writhe.solvers.tangling.driven_motion import Drive
from writhe.solvers.tangling.stepper import TangleStepper

Cancelled = Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """When to go on, when to shake, when to give up."""

    most_steps: int = 400
    least_steps: int = 0  # go on holding what is met until so many are done
    patience: int = 25  # steps without progress before something else is tried
    shakes: int = 4  # how often a stuck pose is shaken
    shake_steps: int = 6
    shake_size: float = 0.05  # radians or metres per coordinate and step
    still: float = 0.004  # with a reference posture: a step shorter than this has arrived
    seed: int = 0


@dataclass(frozen=True)
class TangleResult:
    """The way taken (frames, nq), certified step by step, and how it ended.

    Not reached means that the last frame is the best pose found; `unmet` says by wish what its
    coordinates lack and `conflicts` what stands in the way.
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
        """Whether every wish is met."""
        return self.status is Status.REACHED


def solve(
    stepper: TangleStepper,
    q: Floats,
    options: SolveOptions | None = None,
    *,
    drive: Drive | None = None,
    cancelled: Cancelled | None = None,
) -> TangleResult:
    """From q on until every wish is met, by gated steps; `drive` moves what is not free meanwhile.

    A pose that is stuck is shaken: for a few steps every coordinate prefers a random direction,
    while wishes and contacts hold. What comes of it is kept if it is better.
    """
    choose = options or SolveOptions()
    rng = np.random.default_rng(choose.seed)
    path, taken = [q.copy()], list[float]()
    gate = stepper.gate
    shortened, refused = gate.shortened, gate.refused
    stepper.update(q)
    stepper.reached()  # so that what is through a loop already counts as such from the first step
    best, best_at, since, shakes = np.inf, 0, 0, 0
    status = Status.APPROACHING
    for step in range(choose.most_steps):
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
        if step + 1 < choose.least_steps:
            continue
        if arrived and stepper.resting(choose.still):
            status = Status.REACHED
            break
        merit = stepper.merit(q)
        if merit < best * (1.0 - 2e-3):
            best, best_at, since = merit, len(path) - 1, 0
            continue
        since += 1
        if since < choose.patience:
            continue
        if arrived:
            status = Status.REACHED
            break
        if shakes == choose.shakes:
            status = Status.SETTLED
            break
        shakes, since = shakes + 1, 0
        size = choose.shake_size * (1.0 + 0.5 * shakes)
        way = rng.normal(0.0, size, len(stepper.preferred))
        for _ in range(choose.shake_steps):
            driven = None if drive is None else drive.step(path[-1])
            path.append(stepper.step(path[-1], driven, way))
            if drive is not None:
                drive.advance(stepper.fraction)
        best *= 1.2  # let what follows count as progress before it has caught up
    # end in the best pose, unless a partner has gone on in the meantime
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
