"""The constraints of a planning search: planted parts keep their positions, joints their limits.

K is the Jacobian of the planted rows. Directions are projected by v - K^T (K K^T)^-1 K v, and
postures are corrected by Newton steps; active limits are handled one by one in both.
"""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.linear import invert_positive
from writhe.kernels.planning.search_model import (
    SearchModel,
    SearchWorkspace,
    partial_step,
    step_length,
)
from writhe.kernels.skeleton.kinematics import forward, integrate, motion_axes
from writhe.kernels.terms.limit_rows import limit_gradient, limit_values
from writhe.kernels.terms.quantity_rows import evaluate_rows

LIMIT_BAND = 0.01  # a limit nearer than this is active
CORRECTIONS = 6  # Newton iterations
NEGLIGIBLE_RESIDUAL = 1e-5  # radians or metres; smaller residuals are not corrected
LIMIT_SPACING = 0.04  # rad between the samples of a step at which limits are checked


@kernel
def update_constraints(model: SearchModel, q: Floats, workspace: SearchWorkspace) -> None:
    """Update the limit values at q, the planted rows, and their inverse Gram matrix (K K^T)^-1."""
    limit_values(
        model.limits, q, workspace.coordinates, workspace.limit_gradient, workspace.limit_values
    )
    m = model.planted_values.shape[0]
    if m == 0:
        return
    energy = workspace.energy
    forward(model.tree, q, energy.positions, energy.rotations)
    motion_axes(model.tree, energy.positions, energy.rotations, energy.axes)
    evaluate_rows(
        model.tree,
        model.mass,
        model.centre_of_mass,
        model.program,
        q,
        energy.positions,
        energy.rotations,
        energy.axes,
        workspace.values,
        workspace.jacobian,
    )
    variable, jacobian = model.field.variable, workspace.jacobian
    for i in range(m):
        for k in range(variable.shape[0]):
            jacobian[i, k] *= variable[k]
    for i in range(m):
        for j in range(i + 1):
            total = 0.0
            for k in range(variable.shape[0]):
                total += jacobian[i, k] * jacobian[j, k]
            workspace.gram[i, j] = total
        workspace.gram[i, i] += 1e-8
    invert_positive(workspace.gram, workspace.factor, workspace.inverse)


@kernel
def _project_planted(jacobian: Floats, inverse: Floats, multiplier: Floats, v: Floats) -> None:
    """v (nv) -= K^T (K K^T)^-1 K v: removes the motion of planted parts."""
    planted, nv = jacobian.shape
    for i in range(planted):
        total = 0.0
        for k in range(nv):
            total += jacobian[i, k] * v[k]
        multiplier[i] = total
    for i in range(planted):
        total = 0.0
        for j in range(planted):
            total += inverse[i, j] * multiplier[j]
        for k in range(nv):
            v[k] -= total * jacobian[i, k]


@kernel
def project_direction(model: SearchModel, workspace: SearchWorkspace, v: Floats) -> None:
    """Remove from v (nv) what moves planted parts or goes beyond active joint limits."""
    variable, limits, slope = model.field.variable, model.limits, workspace.limit_gradient
    values, lower, upper = workspace.limit_values, model.lower, model.upper
    planted = model.planted_values.shape[0]
    for k in range(v.shape[0]):
        v[k] *= variable[k]
    for _ in range(2):
        for i in range(values.shape[0]):
            above = values[i] > upper[i] - LIMIT_BAND
            below = values[i] < lower[i] + LIMIT_BAND
            if not (above or below):
                continue
            columns, first = limit_gradient(limits, i, workspace.coordinates, slope), limits.v_at[i]
            along, norm2 = 0.0, 0.0
            for c in range(columns):
                free = slope[c] * variable[first + c]
                along += free * v[first + c]
                norm2 += free * free
            if (above and along > 0.0) or (below and along < 0.0):
                for c in range(columns):
                    v[first + c] -= along / (norm2 + 1e-12) * slope[c] * variable[first + c]
        if planted == 0:
            return
        _project_planted(workspace.jacobian, workspace.inverse, workspace.multiplier, v)


@kernel
def correct_posture(model: SearchModel, q: Floats, workspace: SearchWorkspace) -> float:
    """Move q (nq), in place, so that planted parts are in position and joints within limits.

    Returns the largest remaining residual, metres or radians.
    """
    variable, limits, slope, step = (
        model.field.variable,
        model.limits,
        workspace.limit_gradient,
        workspace.step,
    )
    values, lower, upper = workspace.limit_values, model.lower, model.upper
    m, worst = model.planted_values.shape[0], 0.0
    for _ in range(CORRECTIONS):
        update_constraints(model, q, workspace)
        worst = 0.0
        step[:] = 0.0
        for i in range(m):
            total = 0.0
            for j in range(m):
                total += workspace.inverse[i, j] * (model.planted_values[j] - workspace.values[j])
            worst = max(worst, abs(model.planted_values[i] - workspace.values[i]))
            for k in range(step.shape[0]):
                step[k] += total * workspace.jacobian[i, k]
        for i in range(values.shape[0]):
            excess = min(upper[i] - values[i], 0.0) + max(lower[i] - values[i], 0.0)
            if excess == 0.0:
                continue
            worst = max(worst, abs(excess))
            columns, first = limit_gradient(limits, i, workspace.coordinates, slope), limits.v_at[i]
            norm2 = 1e-12
            for c in range(columns):
                norm2 += (slope[c] * variable[first + c]) ** 2
            for c in range(columns):
                step[first + c] += excess / norm2 * slope[c] * variable[first + c]
        if worst < NEGLIGIBLE_RESIDUAL:
            return worst
        integrate(model.tree, q, step, q)
    return worst


@kernel
def satisfies_constraints(
    model: SearchModel, q: Floats, tolerance: float, workspace: SearchWorkspace
) -> bool:
    """Whether planted parts and limits hold at q within `tolerance` (metres or radians)."""
    update_constraints(model, q, workspace)
    for i in range(model.planted_values.shape[0]):
        if abs(workspace.values[i] - model.planted_values[i]) > tolerance:
            return False
    for i in range(model.lower.shape[0]):
        value = workspace.limit_values[i]
        if value > model.upper[i] + tolerance or value < model.lower[i] - tolerance:
            return False
    return True


@kernel
def keeps_limits(
    model: SearchModel, q_from: Floats, q_to: Floats, tolerance: float, workspace: SearchWorkspace
) -> bool:
    """Whether the joint limits hold, within `tolerance` rad, all along the step q_from to q_to.

    Two postures within the limits of a ball joint may be connected through forbidden ones, near a
    swing of half a turn even if they are close. Leaves the limit values at q_to in the workspace.
    """
    limits, values = model.limits, workspace.limit_values
    total = step_length(model.tree, q_from, q_to, workspace.line_step)
    count = 1 + int(total / LIMIT_SPACING)
    for i in range(1, count + 1):
        at = q_to
        if i < count:
            at = workspace.pieces[0]
            partial_step(model.tree, q_from, workspace.line_step, i / count, workspace.step, at)
        limit_values(limits, at, workspace.coordinates, workspace.limit_gradient, values)
        for k in range(model.lower.shape[0]):
            if values[k] > model.upper[k] + tolerance or values[k] < model.lower[k] - tolerance:
                return False
    return True
