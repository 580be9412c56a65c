"""Straight lines between two postures, corrected where they leave the constraints."""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.planning.search_constraints import correct_posture, keeps_limits
from writhe.kernels.planning.search_model import (
    SearchModel,
    SearchWorkspace,
    is_certified,
    overlaps,
    partial_step,
    step_length,
)
from writhe.kernels.skeleton.kinematics import difference, integrate

# largest number and smallest spacing (radians) of the samples on a line
MAX_SAMPLES, SAMPLE_SPACING = 16, 0.05


class LineSettings(NamedTuple):
    """How straight lines are divided and corrected; radians, metres for translations."""

    tolerance: float  # of planted positions and joint limits
    spacing: float  # longest step of a line that is corrected


@kernel
def _penetrates_at(
    model: SearchModel,
    q_from: Floats,
    fraction: float,
    full_step: Floats,
    tolerance: float,
    workspace: SearchWorkspace,
) -> bool:
    """Whether shapes penetrate at a fraction in [0, 1] of the line (after correction)."""
    partial_step(model.tree, q_from, full_step, fraction, workspace.step, workspace.tried)
    if (
        model.planted_values.shape[0] > 0
        and correct_posture(model, workspace.tried, workspace) > tolerance
    ):
        return False
    if overlaps(model, workspace.tried, workspace):
        workspace.failed_at[0] = fraction
        return True
    return False


@kernel
def _penetrates_at_samples(
    model: SearchModel,
    q_from: Floats,
    total: float,
    full_step: Floats,
    tolerance: float,
    workspace: SearchWorkspace,
) -> bool:
    """Whether shapes penetrate at one of a few samples of the line.

    The fraction at which the last line failed is tested first.
    """
    last_failure = workspace.failed_at[0]
    if total > 2 * SAMPLE_SPACING and _penetrates_at(
        model, q_from, last_failure, full_step, tolerance, workspace
    ):
        return True
    parts = 2
    while parts <= MAX_SAMPLES and total > SAMPLE_SPACING * parts:
        for i in range(1, parts, 2):
            if _penetrates_at(model, q_from, i / parts, full_step, tolerance, workspace):
                return True
        parts *= 2
    return False


@kernel
def connect_straight(
    model: SearchModel,
    q_from: Floats,
    q_to: Floats,
    line: LineSettings,
    workspace: SearchWorkspace,
    out: Floats,
) -> int:
    """Connect two postures by a certified straight line; returns the number of rows of `out`.

    out (rows, nq) gets the postures after q_from, the last being q_to; -1 if there is no such line.
    Where the straight line leaves planted positions or joint limits, it is divided into steps, each
    of which is corrected.
    """
    tolerance, spacing = line.tolerance, line.spacing
    full_step = workspace.direction
    total = step_length(model.tree, q_from, q_to, full_step)
    # most blocked lines penetrate at a few samples, which are cheaper than the gate
    if _penetrates_at_samples(model, q_from, total, full_step, tolerance, workspace):
        return -1
    count = 1 + int(total / spacing)
    straight = model.planted_values.shape[0] == 0
    if straight:
        if not is_certified(model, q_from, q_to, workspace):
            return -1
        straight = keeps_limits(model, q_from, q_to, tolerance, workspace)
    if straight:
        out[0] = q_to
        return 1
    if count > out.shape[0]:
        return -1
    for i in range(1, count + 1):
        before = q_from if i == 1 else out[i - 2]
        if i == count:
            out[i - 1] = q_to
        else:
            # steps start from the corrected posture, not from the uncorrected line
            difference(model.tree, before, q_to, workspace.step)
            for k in range(full_step.shape[0]):
                workspace.step[k] /= count - i + 1
            integrate(model.tree, before, workspace.step, out[i - 1])
            if correct_posture(model, out[i - 1], workspace) > tolerance:
                return -1
        if not keeps_limits(model, before, out[i - 1], tolerance, workspace):
            return -1
        if not is_certified(model, before, out[i - 1], workspace):
            return -1
    return count
