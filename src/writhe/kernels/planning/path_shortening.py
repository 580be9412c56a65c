"""Shortening a certified path: skip what can be skipped, then cut corners."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.planning.straight_line import line
from writhe.kernels.planning.walk_constraints import correct, keeps
from writhe.kernels.planning.walk_model import WalkRoom, World, certified, evaluate, length
from writhe.kernels.skeleton.kinematics import Tree, difference, integrate, interpolate

# steps of two irrational rotations: corners are cut all over the path, without a random number
FIRST_TURN, SECOND_TURN = 0.7548776662466927, 0.5698402909980532


@kernel
def skip(
    world: World,
    path: Floats,
    count: int,
    tolerance: float,
    spacing: float,
    room: WalkRoom,
    way: Floats,
    out: Floats,
) -> int:
    """out (rows, nq) = path[:count] with the longest straight lines that are certified."""
    out[0] = path[0]
    kept, i = 1, 0
    while i < count - 1:
        j = count - 1
        while j > i + 1:
            found = line(world, path[i], path[j], tolerance, spacing, room, way)
            if 0 < found <= out.shape[0] - kept - (count - j):
                for r in range(found):
                    out[kept] = way[r]
                    kept += 1
                break
            j = i + max(1, (j - i) // 2)
        if j == i + 1:
            out[kept] = path[j]
            kept += 1
        i = j
    return kept


@kernel
def _at(tree: Tree, path: Floats, sums: Floats, count: int, along: float, out: Floats) -> int:
    """The posture at a length along the path, to out; returns the edge it lies on."""
    edge = 0
    while edge < count - 2 and sums[edge + 1] < along:
        edge += 1
    span = sums[edge + 1] - sums[edge]
    t = 0.0 if span <= 0.0 else min(max((along - sums[edge]) / span, 0.0), 1.0)
    interpolate(tree, path[edge], path[edge + 1], t, out)
    return edge


@kernel
def cut_corners(
    world: World,
    path: Floats,
    count: int,
    rounds: int,
    patience: int,
    tolerance: float,
    spacing: float,
    room: WalkRoom,
    way: Floats,
    sums: Floats,
    spare: Floats,
    near: Floats,
    far: Floats,
) -> int:
    """Replace stretches of path[:count] by straight lines, in place; returns the new count.

    sums (rows) and spare (rows, nq) are room, near and far (nq) too. Ends after `patience` rounds
    in which nothing was gained.
    """
    idle = 0
    for turn in range(rounds):
        if count < 3 or idle >= patience:
            return count
        sums[0] = 0.0
        for i in range(1, count):
            sums[i] = sums[i - 1] + length(world.tree, path[i - 1], path[i], room.step)
        total = sums[count - 1]
        u = (0.5 + turn * FIRST_TURN) % 1.0
        # long stretches first, then shorter ones
        share = 0.9 * (0.5 + turn * SECOND_TURN) % 1.0
        start = u * (1.0 - share) * total
        end = start + share * total
        first = _at(world.tree, path, sums, count, start, near)
        last = _at(world.tree, path, sums, count, end, far)
        idle += 1
        if last == first:
            continue
        straight = length(world.tree, near, far, room.step)
        if straight > 0.995 * (end - start):
            continue
        found = line(world, near, far, tolerance, spacing, room, way)
        rest = count - 1 - last
        if found < 0 or first + 2 + found + rest > path.shape[0]:
            continue
        for i in range(rest):
            spare[i] = path[last + 1 + i]
        count = first + 1
        path[count] = near
        count += 1
        for i in range(found):
            path[count] = way[i]
            count += 1
        for i in range(rest):
            path[count] = spare[i]
            count += 1
        idle = 0
    return count


@kernel
def pull_tight(
    world: World,
    path: Floats,
    count: int,
    sweeps: int,
    tolerance: float,
    spacing: float,
    room: WalkRoom,
    way: Floats,
    target: Floats,
    tried: Floats,
) -> None:
    """Move the inner vertices of path[:count] towards the line between their neighbours, in place.

    Each goes as far of {1, 1/2, 1/4} of the way as keeps both pieces beside it straight and
    certified, like a string pulled tight. target and tried (nq) are room. Ends with a sweep that
    gains less than a five hundredth.
    """
    tree, step = world.tree, room.step
    for sweep in range(sweeps):
        before, after = 0.0, 0.0
        for i in range(1, count - 1):
            v = i if sweep % 2 == 0 else count - 1 - i
            first = length(tree, path[v - 1], path[v], step)
            second = length(tree, path[v], path[v + 1], step)
            before += first + second
            best = first + second
            straight = length(tree, path[v - 1], path[v + 1], step)
            if straight < 0.998 * best:
                interpolate(tree, path[v - 1], path[v + 1], first / max(best, 1e-12), target)
                share = 1.0
                while share > 0.2:
                    interpolate(tree, path[v], target, share, tried)
                    if (
                        line(world, path[v - 1], tried, tolerance, spacing, room, way) == 1
                        and line(world, tried, path[v + 1], tolerance, spacing, room, way) == 1
                    ):
                        path[v] = tried
                        best = length(tree, path[v - 1], tried, step)
                        best += length(tree, tried, path[v + 1], step)
                        break
                    share *= 0.5
            after += best
        if after > 0.998 * before:
            return


@kernel
def relax(
    world: World,
    path: Floats,
    keep_m: float,
    strength: float,
    sweeps: int,
    tolerance: float,
    room: WalkRoom,
    clearance: Floats,
) -> int:
    """Smooth path (rows, nq) in place: every inner posture moves towards the middle of its two.

    A move is kept if the clearance stays at `keep_m` or does not fall, planted parts and limits
    hold, and both pieces beside it are certified. clearance (rows) is room. Returns how many moves
    were kept.
    """
    count, kept = path.shape[0], 0
    v, step, nv = room.direction, room.step, room.step.shape[0]
    for i in range(count):
        evaluate(world, path[i], room, room.tried_gradient)
        clearance[i] = room.energy.least[0]
    for sweep in range(sweeps):
        for at in range(1, count - 1):
            i = at if sweep % 2 == 0 else count - 1 - at
            difference(world.tree, path[i], path[i - 1], v)
            difference(world.tree, path[i], path[i + 1], step)
            for k in range(nv):
                step[k] = 0.5 * strength * (step[k] + v[k])
            integrate(world.tree, path[i], step, room.tried)
            if correct(world, room.tried, room) > tolerance:
                continue
            evaluate(world, room.tried, room, room.tried_gradient)
            least = room.energy.least[0]
            if least < min(keep_m, clearance[i]):
                continue
            if not certified(world, path[i - 1], room.tried, room):
                continue
            if not certified(world, room.tried, path[i + 1], room):
                continue
            path[i] = room.tried
            clearance[i] = least
            kept += 1
    return kept


@kernel
def sound(world: World, path: Floats, tolerance: float, room: WalkRoom) -> bool:
    """Whether path (rows, nq) is certified and its inner postures keep the rules."""
    for i in range(1, path.shape[0] - 1):
        if not keeps(world, path[i], tolerance, room):
            return False
    proven = 0
    while proven < path.shape[0] - 1 and certified(world, path[proven], path[proven + 1], room):
        proven += 1
    return proven == path.shape[0] - 1
