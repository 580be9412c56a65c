"""Constants and workspace of a planning search, with the checks that its kernels share."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from writhe.arrays import Floats
from writhe.kernels.collision.shape_gaps import Bodies, Pairs, Shapes
from writhe.kernels.collision.step_gate import GateWorkspace, gate_step
from writhe.kernels.jit import kernel
from writhe.kernels.planning.repulsive_energy import (
    EnergyWorkspace,
    RepulsiveField,
    energy_gradient,
    penetrates,
)
from writhe.kernels.skeleton.kinematics import Tree, difference, integrate
from writhe.kernels.terms.limit_rows import LimitRows
from writhe.kernels.terms.quantity_rows import Program

PIECE_RAD = 0.3  # the gate is fastest on steps of this length


class SearchModel(NamedTuple):
    """Skeleton, shapes, energy and constraints of a search; see the modules of its members."""

    tree: Tree
    shapes: Shapes
    bodies: Bodies
    pairs: Pairs
    field: RepulsiveField
    program: Program  # rows of the planted parts
    planted_values: Floats  # (planted,) required values of these rows
    limits: LimitRows
    lower: Floats  # (limits,)
    upper: Floats  # (limits,)
    mass: Floats  # (n,)
    centre_of_mass: Floats  # (n, 3)
    slack: float  # of the gate, metres


class SearchWorkspace(NamedTuple):
    """Preallocated arrays of the searches in one model."""

    energy: EnergyWorkspace
    gate: GateWorkspace
    values: Floats  # (planted,)
    jacobian: Floats  # (planted, nv)
    gram: Floats  # (planted, planted)
    factor: Floats  # (planted, planted)
    inverse: Floats  # (planted, planted) of gram
    multiplier: Floats  # (planted,)
    coordinates: Floats  # (limits, 3) of the joint of each limit
    limit_values: Floats  # (limits,)
    limit_gradient: Floats  # (3,)
    gradient: Floats  # (2, nv) of the energy at both ends
    direction: Floats  # (nv,)
    downhill: Floats  # (nv,) unit gradient of the energy, which points uphill
    step: Floats  # (nv,)
    line_step: Floats  # (nv,) tangent step of the line that is being certified
    tried: Floats  # (nq,)
    pieces: Floats  # (2, nq) end configurations of a piece of a line
    tried_gradient: Floats  # (nv,)
    failed_at: Floats  # (1,) fraction in [0, 1] at which the last blocked line was blocked


@kernel
def evaluate_energy(
    model: SearchModel, q: Floats, workspace: SearchWorkspace, gradient: Floats
) -> float:
    """The repulsive energy at q, and its gradient (nv) with respect to the tangent step.

    Joint frames and axes are left in workspace.energy.
    """
    return energy_gradient(
        model.tree, model.shapes, model.bodies, model.field, q, workspace.energy, gradient
    )


@kernel
def overlaps(model: SearchModel, q: Floats, workspace: SearchWorkspace) -> bool:
    """Whether a pair of shapes penetrates by more than model.slack at q."""
    return penetrates(
        model.tree, model.shapes, model.bodies, model.field, q, model.slack, workspace.energy
    )


@kernel
def step_length(tree: Tree, q_from: Floats, q_to: Floats, step: Floats) -> float:
    """|q_to - q_from|: the norm of the tangent step, which is stored in `step` (nv)."""
    difference(tree, q_from, q_to, step)
    total = 0.0
    for k in range(step.shape[0]):
        total += step[k] * step[k]
    return sqrt(total)


@kernel
def partial_step(
    tree: Tree, q: Floats, full_step: Floats, fraction: float, step: Floats, out: Floats
) -> None:
    """out (nq) = q + fraction * full_step (nv); `step` (nv) is workspace."""
    for k in range(step.shape[0]):
        step[k] = fraction * full_step[k]
    integrate(tree, q, step, out)


@kernel
def _gate_passes(
    model: SearchModel, q_from: Floats, q_to: Floats, workspace: SearchWorkspace
) -> bool:
    """Whether the gate certifies the whole step from q_from to q_to."""
    fraction = gate_step(
        model.tree,
        model.shapes,
        model.bodies,
        model.pairs,
        q_from,
        q_to,
        model.slack,
        workspace.gate,
    )
    return fraction >= 1.0


@kernel
def is_certified(
    model: SearchModel, q_from: Floats, q_to: Floats, workspace: SearchWorkspace
) -> bool:
    """Whether the gate certifies the whole straight step from q_from to q_to.

    Long steps are certified piece by piece, since few pairs come near each other in a short piece.
    """
    tree, line_step, step = model.tree, workspace.line_step, workspace.step
    total = step_length(tree, q_from, q_to, line_step)
    count = 1 + int(total / PIECE_RAD)
    if count == 1:
        return _gate_passes(model, q_from, q_to, workspace)
    for i in range(count):
        here, there = workspace.pieces[i % 2], workspace.pieces[(i + 1) % 2]
        if i == 0:
            here[:] = q_from
        if i == count - 1:
            there[:] = q_to
        else:
            partial_step(tree, q_from, line_step, (i + 1) / count, step, there)
        if not _gate_passes(model, here, there, workspace):
            workspace.failed_at[0] = (i + 0.5) / count
            return False
    return True
