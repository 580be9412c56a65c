"""Shortening a certified path: skip what can be skipped, then cut corners."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.descent import WalkRoom, World, length, line
from writhe.kernels.jit import kernel
from writhe.kernels.kinematics import interpolate

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
def _at(world: World, path: Floats, sums: Floats, count: int, along: float, out: Floats) -> int:
    """The posture at a length along the path, to out; returns the edge it lies on."""
    edge = 0
    while edge < count - 2 and sums[edge + 1] < along:
        edge += 1
    span = sums[edge + 1] - sums[edge]
    t = 0.0 if span <= 0.0 else min(max((along - sums[edge]) / span, 0.0), 1.0)
    interpolate(world.tree, path[edge], path[edge + 1], t, out)
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
            sums[i] = sums[i - 1] + length(world, path[i - 1], path[i], room)
        total = sums[count - 1]
        u = (0.5 + turn * FIRST_TURN) % 1.0
        # long stretches first, then shorter ones
        share = 0.9 * (0.5 + turn * SECOND_TURN) % 1.0
        start = u * (1.0 - share) * total
        end = start + share * total
        first = _at(world, path, sums, count, start, near)
        last = _at(world, path, sums, count, end, far)
        idle += 1
        if last == first:
            continue
        straight = length(world, near, far, room)
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
