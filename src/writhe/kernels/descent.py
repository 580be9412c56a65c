"""Two postures walk towards each other over the repulsive energy until a straight line joins them.

The direction of each step is the straight one as long as it does not raise the energy; otherwise
its part along the gradient is taken out and a little descent put in its place,

    u = D - (D . g) g - b g,

D towards the other posture, g the unit gradient (Wang, Ho and Komura, Eq. 5, which has b = 0). What
is planted and the joint limits are kept by projecting D and g first. A step is taken if the energy
does not rise, clearance stays and the gate certifies it; its length adapts.
"""

from __future__ import annotations

from math import log, sqrt
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.energy import EnergyRoom, Field, energy_gradient
from writhe.kernels.gaps import Bodies, Pairs, Shapes
from writhe.kernels.gate import GateRoom, gate_step
from writhe.kernels.jit import kernel
from writhe.kernels.kinematics import Tree, difference, forward, integrate, motion_axes
from writhe.kernels.linear import invert_positive
from writhe.kernels.rows import Program, evaluate_rows

MET, STUCK, SPENT, FULL = 0, 1, 2, 3  # how a walk ends
GROW, SHRINK = 1.6, 0.5
LIMIT_BAND = 0.01  # a limit nearer than this holds back what goes towards it
CORRECTIONS = 6
CLEAN = 1e-5  # radians or metres: nothing left to correct
LOOKS, LOOK_STEP = 16, 0.05  # a line is looked at in at most so many parts, of at least so much


class World(NamedTuple):
    """What is walked in; see the members' own modules."""

    tree: Tree
    shapes: Shapes
    bodies: Bodies
    pairs: Pairs
    field: Field
    program: Program  # planted rows first, then joint limits
    lower: Floats  # (R,)
    upper: Floats  # (R,)
    planted: int  # how many rows are planted
    mass: Floats  # (n,)
    centre: Floats  # (n, 3)
    slack: float


class WalkRoom(NamedTuple):
    """Working space of walks in one world."""

    energy: EnergyRoom
    gate: GateRoom
    values: Floats  # (R,)
    jacobian: Floats  # (R, nv)
    gram: Floats  # (planted, planted)
    factor: Floats
    inverse: Floats
    multiplier: Floats  # (planted,)
    gradient: Floats  # (2, nv)
    direction: Floats  # (nv,)
    downhill: Floats  # (nv,)
    step: Floats  # (nv,)
    tried: Floats  # (nq,)
    tried_gradient: Floats  # (nv,)


@kernel
def look(world: World, q: Floats, room: WalkRoom) -> None:
    """Fill values and jacobian of all rows at q, and the inverse Gram matrix of planted ones."""
    energy = room.energy
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
    variable = world.field.variable
    for i in range(room.values.shape[0]):
        for k in range(variable.shape[0]):
            room.jacobian[i, k] *= variable[k]
    m = world.planted
    for i in range(m):
        for j in range(i + 1):
            total = 0.0
            for k in range(variable.shape[0]):
                total += room.jacobian[i, k] * room.jacobian[j, k]
            room.gram[i, j] = total
        room.gram[i, i] += 1e-8
    if m > 0:
        invert_positive(room.gram, room.factor, room.inverse)


@kernel
def _take_out_planted(
    jacobian: Floats, inverse: Floats, planted: int, multiplier: Floats, v: Floats
) -> None:
    """v -= K^T (K K^T)^-1 K v with K the first `planted` rows: nothing planted moves."""
    nv = v.shape[0]
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
def _project(
    values: Floats,
    jacobian: Floats,
    lower: Floats,
    upper: Floats,
    planted: int,
    inverse: Floats,
    multiplier: Floats,
    variable: Floats,
    v: Floats,
) -> None:
    """v without what moves planted parts or goes beyond joint limits that are reached."""
    nv, rows = v.shape[0], values.shape[0]
    for k in range(nv):
        v[k] *= variable[k]
    for _ in range(2):
        for i in range(planted, rows):
            above = values[i] > upper[i] - LIMIT_BAND
            below = values[i] < lower[i] + LIMIT_BAND
            if not (above or below):
                continue
            along, norm2 = 0.0, 0.0
            for k in range(nv):
                along += jacobian[i, k] * v[k]
                norm2 += jacobian[i, k] * jacobian[i, k]
            if (above and along > 0.0) or (below and along < 0.0):
                for k in range(nv):
                    v[k] -= along / (norm2 + 1e-12) * jacobian[i, k]
        if planted == 0:
            return
        _take_out_planted(jacobian, inverse, planted, multiplier, v)


@kernel
def correct(world: World, q: Floats, room: WalkRoom) -> float:
    """Bring planted parts back to their places and joints into their limits; q is changed.

    Returns the largest residual that is left.
    """
    nv, rows = room.step.shape[0], room.values.shape[0]
    worst = 0.0
    for _ in range(CORRECTIONS):
        energy = room.energy
        # frames at q: the energy is not needed, only where everything is
        frames(world, q, energy)
        look(world, q, room)
        worst = 0.0
        step = room.step
        step[:] = 0.0
        m = world.planted
        for i in range(m):
            total = 0.0
            for j in range(m):
                total += room.inverse[i, j] * (world.lower[j] - room.values[j])
            worst = max(worst, abs(world.lower[i] - room.values[i]))
            for k in range(nv):
                step[k] += total * room.jacobian[i, k]
        for i in range(m, rows):
            beyond = 0.0
            if room.values[i] > world.upper[i]:
                beyond = world.upper[i] - room.values[i]
            elif room.values[i] < world.lower[i]:
                beyond = world.lower[i] - room.values[i]
            if beyond == 0.0:
                continue
            worst = max(worst, abs(beyond))
            norm2 = 0.0
            for k in range(nv):
                norm2 += room.jacobian[i, k] * room.jacobian[i, k]
            for k in range(nv):
                step[k] += beyond / (norm2 + 1e-12) * room.jacobian[i, k]
        if worst < CLEAN:
            return worst
        integrate(world.tree, q, step, q)
    return worst


@kernel
def frames(world: World, q: Floats, energy: EnergyRoom) -> None:
    """Joint frames and axes at q."""
    forward(world.tree, q, energy.positions, energy.rotations)
    motion_axes(world.tree, energy.positions, energy.rotations, energy.axes)


@kernel
def evaluate(world: World, q: Floats, room: WalkRoom, gradient: Floats) -> float:
    """Energy and gradient (nv) at q."""
    return energy_gradient(
        world.tree, world.shapes, world.bodies, world.field, q, room.energy, gradient
    )


@kernel
def certified(world: World, q_from: Floats, q_to: Floats, room: WalkRoom) -> bool:
    """Whether the gate lets the whole straight step pass."""
    return (
        gate_step(
            world.tree,
            world.shapes,
            world.bodies,
            world.pairs,
            q_from,
            q_to,
            world.slack,
            room.gate,
        )
        >= 1.0
    )


@kernel
def _within(values: Floats, lower: Floats, upper: Floats, tolerance: float) -> bool:
    """Whether all rows hold within a tolerance."""
    for i in range(values.shape[0]):
        if values[i] > upper[i] + tolerance or values[i] < lower[i] - tolerance:
            return False
    return True


@kernel
def length(tree: Tree, q_from: Floats, q_to: Floats, step: Floats) -> float:
    """The length of the straight tangent step, which is left in `step` (nv)."""
    difference(tree, q_from, q_to, step)
    total = 0.0
    for k in range(step.shape[0]):
        total += step[k] * step[k]
    return sqrt(total)


@kernel
def line(
    world: World,
    q_from: Floats,
    q_to: Floats,
    tolerance: float,
    spacing: float,
    room: WalkRoom,
    way: Floats,
) -> int:
    """Join two postures by a straight line that keeps every rule; returns how many rows of `way`.

    way (rows, nq) gets what comes after q_from, q_to last; -1 when there is no such line. Where the
    straight line leaves planted places or limits, it is walked in steps that are corrected.
    """
    total = length(world.tree, q_from, q_to, room.step)
    count = 1 + int(total / spacing)
    straight = world.planted == 0
    direct = room.direction
    for k in range(direct.shape[0]):
        direct[k] = room.step[k]
    # most lines that fail do so plainly: look at a few places before asking for a proof
    parts = 2
    while parts <= LOOKS and total > LOOK_STEP * parts:
        for i in range(1, parts, 2):
            for k in range(direct.shape[0]):
                room.step[k] = direct[k] * i / parts
            integrate(world.tree, q_from, room.step, room.tried)
            if straight or correct(world, room.tried, room) < tolerance:
                evaluate(world, room.tried, room, room.tried_gradient)
                if room.energy.least[0] < -world.slack:
                    return -1
        parts *= 2
    if straight and not certified(world, q_from, q_to, room):
        return -1
    if straight and world.lower.shape[0] > 0:
        for i in range(1, count):
            for k in range(direct.shape[0]):
                room.step[k] = direct[k] * i / count
            integrate(world.tree, q_from, room.step, room.tried)
            frames(world, room.tried, room.energy)
            look(world, room.tried, room)
            if not _within(room.values, world.lower, world.upper, tolerance):
                straight = False
                break
    if straight:
        way[0] = q_to
        return 1
    if count > way.shape[0]:
        return -1
    for i in range(1, count + 1):
        before = q_from if i == 1 else way[i - 2]
        if i == count:
            way[i - 1] = q_to
        else:
            # towards the end from where the last correction led, not along the first line
            difference(world.tree, before, q_to, room.step)
            for k in range(direct.shape[0]):
                room.step[k] /= count - i + 1
            integrate(world.tree, before, room.step, way[i - 1])
            if correct(world, way[i - 1], room) > tolerance:
                return -1
        if not certified(world, before, way[i - 1], room):
            return -1
    return count


@kernel
def _unit(v: Floats) -> float:
    """Make v a unit vector; returns what its length was (0: it is left alone)."""
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
    world: World, room: WalkRoom, side: int, q: Floats, other: Floats, mix: float, pull: float
) -> float:
    """The unit direction of the next step in room.direction; 0 if there is none."""
    d, g = room.direction, room.downhill
    values, jacobian, lower, upper = room.values, room.jacobian, world.lower, world.upper
    planted, inverse, multiplier = world.planted, room.inverse, room.multiplier
    variable = world.field.variable
    rules = (values, jacobian, lower, upper, planted, inverse, multiplier, variable)
    difference(world.tree, q, other, d)
    _project(*rules, d)
    for k in range(d.shape[0]):
        g[k] = room.gradient[side, k]
    _project(*rules, g)
    if pull == 0.0 or _unit(d) == 0.0:
        d[:] = 0.0
    if _unit(g) > 0.0:
        along = 0.0
        for k in range(d.shape[0]):
            along += d[k] * g[k]
        if along > 0.0 or pull == 0.0:
            for k in range(d.shape[0]):
                d[k] -= (max(along, 0.0) + mix) * g[k]
            _project(*rules, d)
    return _unit(d)


@kernel
def clear_end(
    world: World, wanted_m: float, most: int, tolerance: float, room: WalkRoom, path: Floats
) -> int:
    """Move path[0] until its clearance is `wanted_m`, by certified steps down the energy.

    Returns how many rows of path (rows, nq) were filled. Steps are taken while clearance grows.
    """
    evaluate(world, path[0], room, room.gradient[0])
    least, alpha, count = room.energy.least[0], 0.02, 1
    nv = room.direction.shape[0]
    for _ in range(most):
        if least >= wanted_m or alpha < 1e-4 or count >= path.shape[0]:
            break
        q = path[count - 1]
        frames(world, q, room.energy)
        look(world, q, room)
        if _direction(world, room, 0, q, q, 1.0, 0.0) == 0.0:
            break
        for k in range(nv):
            room.step[k] = alpha * room.direction[k]
        integrate(world.tree, q, room.step, room.tried)
        good = True
        if world.lower.shape[0] > 0:
            good = correct(world, room.tried, room) < tolerance
        if good:
            evaluate(world, room.tried, room, room.tried_gradient)
            good = room.energy.least[0] > least and certified(world, q, room.tried, room)
        if not good:
            alpha *= SHRINK
            continue
        least = room.energy.least[0]
        path[count] = room.tried
        count += 1
        for k in range(nv):
            room.gradient[0, k] = room.tried_gradient[k]
        alpha *= GROW
    return count


@kernel
def meet(
    world: World,
    mix: float,
    pull: float,
    first_step: float,
    most_step: float,
    most: int,
    patience: int,
    check_every: int,
    tolerance: float,
    spacing: float,
    room: WalkRoom,
    paths: Floats,
    counts: Ints,
    way: Floats,
    energies: Floats,
) -> int:
    """Walk from both ends until a straight line joins them; returns MET, STUCK, SPENT or FULL.

    paths (2, rows, nq) and counts (3): the postures walked so far, walked on from the last. On MET
    counts[2] rows of `way` lead from the last of paths[0] to that of paths[1]. pull 0 walks
    straight down the energy. A walk is stuck when for `patience` steps neither the lower energy
    nor the distance has fallen (section 8 of the paper). energies (2): the final.
    """
    alpha0, alpha1 = first_step, first_step
    nv = room.direction.shape[0]
    for side in range(2):
        q = paths[side, counts[side] - 1]
        energies[side] = evaluate(world, q, room, room.gradient[side])
    best_energy, best_distance, since, looked = 1e300, 1e300, 0, -1
    counts[2] = 0
    for i in range(most):
        p, r = paths[0, counts[0] - 1], paths[1, counts[1] - 1]
        if pull > 0.0 and i % check_every == 0:
            found = line(world, p, r, tolerance, spacing, room, way)
            looked = -1
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
        if looked != side:
            frames(world, q, room.energy)
            look(world, q, room)
        looked = side
        alpha = alpha0 if side == 0 else alpha1
        if _direction(world, room, side, q, other, mix, pull) == 0.0:
            alpha0 = 0.0 if side == 0 else alpha0
            alpha1 = 0.0 if side == 1 else alpha1
            continue
        apart = length(world.tree, q, other, room.step)
        alpha = min(alpha, most_step)
        if pull > 0.0:
            alpha = min(alpha, apart)
        for k in range(nv):
            room.step[k] = alpha * room.direction[k]
        integrate(world.tree, q, room.step, room.tried)
        good, clean, fresh = True, False, 0.0
        if world.lower.shape[0] > 0:
            left = correct(world, room.tried, room)
            good, clean = left < tolerance, left < CLEAN
            looked = -1
        if good:
            fresh = evaluate(world, room.tried, room, room.tried_gradient)
            good = fresh <= energies[side] * (1.0 + 1e-12) and room.energy.least[0] > 0.0
            good = good and certified(world, q, room.tried, room)
        if not good:
            alpha *= SHRINK
        else:
            paths[side, counts[side]] = room.tried
            counts[side] += 1
            energies[side] = fresh
            for k in range(nv):
                room.gradient[side, k] = room.tried_gradient[k]
            # the rows looked at while correcting are those of the new posture
            looked = side if clean else -1
            alpha *= GROW
        if side == 0:
            alpha0 = alpha
        else:
            alpha1 = alpha
        lower = log(min(energies[0], energies[1]) + 1e-300)
        first, second = paths[0, counts[0] - 1], paths[1, counts[1] - 1]
        apart = length(world.tree, first, second, room.step)
        since += 1
        if lower < best_energy - 0.01 or (pull > 0.0 and apart < best_distance - 0.005):
            since = 0
        best_energy = min(best_energy, lower)
        best_distance = min(best_distance, apart)
        if since > patience:
            return STUCK
    return SPENT
