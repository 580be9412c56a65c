"""Bidirectional descent: two postures step towards each other without raising the energy.

The energy is the repulsive one. Each step goes straight towards the other posture unless that
raises the energy. Then the component along the gradient is removed and some descent is added,

    u = D - (D . g) g - b g,

with D the unit direction to the other posture and g the unit gradient (Wang, Ho and Komura, Eq. 5,
which has b = 0). D and g are first projected onto the constraints. A step is accepted if the energy
does not rise, the clearance stays positive and the gate certifies it; its length adapts. The search
ends when the straight line between both postures is certified.
"""

from __future__ import annotations

from math import log, sqrt
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.planning.search_constraints import (
    NEGLIGIBLE_RESIDUAL,
    correct_posture,
    keeps_limits,
    project_direction,
    update_constraints,
)
from writhe.kernels.planning.search_model import (
    SearchModel,
    SearchWorkspace,
    evaluate_energy,
    is_certified,
    partial_step,
    step_length,
)
from writhe.kernels.planning.straight_line import LineSettings, connect_straight
from writhe.kernels.skeleton.kinematics import difference

MET, STUCK, SPENT, FULL = 0, 1, 2, 3  # connected, no progress, max_steps taken, path array full
GROW, SHRINK = 1.6, 0.5  # factors of the step length after an accepted and a rejected step


@kernel
def _normalise(v: Floats) -> float:
    """Scale v to unit length; returns its previous length (0: v is unchanged)."""
    total = 0.0
    for k in range(v.shape[0]):
        total += v[k] * v[k]
    total = sqrt(total)
    if total < 1e-12:
        return 0.0
    for k in range(v.shape[0]):
        v[k] /= total
    return total


@kernel
def _direction(
    model: SearchModel,
    workspace: SearchWorkspace,
    side: int,
    q: Floats,
    other: Floats,
    descent: float,
    pull: float,
) -> float:
    """Store the unit direction of the next step in workspace.direction.

    Returns its length before normalisation, 0 if there is no direction. `descent` is b of the
    module docstring. `pull` is a switch: 0 descends the energy only and ignores the other posture.
    """
    d, g = workspace.direction, workspace.downhill
    difference(model.tree, q, other, d)
    project_direction(model, workspace, d)
    for k in range(d.shape[0]):
        g[k] = workspace.gradient[side, k]
    project_direction(model, workspace, g)
    if pull == 0.0 or _normalise(d) == 0.0:
        d[:] = 0.0
    if _normalise(g) > 0.0:
        uphill = 0.0
        for k in range(d.shape[0]):
            uphill += d[k] * g[k]
        if uphill > 0.0 or pull == 0.0:
            for k in range(d.shape[0]):
                d[k] -= (max(uphill, 0.0) + descent) * g[k]
            project_direction(model, workspace, d)
    return _normalise(d)


@kernel
def raise_clearance(
    model: SearchModel,
    clearance_m: float,
    max_steps: int,
    tolerance: float,
    workspace: SearchWorkspace,
    path: Floats,
) -> int:
    """Move path[0] by certified steps down the energy until its clearance is `clearance_m`.

    Returns the number of postures in path (rows, nq). A step is accepted if it raises the
    clearance, is certified, and violates the constraints by less than `tolerance`. At most
    `max_steps` steps are tried.
    """
    evaluate_energy(model, path[0], workspace, workspace.gradient[0])
    least, alpha, count = workspace.energy.min_clearance[0], 0.02, 1
    nv = workspace.direction.shape[0]
    for _ in range(max_steps):
        if least >= clearance_m or alpha < 1e-4 or count >= path.shape[0]:
            break
        q = path[count - 1]
        update_constraints(model, q, workspace)
        if _direction(model, workspace, 0, q, q, 1.0, 0.0) == 0.0:
            break
        partial_step(model.tree, q, workspace.direction, alpha, workspace.step, workspace.tried)
        accepted = correct_posture(model, workspace.tried, workspace) < tolerance
        if accepted:
            evaluate_energy(model, workspace.tried, workspace, workspace.tried_gradient)
            accepted = (
                workspace.energy.min_clearance[0] > least
                and keeps_limits(model, q, workspace.tried, tolerance, workspace)
                and is_certified(model, q, workspace.tried, workspace)
            )
        if not accepted:
            alpha *= SHRINK
            continue
        least = workspace.energy.min_clearance[0]
        path[count] = workspace.tried
        count += 1
        for k in range(nv):
            workspace.gradient[0, k] = workspace.tried_gradient[k]
        alpha *= GROW
    return count


class DescentSettings(NamedTuple):
    """Weights and limits of `connect_by_descent`; lengths in radians, metres for translations."""

    descent: float  # weight of the descent of the energy
    pull: float  # weight of the way to the other side; 0: descend the energy only
    first_step: float
    max_step: float
    max_steps: int
    patience: int
    check_every: int  # steps between attempts to connect both sides by a line
    line: LineSettings


@kernel
def connect_by_descent(
    model: SearchModel,
    settings: DescentSettings,
    workspace: SearchWorkspace,
    paths: Floats,
    counts: Ints,
    link: Floats,
    energies: Floats,
) -> int:
    """Step from both ends until a line connects them; returns MET, STUCK, SPENT or FULL.

    paths[side, : counts[side]] are the postures from the start (side 0) and the goal (side 1) so
    far; new ones are appended. paths (2, rows, nq), counts (3). On MET, the first counts[2]
    postures of `link` (rows, nq) lead from the last posture of one side to that of the other.
    STUCK: for `patience` steps neither the smaller of the two energies nor the distance has
    decreased (section 8 of the paper), or no step is accepted. energies (2) are those of the last
    postures.
    """
    descent, pull, tolerance = settings.descent, settings.pull, settings.line.tolerance
    alpha0, alpha1 = settings.first_step, settings.first_step
    nv = workspace.direction.shape[0]
    for side in range(2):
        q = paths[side, counts[side] - 1]
        energies[side] = evaluate_energy(model, q, workspace, workspace.gradient[side])
    best_energy, best_distance, stalled_steps, updated_side = 1e300, 1e300, 0, -1
    counts[2] = 0
    for i in range(settings.max_steps):
        p, r = paths[0, counts[0] - 1], paths[1, counts[1] - 1]
        if pull > 0.0 and i % settings.check_every == 0:
            found = connect_straight(model, p, r, settings.line, workspace, link)
            updated_side = -1
            if found > 0:
                counts[2] = found
                return MET
        side = 0 if energies[0] >= energies[1] else 1
        small0, small1 = alpha0 < 1e-4, alpha1 < 1e-4
        if small0 and small1:
            return STUCK
        if (side == 0 and small0) or (side == 1 and small1):
            side = 1 - side
        if counts[side] >= paths.shape[1]:
            return FULL
        q, other = (p, r) if side == 0 else (r, p)
        if updated_side != side:
            update_constraints(model, q, workspace)
        updated_side = side
        alpha = alpha0 if side == 0 else alpha1
        if _direction(model, workspace, side, q, other, descent, pull) == 0.0:
            alpha0 = 0.0 if side == 0 else alpha0
            alpha1 = 0.0 if side == 1 else alpha1
            continue
        distance = step_length(model.tree, q, other, workspace.step)
        alpha = min(alpha, settings.max_step)
        if pull > 0.0:
            alpha = min(alpha, distance)
        partial_step(model.tree, q, workspace.direction, alpha, workspace.step, workspace.tried)
        residual, energy = correct_posture(model, workspace.tried, workspace), 0.0
        accepted, converged = residual < tolerance, residual < NEGLIGIBLE_RESIDUAL
        updated_side = -1
        if accepted:
            energy = evaluate_energy(model, workspace.tried, workspace, workspace.tried_gradient)
            accepted = (
                energy <= energies[side] * (1.0 + 1e-12) and workspace.energy.min_clearance[0] > 0.0
            )
            accepted = (
                accepted
                and keeps_limits(model, q, workspace.tried, tolerance, workspace)
                and is_certified(model, q, workspace.tried, workspace)
            )
        if not accepted:
            alpha *= SHRINK
        else:
            paths[side, counts[side]] = workspace.tried
            counts[side] += 1
            energies[side] = energy
            for k in range(nv):
                workspace.gradient[side, k] = workspace.tried_gradient[k]
            # the last correction updated the constraints at the new posture
            updated_side = side if converged else -1
            alpha *= GROW
        if side == 0:
            alpha0 = alpha
        else:
            alpha1 = alpha
        lower = log(min(energies[0], energies[1]) + 1e-300)
        first, second = paths[0, counts[0] - 1], paths[1, counts[1] - 1]
        distance = step_length(model.tree, first, second, workspace.step)
        stalled_steps += 1
        if lower < best_energy - 0.01 or (pull > 0.0 and distance < best_distance - 0.005):
            stalled_steps = 0
        best_energy = min(best_energy, lower)
        best_distance = min(best_distance, distance)
        if stalled_steps > settings.patience:
            return STUCK
    return SPENT
