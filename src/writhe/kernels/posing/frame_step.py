"""One frame of the default poser: QPs propose steps, the gate certifies them.

The cost at the end of a step is evaluated before the gate runs, since it takes a tenth of the
gate's time. A step that raises the cost is tried at up to `HALVINGS` lengths: 1, 1/2, 1/4 ...
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.collision.step_gate import GateWorkspace, gate_step
from writhe.kernels.jit import kernel
from writhe.kernels.posing.body_state import (
    COST,
    WORST_HELD,
    WORST_TARGET,
    BodyState,
    Environment,
    TermRows,
    measure_cost,
    set_balance_goal,
    update_near_pairs,
    update_rows,
    update_state,
)
from writhe.kernels.posing.step_qp import propose_cut_step, propose_recovery, propose_step
from writhe.kernels.posing.step_workspace import StepSettings, StepWorkspace
from writhe.kernels.skeleton.kinematics import integrate, interpolate

HALVINGS = 6  # a step is tried at its full length, a half, a quarter ...
# a step is accepted if new cost / old cost <= ACCEPT_RATIO (plus rounding); another iteration
# follows if it is at most CONTINUE_RATIO
ACCEPT_RATIO, CONTINUE_RATIO = 1.001, 0.96
CUT_ROUNDS = 3  # maximum number of QPs that solve a step again that the gate shortened
CUT_AHEAD = 0.1  # collisions are linearised this fraction of the step beyond where it stopped
STUCK_FRACTION = 0.05  # a frame with a smaller certified fraction is followed by a recovery
# indices into the array that `pose` fills, after those of `measure_cost`
FIRST_ERROR, FRACTION, SOFTENED = 3, 4, 5
MEASURES = 6


class FrameOptions(NamedTuple):
    """Stopping criteria of a frame. Metres."""

    iterations: int  # steps at most, one QP each; 0: only measure
    target_tolerance_m: float  # a target is reached within this distance
    # if a pin or hold misses by more, one QP is added, unless the gate shortened
    pin_tolerance_m: float


class FrameWorkspace(NamedTuple):
    """Configurations, steps and measures of one frame."""

    start: Floats  # (nq,) configuration at the start of the frame
    iteration_start: Floats  # (nq,) configuration at the start of the iteration
    tried: Floats  # (nq,) end of the step under test
    moved: Floats  # (nv,) tangent step since the start
    ahead: Floats  # (nv,) tangent step to where a stopped step is linearised
    best: Floats  # (nv,) the step with the largest certified fraction so far
    measured: Floats  # (MEASURES,) see `pose`


def make_frame_workspace(nq: int, nv: int) -> FrameWorkspace:
    """Allocate the workspace of a frame."""
    return FrameWorkspace(
        start=np.empty(nq),
        iteration_start=np.empty(nq),
        tried=np.empty(nq),
        moved=np.zeros(nv),
        ahead=np.zeros(nv),
        best=np.zeros(nv),
        measured=np.zeros(MEASURES),
    )


@kernel
def _set_state(
    environment: Environment, terms: TermRows, q: Floats, state: BodyState, measured: Floats
) -> None:
    """Set state.q to q (nq) and update rows and cost; near pairs are not updated."""
    state.q[:] = q
    update_rows(environment, terms.program, state)
    set_balance_goal(state, terms)
    measure_cost(state, terms, measured)


@kernel
def _certified_fraction(
    environment: Environment,
    settings: StepSettings,
    start: Floats,
    tried: Floats,
    gate: GateWorkspace,
) -> float:
    """The certified fraction of the straight step from start to tried (nq).

    The gate certifies the straight motion since the start of the frame, not each iteration.
    """
    if settings.slack_m == np.inf:
        return 1.0
    return gate_step(
        environment.tree,
        environment.shapes,
        environment.bodies,
        environment.pairs,
        start,
        tried,
        settings.slack_m,
        gate,
    )


@kernel
def _find_cut_step(
    environment: Environment,
    state: BodyState,
    settings: StepSettings,
    certified: float,
    ahead: float,
    gate: GateWorkspace,
    qp: StepWorkspace,
    frame: FrameWorkspace,
) -> float:
    """Re-solve a step that was truncated at fraction `certified`, around the obstacle.

    Solves up to CUT_ROUNDS QPs with constraints for the pairs that collide at the fraction
    certified + ahead; returns the best certified fraction. The step is stored in qp.step, its
    end in frame.tried. The state is used as workspace.
    """
    tree = environment.tree
    step, best, best_certified = qp.step, frame.best, certified
    best[:] = step
    for _ in range(CUT_ROUNDS):
        share = min(1.0, certified + ahead)
        propose_cut_step(
            environment, settings, frame.start, share, frame.tried, state, qp, frame.ahead
        )
        integrate(tree, frame.start, step, frame.tried)
        certified = _certified_fraction(environment, settings, frame.start, frame.tried, gate)
        if certified > best_certified:
            best[:] = step
            best_certified = certified
        if certified >= 1.0:
            return certified
    step[:] = best
    integrate(tree, frame.start, step, frame.tried)
    return best_certified


@kernel
def _take_step(
    environment: Environment,
    state: BodyState,
    terms: TermRows,
    settings: StepSettings,
    max_cost: float,
    try_cuts: bool,
    gate: GateWorkspace,
    qp: StepWorkspace,
    frame: FrameWorkspace,
) -> float:
    """Take the proposed step as far as it is certified; returns the certified fraction.

    The step is accepted if its cost is at most `max_cost`, at one of `HALVINGS` lengths; otherwise
    the state is reset to the start of the iteration and -1 is returned. With `try_cuts`, the first
    length that the gate shortens is solved again around the obstacle (`_find_cut_step`).
    """
    tree, measured, step = environment.tree, frame.measured, qp.step
    near_is_current = True  # whether state.near belongs to the start of the iteration
    for _ in range(HALVINGS):
        integrate(tree, frame.iteration_start, step, frame.tried)
        _set_state(environment, terms, frame.tried, state, measured)
        if measured[COST] <= max_cost:
            certified = _certified_fraction(environment, settings, frame.start, frame.tried, gate)
            if certified < 1.0:
                if try_cuts:
                    certified = _find_cut_step(
                        environment, state, settings, certified, CUT_AHEAD, gate, qp, frame
                    )
                    try_cuts = near_is_current = False
                if certified < 1.0:
                    interpolate(tree, frame.start, frame.tried, certified, frame.tried)
                _set_state(environment, terms, frame.tried, state, measured)
            if measured[COST] <= max_cost:
                update_near_pairs(environment, settings.bounds.near_m, state)
                return certified
        # halving avoids oscillation where the targets cannot all be reached
        for k in range(step.shape[0]):
            step[k] *= 0.5
    _set_state(environment, terms, frame.iteration_start, state, measured)
    if not near_is_current:
        update_near_pairs(environment, settings.bounds.near_m, state)
    return -1.0


@kernel
def _restore_pins(
    environment: Environment,
    state: BodyState,
    terms: TermRows,
    settings: StepSettings,
    gate: GateWorkspace,
    qp: StepWorkspace,
    frame: FrameWorkspace,
) -> None:
    """Solve one more QP, which brings drifted pins back and keeps targets where they are now.

    Pins drift because the QP is linear. The result is kept only if it is better and certified.
    """
    before = frame.measured[WORST_HELD]
    frame.iteration_start[:] = state.q
    propose_step(environment, state, terms, settings, frame.start, frame.moved, 0.0, qp)
    integrate(environment.tree, frame.iteration_start, qp.step, frame.tried)
    _set_state(environment, terms, frame.tried, state, frame.measured)
    if (
        frame.measured[WORST_HELD] < before
        and _certified_fraction(environment, settings, frame.start, frame.tried, gate) >= 1.0
    ):
        update_near_pairs(environment, settings.bounds.near_m, state)
    else:
        _set_state(environment, terms, frame.iteration_start, state, frame.measured)


@kernel
def _restore_clearance(
    environment: Environment,
    state: BodyState,
    terms: TermRows,
    settings: StepSettings,
    gate: GateWorkspace,
    qp: StepWorkspace,
    frame: FrameWorkspace,
) -> None:
    """Restore the margin of the near pairs, from the start of a frame whose step the gate refused.

    A pair exactly at the gate's limit refuses every long step: even one that separates the pair to
    first order dips below the limit to second order. The recovery is short, so its second order is
    negligible, and the next frame begins with clearance. The cost of the targets may rise.
    """
    tree, near_m = environment.tree, settings.bounds.near_m
    _set_state(environment, terms, frame.start, state, frame.measured)
    update_near_pairs(environment, near_m, state)
    propose_recovery(environment, state, terms, settings, qp)
    integrate(tree, frame.start, qp.step, frame.tried)
    certified = _certified_fraction(environment, settings, frame.start, frame.tried, gate)
    if certified < 1.0:
        certified = _find_cut_step(environment, state, settings, certified, 1.0, gate, qp, frame)
        interpolate(tree, frame.start, frame.tried, certified, frame.tried)
    _set_state(environment, terms, frame.tried, state, frame.measured)
    update_near_pairs(environment, near_m, state)


@kernel
def pose(
    environment: Environment,
    state: BodyState,
    terms: TermRows,
    settings: StepSettings,
    options: FrameOptions,
    update: bool,
    gate: GateWorkspace,
    qp: StepWorkspace,
    frame: FrameWorkspace,
) -> None:
    """Move the state by one frame of up to options.iterations steps; all motion is certified.

    With `update` the state is evaluated first, because state.q was set by the caller.
    Fills frame.measured (MEASURES) with the results of `measure_cost` at the end, the worst target
    distance at the start (metres), the certified fraction of the proposed step, and whether rows
    were softened (1) or not (0).
    """
    bounds, measured = settings.bounds, frame.measured
    if update:
        update_state(environment, terms.program, bounds.near_m, state)
    frame.start[:] = state.q
    set_balance_goal(state, terms)
    measure_cost(state, terms, measured)
    measured[FIRST_ERROR] = measured[WORST_TARGET]
    fraction, softened, before = 1.0, False, measured[COST]
    for iteration in range(options.iterations):
        frame.iteration_start[:] = state.q
        step_softened = propose_step(
            environment, state, terms, settings, frame.start, frame.moved, bounds.reach_m, qp
        )
        softened = softened or step_softened
        max_cost = before * ACCEPT_RATIO + 1e-6
        certified = _take_step(
            environment, state, terms, settings, max_cost, iteration == 0, gate, qp, frame
        )
        if certified < 0.0:
            break
        fraction = min(fraction, certified)
        met = measured[WORST_TARGET] < options.target_tolerance_m
        if met or certified < 1.0 or measured[COST] > CONTINUE_RATIO * before:
            break
        before = measured[COST]
    if fraction < STUCK_FRACTION:
        _restore_clearance(environment, state, terms, settings, gate, qp, frame)
    if (
        options.iterations > 0
        and fraction >= 1.0
        and measured[WORST_HELD] > options.pin_tolerance_m
    ):
        _restore_pins(environment, state, terms, settings, gate, qp, frame)
    measured[FRACTION], measured[SOFTENED] = fraction, 1.0 if softened else 0.0
