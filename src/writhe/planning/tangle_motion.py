"""Motion between tangle keys in topology space, or frame by frame with a moving partner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import certify
from writhe.planning.timing import time_path
from writhe.progress import Progress
from writhe.scene import Layout
from writhe.skeleton.kinematics import difference
from writhe.solvers.tangling import (
    SolveOptions,
    Tangle,
    TangleKeyframe,
    TangleResult,
    TangleSetup,
    animate,
    order_automatically,
)

SUBSTEPS = 3  # substeps per frame of the driven parts
CATCHING_UP = 6  # extra substeps while a driven part lags behind its frame
CLOSE = 1e-6  # largest coordinate difference at which a driven part has reached its frame
FOLLOWING_PULL = 0.05  # weight of the difference from the actor's own posture at that time


@dataclass(frozen=True)
class TangleInterval:
    """The time between two tangle keys; `around` (frames + 1, nq) is the scene without winding.

    `movers` names the actors that wind.
    """

    name: str
    tangles: tuple[Tangle, ...]
    setup: TangleSetup
    around: Floats
    posture: Floats | None = None
    movers: tuple[str, ...] = ()


@dataclass(frozen=True)
class IntervalResult:
    """Frames (n, nq) of an interval, whether the tangles were reached, problems, winding order."""

    rows: Floats
    reached: bool
    problems: tuple[str, ...]
    why: str = ""


@dataclass(frozen=True)
class WoundMotion:
    """Frames of each interval, problems by interval name, whether all is certified, the order."""

    rows: tuple[Floats, ...]
    problems: tuple[tuple[str, str], ...]
    certified: bool
    why: str


def wind_intervals(
    layout: Layout,
    intervals: Sequence[TangleInterval],
    start: Floats,
    order: str,
    fps: float,
    report: Progress,
) -> WoundMotion:
    """Motion from `start` through all intervals; only the movers of an interval move in it."""
    all_movers = {mover for interval in intervals for mover in interval.movers}
    rows: list[Floats] = []
    problems: list[tuple[str, str]] = []
    why, clear, q = "", True, start
    for done, interval in enumerate(intervals):
        report(done / len(intervals), interval.name)
        for waiting in all_movers - set(interval.movers):
            actor_q = layout.actor_q[waiting]
            interval.around[:, actor_q] = q[actor_q]
        found = wind_interval(interval, q, order, fps)
        clear = clear and certify(layout.table, found.rows, fps).certified
        problems += [(interval.name, problem) for problem in found.problems]
        why = found.why or why
        q = found.rows[-1]
        rows.append(found.rows)
    return WoundMotion(tuple(rows), tuple(problems), clear, why)


@dataclass(frozen=True)
class KeptTangle:
    """Frames (n, nq) in which a tangle is kept, whether they are certified, and problems."""

    rows: Floats
    certified: bool
    problems: tuple[str, ...]


def keep_tangle(
    setup: TangleSetup, tangle: Tangle, around: Floats, fps: float, report: Progress | None = None
) -> KeptTangle:
    """Wind at the first frame of `around`, then keep the tangle while the rest follows `around`."""
    interval = TangleInterval("start", (tangle,), setup, around[:1])
    begun = wind_interval(interval, around[0], "together", fps)
    rows = follow_frames(setup, [tangle], begun.rows[-1], around, report, gradually=False)
    stepper = setup.stepper([tangle])
    stepper.update(rows[-1])
    problems = begun.problems
    if not problems and not stepper.reached().all():
        problems = (f"{tangle.label} is lost at the end: the other character is too far away",)
    return KeptTangle(rows, certify(setup.table, rows, fps).certified, problems)


def wind_interval(
    interval: TangleInterval, start: Floats, order: str, fps: float
) -> IntervalResult:
    """Motion from `start` to a configuration in which the interval's tangles hold.

    If other parts of the scene move, the motion is solved frame by frame; otherwise a path is found
    first and timed afterwards.
    """
    count = len(interval.around)
    still = bool(
        np.ptp(interval.around[:, ~moving_q(interval.setup)], axis=0).max(initial=0.0) < CLOSE
    )
    if not still and count > 1:
        rows = follow_frames(interval.setup, interval.tangles, start, interval.around)
        return _result_of(interval, rows)
    key = TangleKeyframe(
        interval.name,
        interval.tangles,
        posture=interval.posture,
        order="given" if order == "given" else "together",
        solve=SolveOptions(300),
    )
    why = ""
    if order == "automatic" and len(interval.tangles) > 1:
        found = order_automatically(interval.setup, start, key, threads=1, max_orders=6)
        key, why = found.keyframe(key), found.why
        motion = found.best.motion
    else:
        motion = animate(interval.setup, start, [key])
    (result,) = motion.results
    rows = time_path(interval.setup.table, motion.path, max(1, count - 1), fps)
    if count == 1:
        rows = rows[-1:]
    return IntervalResult(rows, result.reached, _problems(result), why)


def follow_frames(
    setup: TangleSetup,
    tangles: Sequence[Tangle],
    start: Floats,
    around: Floats,
    report: Progress | None = None,
    *,
    gradually: bool = True,
) -> Floats:
    """Frames (n, nq) in which the movable actors wind while the rest follows `around`.

    With `gradually` the coordinates are interpolated from their initial values to the goals;
    otherwise the goals apply to every frame. Driven parts are placed at their frames even where
    that penetrates; the certificate reports it.
    """
    skeleton, free = setup.table.skeleton, setup.variables
    assert free is not None
    options = replace(setup.options, pull=0.0 if gradually else FOLLOWING_PULL)
    stepper = setup.stepper(tangles, options=options)
    stepper.update(start)
    begin = [Tangle.measured(skeleton, start, t.first, t.second) for t in tangles]
    moving = moving_q(setup)
    rows, q = [start.copy()], start.copy()
    rows[0][~moving] = q[~moving] = around[0][~moving]
    for f in range(1, len(around)):
        if report is not None:
            report(f / len(around))
        share = f / (len(around) - 1) if gradually else 1.0
        for k, (initial, goal) in enumerate(zip(begin, tangles, strict=True)):
            stepper.set_target(k, _between(initial, goal, share))
        stepper.reference = None if gradually else around[f]
        for step in range(SUBSTEPS + CATCHING_UP):
            driven = difference(skeleton, q, around[f])
            remaining = float(np.abs(driven[~free]).max(initial=0.0))
            if step >= SUBSTEPS and remaining < CLOSE:
                break
            q = stepper.step(q, driven / max(1, SUBSTEPS - step))
        q[~moving] = around[f][~moving]
        rows.append(q.copy())
    return np.array(rows)


def moving_q(setup: TangleSetup) -> Bools:
    """Mask (nq,) of the configuration numbers of movable joints."""
    skeleton, free = setup.table.skeleton, setup.variables
    assert free is not None
    out = np.zeros(skeleton.configuration_size, dtype=np.bool_)
    for joint in skeleton.joints:
        if free[skeleton.v_slice(joint.name)].any():
            out[skeleton.q_slice(joint.name)] = True
    return out


def _between(initial: Tangle, goal: Tangle, share: float) -> Tangle:
    """An intermediate goal: the writhe is interpolated, the other coordinates are the goal's."""
    return replace(goal, writhe=(1.0 - share) * initial.writhe + share * goal.writhe)


def _result_of(interval: TangleInterval, rows: Floats) -> IntervalResult:
    """The result of frames: the tangles that do not hold in the last one."""
    stepper = interval.setup.stepper(interval.tangles)
    stepper.update(rows[-1])
    lacking = [
        tangle.label
        for tangle, met in zip(interval.tangles, stepper.reached(), strict=True)
        if not met
    ]
    problems = tuple(f"{label} is not reached in the available time" for label in lacking)
    return IntervalResult(rows, not lacking, problems)


def _problems(result: TangleResult) -> tuple[str, ...]:
    if result.reached:
        return ()
    return result.conflicts or tuple(f"{name} is not reached" for name in result.unmet)
