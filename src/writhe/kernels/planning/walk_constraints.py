"""What a walk has to keep: planted parts in their places, joints within their limits.

K is the Jacobian of the planted rows. Directions are projected, v - K^T (K K^T)^-1 K v, and
postures corrected, both with the limits that are reached taken one by one.
"""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.linear import invert_positive
from writhe.kernels.planning.walk_model import WalkRoom, World
from writhe.kernels.skeleton.kinematics import forward, integrate, motion_axes
from writhe.kernels.terms.limit_rows import limit_gradient, limit_values
from writhe.kernels.terms.quantity_rows import evaluate_rows

LIMIT_BAND = 0.01  # a limit nearer than this holds back what goes towards it
CORRECTIONS = 6
CLEAN = 1e-5  # radians or metres: nothing left to correct


@kernel
def look(world: World, q: Floats, room: WalkRoom) -> None:
    """Limits' values at q, and the planted rows there with their inverse Gram matrix."""
    limit_values(world.limits, q, room.coordinates, room.limit_gradient, room.limit_values)
    m = world.places.shape[0]
    if m == 0:
        return
    energy = room.energy
    forward(world.tree, q, energy.positions, energy.rotations)
    motion_axes(world.tree, energy.positions, energy.rotations, energy.axes)
    evaluate_rows(
        world.tree,
        world.mass,
        world.centre,
        world.program,
        q,
        energy.positions,
        energy.rotations,
        energy.axes,
        room.values,
        room.jacobian,
    )
    variable, jacobian = world.field.variable, room.jacobian
    for i in range(m):
        for k in range(variable.shape[0]):
            jacobian[i, k] *= variable[k]
    for i in range(m):
        for j in range(i + 1):
            total = 0.0
            for k in range(variable.shape[0]):
                total += jacobian[i, k] * jacobian[j, k]
            room.gram[i, j] = total
        room.gram[i, i] += 1e-8
    invert_positive(room.gram, room.factor, room.inverse)


@kernel
def _take_out_planted(jacobian: Floats, inverse: Floats, multiplier: Floats, v: Floats) -> None:
    """v -= K^T (K K^T)^-1 K v: nothing planted moves."""
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
def project(world: World, room: WalkRoom, v: Floats) -> None:
    """v without what moves planted parts or goes beyond joint limits that are reached."""
    variable, limits, slope = world.field.variable, world.limits, room.limit_gradient
    values, lower, upper = room.limit_values, world.lower, world.upper
    planted = world.places.shape[0]
    for k in range(v.shape[0]):
        v[k] *= variable[k]
    for _ in range(2):
        for i in range(values.shape[0]):
            above = values[i] > upper[i] - LIMIT_BAND
            below = values[i] < lower[i] + LIMIT_BAND
            if not (above or below):
                continue
            columns, at = limit_gradient(limits, i, room.coordinates, slope), limits.v_at[i]
            along, norm2 = 0.0, 0.0
            for c in range(columns):
                free = slope[c] * variable[at + c]
                along += free * v[at + c]
                norm2 += free * free
            if (above and along > 0.0) or (below and along < 0.0):
                for c in range(columns):
                    v[at + c] -= along / (norm2 + 1e-12) * slope[c] * variable[at + c]
        if planted == 0:
            return
        _take_out_planted(room.jacobian, room.inverse, room.multiplier, v)


@kernel
def correct(world: World, q: Floats, room: WalkRoom) -> float:
    """Bring planted parts back to their places and joints into their limits; q is changed.

    Returns the largest residual that is left.
    """
    variable, limits, slope, step = (
        world.field.variable,
        world.limits,
        room.limit_gradient,
        room.step,
    )
    values, lower, upper = room.limit_values, world.lower, world.upper
    m, worst = world.places.shape[0], 0.0
    for _ in range(CORRECTIONS):
        look(world, q, room)
        worst = 0.0
        step[:] = 0.0
        for i in range(m):
            total = 0.0
            for j in range(m):
                total += room.inverse[i, j] * (world.places[j] - room.values[j])
            worst = max(worst, abs(world.places[i] - room.values[i]))
            for k in range(step.shape[0]):
                step[k] += total * room.jacobian[i, k]
        for i in range(values.shape[0]):
            beyond = min(upper[i] - values[i], 0.0) + max(lower[i] - values[i], 0.0)
            if beyond == 0.0:
                continue
            worst = max(worst, abs(beyond))
            columns, at = limit_gradient(limits, i, room.coordinates, slope), limits.v_at[i]
            norm2 = 1e-12
            for c in range(columns):
                norm2 += (slope[c] * variable[at + c]) ** 2
            for c in range(columns):
                step[at + c] += beyond / norm2 * slope[c] * variable[at + c]
        if worst < CLEAN:
            return worst
        integrate(world.tree, q, step, q)
    return worst


@kernel
def keeps(world: World, q: Floats, tolerance: float, room: WalkRoom) -> bool:
    """Whether planted parts and limits hold at q, within a tolerance."""
    look(world, q, room)
    for i in range(world.places.shape[0]):
        if abs(room.values[i] - world.places[i]) > tolerance:
            return False
    for i in range(world.lower.shape[0]):
        value = room.limit_values[i]
        if value > world.upper[i] + tolerance or value < world.lower[i] - tolerance:
            return False
    return True
