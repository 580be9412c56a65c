"""One frame of the default poser: programmes propose steps, the gate follows them.

A step is looked at before it is gated: whether it serves what is wanted takes a tenth of the time
that proving it takes. One that does not is tried at half its length, and at a quarter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.collision.step_gate import GateRoom, gate_step
from writhe.kernels.jit import kernel
from writhe.kernels.posing.body_state import (
    MISFIT,
    WORST_HELD,
    WORST_TARGET,
    Stance,
    Surroundings,
    Wanted,
    look,
    look_near,
    look_rows,
    measure,
)
from writhe.kernels.posing.step_qp import StepBounds, StepRoom, propose, propose_around
from writhe.kernels.skeleton.kinematics import integrate, interpolate

HALVINGS = 3  # a step that does not serve is tried at half and a quarter of its length
WORSE, BETTER = 1.001, 0.96  # of the misfit: up to here a step serves; below here, so may another
AROUND = 3  # how often a stopped step is solved again
# places in what `pose` fills, after those of `measure`
FIRST_ERROR, FRACTION, YIELDED = 3, 4, 5
MEASURES = 6


class Pace(NamedTuple):
    """When a frame is over."""

    iterations: int  # programmes, at most
    met_m: float  # a target nearer than this is met
    held_m: float  # a pin farther off than this is brought back
    slack_m: float  # of the gate; infinite leaves it open


class Way(NamedTuple):
    """Where a frame's steps begin and end; room."""

    start: Floats  # (nq,) of the frame
    kept: Floats  # (nq,) of the iteration
    tried: Floats  # (nq,)
    moved: Floats  # (nv,)
    ahead: Floats  # (nv,)
    best: Floats  # (nv,)


def make_way(nq: int, nv: int) -> Way:
    """Empty room."""
    return Way(np.empty(nq), np.empty(nq), np.empty(nq), np.zeros(nv), np.zeros(nv), np.zeros(nv))


@kernel
def _stand(
    around: Surroundings, asked: Wanted, q: Floats, stance: Stance, measured: Floats
) -> None:
    """Stand at q (nq) and see how that serves; what is near is not looked at."""
    stance.q[:] = q
    look_rows(around, asked.program, stance)
    measure(stance, asked, measured)


@kernel
def _certified(around: Surroundings, way: Way, slack_m: float, gate: GateRoom) -> float:
    """The certified fraction of the way from the frame's start, which is what counts, to tried."""
    if slack_m == np.inf:
        return 1.0
    return gate_step(
        around.tree, around.shapes, around.bodies, around.pairs, way.start, way.tried, slack_m, gate
    )


@kernel
def _find_around(
    around: Surroundings,
    stance: Stance,
    bounds: StepBounds,
    slack_m: float,
    first: int,
    safe: float,
    gate: GateRoom,
    room: StepRoom,
    way: Way,
) -> float:
    """Another step where the gate stopped one after `safe` of it; returns its certified fraction.

    The step goes to room.step, its end to way.tried. The stance is used as room.
    """
    step, best, best_safe = room.step, way.best, safe
    best[:] = step
    for _ in range(AROUND):
        share = min(1.0, safe + 0.1)
        propose_around(around, way.start, share, way.tried, stance, bounds, first, room, way.ahead)
        integrate(around.tree, way.start, step, way.tried)
        safe = _certified(around, way, slack_m, gate)
        if safe > best_safe:
            best[:] = step
            best_safe = safe
        if safe >= 1.0:
            return safe
    step[:] = best
    integrate(around.tree, way.start, step, way.tried)
    return best_safe


@kernel
def _advance(
    around: Surroundings,
    stance: Stance,
    asked: Wanted,
    bounds: StepBounds,
    slack_m: float,
    first: int,
    most: float,
    go_around: bool,
    gate: GateRoom,
    room: StepRoom,
    way: Way,
    measured: Floats,
) -> float:
    """Go the proposed step, as far as it is certified and serves; returns the fraction gone.

    It serves if the misfit is no more than `most`. Where not even a quarter of it does, the body
    is back where the step began, and -1 is returned. With `go_around`, a step that is cut short is
    solved again around what stopped it, once.
    """
    seen = True  # whether what is near was seen where the step began
    for _ in range(HALVINGS):
        integrate(around.tree, way.kept, room.step, way.tried)
        _stand(around, asked, way.tried, stance, measured)
        if measured[MISFIT] <= most:
            safe = _certified(around, way, slack_m, gate)
            if safe < 1.0:
                if go_around:
                    safe = _find_around(
                        around, stance, bounds, slack_m, first, safe, gate, room, way
                    )
                    go_around = seen = False
                if safe < 1.0:
                    interpolate(around.tree, way.start, way.tried, safe, way.tried)
                _stand(around, asked, way.tried, stance, measured)
            if measured[MISFIT] <= most:
                look_near(around, bounds.near_m, stance)
                return safe
        # wishes that cannot all be met are approached without shaking
        for k in range(room.step.shape[0]):
            room.step[k] *= 0.5
    _stand(around, asked, way.kept, stance, measured)
    if not seen:
        look_near(around, bounds.near_m, stance)
    return -1.0


@kernel
def _bring_back(
    around: Surroundings,
    stance: Stance,
    asked: Wanted,
    inertia: Floats,
    pull: Floats,
    bounds: StepBounds,
    slack_m: float,
    first: int,
    gate: GateRoom,
    room: StepRoom,
    way: Way,
    measured: Floats,
) -> None:
    """One more programme for pins that the bend of the step has moved, targets left as is."""
    before = measured[WORST_HELD]
    way.kept[:] = stance.q
    propose(around, stance, asked, inertia, way.start, way.moved, pull, bounds, 0.0, first, room)
    integrate(around.tree, way.kept, room.step, way.tried)
    _stand(around, asked, way.tried, stance, measured)
    if measured[WORST_HELD] < before and _certified(around, way, slack_m, gate) >= 1.0:
        look_near(around, bounds.near_m, stance)
    else:
        _stand(around, asked, way.kept, stance, measured)


@kernel
def pose(
    around: Surroundings,
    stance: Stance,
    asked: Wanted,
    inertia: Floats,
    pull: Floats,
    bounds: StepBounds,
    pace: Pace,
    first: int,
    anew: bool,
    gate: GateRoom,
    room: StepRoom,
    way: Way,
    measured: Floats,
) -> None:
    """Move the stance by one frame, in up to pace.iterations programmes, all of it certified.

    inertia and pull (nv) as in `propose`; variables are the columns from `first` on; `anew` if
    nothing is known of stance.q yet. Fills measured (MEASURES) with what `measure` says in the end,
    the worst target's distance in the beginning, the certified fraction of the way, and whether
    constraints had to yield (1).
    """
    if anew:
        look(around, asked.program, bounds.near_m, stance)
    way.start[:] = stance.q
    measure(stance, asked, measured)
    measured[FIRST_ERROR] = measured[WORST_TARGET]
    fraction, yielded, before = 1.0, False, measured[MISFIT]
    for iteration in range(pace.iterations):
        way.kept[:] = stance.q
        reach_m = bounds.reach_m
        soft = propose(
            around, stance, asked, inertia, way.start, way.moved, pull, bounds, reach_m, first, room
        )
        yielded = yielded or soft
        safe = _advance(
            around,
            stance,
            asked,
            bounds,
            pace.slack_m,
            first,
            before * WORSE + 1e-6,
            iteration == 0,
            gate,
            room,
            way,
            measured,
        )
        if safe < 0.0:
            break
        fraction = min(fraction, safe)
        met = measured[WORST_TARGET] < pace.met_m
        if met or safe < 1.0 or measured[MISFIT] > BETTER * before:
            break
        before = measured[MISFIT]
    if pace.iterations > 0 and fraction >= 1.0 and measured[WORST_HELD] > pace.held_m:
        _bring_back(
            around,
            stance,
            asked,
            inertia,
            pull,
            bounds,
            pace.slack_m,
            first,
            gate,
            room,
            way,
            measured,
        )
    measured[FRACTION], measured[YIELDED] = fraction, 1.0 if yielded else 0.0
