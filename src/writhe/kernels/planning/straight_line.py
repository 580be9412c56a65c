"""A straight line between two postures that keeps every rule, or what comes nearest to one."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.planning.walk_constraints import correct, keeps
from writhe.kernels.planning.walk_model import WalkRoom, World, along, certified, length, overlaps
from writhe.kernels.skeleton.kinematics import difference, integrate

LOOKS, LOOK_STEP = 16, 0.05  # a line is looked at in at most so many parts, of at least so much


@kernel
def _blocked(
    world: World, q_from: Floats, share: float, whole: Floats, tolerance: float, room: WalkRoom
) -> bool:
    """Whether something plainly penetrates at a share of the line."""
    along(world.tree, q_from, whole, share, room.step, room.tried)
    if world.places.shape[0] > 0 and correct(world, room.tried, room) > tolerance:
        return False
    if overlaps(world, room.tried, room):
        room.failed_at[0] = share
        return True
    return False


@kernel
def _plainly_blocked(
    world: World, q_from: Floats, total: float, whole: Floats, tolerance: float, room: WalkRoom
) -> bool:
    """Look at a few places, that where the last line failed first."""
    last = room.failed_at[0]
    if total > 2 * LOOK_STEP and _blocked(world, q_from, last, whole, tolerance, room):
        return True
    parts = 2
    while parts <= LOOKS and total > LOOK_STEP * parts:
        for i in range(1, parts, 2):
            if _blocked(world, q_from, i / parts, whole, tolerance, room):
                return True
        parts *= 2
    return False


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
    whole = room.direction
    total = length(world.tree, q_from, q_to, whole)
    # most lines that fail do so plainly: look at a few places before asking for a proof
    if _plainly_blocked(world, q_from, total, whole, tolerance, room):
        return -1
    count = 1 + int(total / spacing)
    straight = world.places.shape[0] == 0
    if straight:
        if not certified(world, q_from, q_to, room):
            return -1
        for i in range(1, count):
            along(world.tree, q_from, whole, i / count, room.step, room.tried)
            if not keeps(world, room.tried, tolerance, room):
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
            for k in range(whole.shape[0]):
                room.step[k] /= count - i + 1
            integrate(world.tree, before, room.step, way[i - 1])
            if correct(world, way[i - 1], room) > tolerance:
                return -1
        if not certified(world, before, way[i - 1], room):
            return -1
    return count
