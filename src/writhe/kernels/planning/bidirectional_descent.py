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

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.planning.straight_line import line
from writhe.kernels.planning.walk_constraints import CLEAN, correct, look, project
from writhe.kernels.planning.walk_model import WalkRoom, World, along, certified, evaluate, length
from writhe.kernels.skeleton.kinematics import difference

MET, STUCK, SPENT, FULL = 0, 1, 2, 3  # how a walk ends
GROW, SHRINK = 1.6, 0.5


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
    difference(world.tree, q, other, d)
    project(world, room, d)
    for k in range(d.shape[0]):
        g[k] = room.gradient[side, k]
    project(world, room, g)
    if pull == 0.0 or _unit(d) == 0.0:
        d[:] = 0.0
    if _unit(g) > 0.0:
        uphill = 0.0
        for k in range(d.shape[0]):
            uphill += d[k] * g[k]
        if uphill > 0.0 or pull == 0.0:
            for k in range(d.shape[0]):
                d[k] -= (max(uphill, 0.0) + mix) * g[k]
            project(world, room, d)
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
        look(world, q, room)
        if _direction(world, room, 0, q, q, 1.0, 0.0) == 0.0:
            break
        along(world.tree, q, room.direction, alpha, room.step, room.tried)
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
        along(world.tree, q, room.direction, alpha, room.step, room.tried)
        left, fresh = correct(world, room.tried, room), 0.0
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
