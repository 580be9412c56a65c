"""Motion through tangles: from key to key in topology space, or along with a moving partner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Bools, Floats
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
from writhe.studio.editing.tangle_timing import timed

Report = Callable[[float], None]
SUBSTEPS = 3  # in which a partner's frame is approached
CATCHING_UP = 6  # more steps to take while a partner is held up
CLOSE = 1e-6  # a driven part that is this near its frame has arrived
FOLLOWING_PULL = 0.05  # towards one's own posture at that time


@dataclass(frozen=True)
class Leg:
    """The scene from one tangle key to the next: `around` (frames + 1, nq) as it would be."""

    name: str
    tangles: tuple[Tangle, ...]
    setup: TangleSetup
    around: Floats
    posture: Floats | None = None


@dataclass(frozen=True)
class LegDone:
    """Frames (n, nq) of a leg, whether it arrived, what hindered it, and why in this order."""

    rows: Floats
    reached: bool
    problems: tuple[str, ...]
    why: str = ""


def wind_leg(leg: Leg, start: Floats, order: str, fps: float) -> LegDone:
    """From `start` to where the leg's tangles hold, in the time that the leg has.

    Where something else moves meanwhile it is followed frame by frame; otherwise the way is found
    first and timed afterwards.
    """
    count = len(leg.around)
    still = bool(np.ptp(leg.around[:, ~moving_q(leg.setup)], axis=0).max(initial=0.0) < CLOSE)
    if not still and count > 1:
        rows = follow_frames(leg.setup, leg.tangles, start, leg.around)
        return _judged(leg, rows)
    key = TangleKeyframe(
        leg.name,
        leg.tangles,
        posture=leg.posture,
        order="given" if order == "given" else "together",
        solve=SolveOptions(300),
    )
    why = ""
    if order == "automatic" and len(leg.tangles) > 1:
        found = order_automatically(leg.setup, start, key, threads=1, most=6)
        key, why = found.keyframe(key), found.why
        motion = found.best.motion
    else:
        motion = animate(leg.setup, start, [key])
    (result,) = motion.results
    rows = timed(leg.setup.table, motion.path, max(1, count - 1), fps)
    if count == 1:
        rows = rows[-1:]
    return LegDone(rows, result.reached, _problems(result), why)


def follow_frames(
    setup: TangleSetup,
    tangles: Sequence[Tangle],
    start: Floats,
    around: Floats,
    report: Report | None = None,
    *,
    gradually: bool = True,
) -> Floats:
    """Frames (n, nq) in which what may move winds while the rest goes as `around` says.

    With `gradually` the coordinates go evenly from what they are to what is asked for; otherwise
    they are to hold throughout. A partner who cannot be evaded is shown where he is, penetration
    and all: the certificate reports it.
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
        for k, (was, wanted) in enumerate(zip(begin, tangles, strict=True)):
            stepper.set_target(k, _between(was, wanted, share))
        stepper.reference = None if gradually else around[f]
        for step in range(SUBSTEPS + CATCHING_UP):
            driven = difference(skeleton, q, around[f])
            left = float(np.abs(driven[~free]).max(initial=0.0))
            if step >= SUBSTEPS and left < CLOSE:
                break
            q = stepper.step(q, driven / max(1, SUBSTEPS - step))
        q[~moving] = around[f][~moving]
        rows.append(q.copy())
    return np.array(rows)


def moving_q(setup: TangleSetup) -> Bools:
    """(nq,) which numbers of a configuration belong to what may move."""
    skeleton, free = setup.table.skeleton, setup.variables
    assert free is not None
    out = np.zeros(skeleton.configuration_size, dtype=np.bool_)
    for joint in skeleton.joints:
        if free[skeleton.v_slice(joint.name)].any():
            out[skeleton.q_slice(joint.name)] = True
    return out


def _between(was: Tangle, wanted: Tangle, share: float) -> Tangle:
    """A tangle on the way: writhe evenly, the rest as it is to be."""
    return replace(wanted, writhe=(1.0 - share) * was.writhe + share * wanted.writhe)


def _judged(leg: Leg, rows: Floats) -> LegDone:
    """What the last frame lacks, by the solver's own measure."""
    stepper = leg.setup.stepper(leg.tangles)
    stepper.update(rows[-1])
    lacking = [
        tangle.label for tangle, met in zip(leg.tangles, stepper.reached(), strict=True) if not met
    ]
    problems = tuple(f"{label} is not reached in the time there is" for label in lacking)
    return LegDone(rows, not lacking, problems)


def _problems(result: TangleResult) -> tuple[str, ...]:
    if result.reached:
        return ()
    return result.conflicts or tuple(f"{name} is not reached" for name in result.unmet)
