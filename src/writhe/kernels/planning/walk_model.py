"""What every walk needs: the world it happens in, working space, and the questions asked of it."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from writhe.arrays import Floats
from writhe.kernels.collision.shape_gaps import Bodies, Pairs, Shapes
from writhe.kernels.collision.step_gate import GateRoom, gate_step
from writhe.kernels.jit import kernel
from writhe.kernels.planning.repulsive_energy import EnergyRoom, Field, energy_gradient, penetrates
from writhe.kernels.skeleton.kinematics import Tree, difference, integrate
from writhe.kernels.terms.limit_rows import Limits
from writhe.kernels.terms.quantity_rows import Program

PIECE = 0.3  # radians: the gate proves steps of this length fastest


class World(NamedTuple):
    """What is walked in; see the members' own modules."""

    tree: Tree
    shapes: Shapes
    bodies: Bodies
    pairs: Pairs
    field: Field
    program: Program  # the planted rows
    places: Floats  # (planted,) what their values have to be
    limits: Limits
    lower: Floats  # (limits,)
    upper: Floats  # (limits,)
    mass: Floats  # (n,)
    centre: Floats  # (n, 3)
    slack: float


class WalkRoom(NamedTuple):
    """Working space of walks in one world."""

    energy: EnergyRoom
    gate: GateRoom
    values: Floats  # (planted,)
    jacobian: Floats  # (planted, nv)
    gram: Floats  # (planted, planted)
    factor: Floats
    inverse: Floats
    multiplier: Floats  # (planted,)
    coordinates: Floats  # (limits, 3) of the joint of each limit
    limit_values: Floats  # (limits,)
    limit_gradient: Floats  # (3,)
    gradient: Floats  # (2, nv)
    direction: Floats  # (nv,)
    downhill: Floats  # (nv,)
    step: Floats  # (nv,)
    straight: Floats  # (nv,) of the line that is looked at
    tried: Floats  # (nq,)
    pieces: Floats  # (2, nq) ends of a piece of a line
    tried_gradient: Floats  # (nv,)
    failed_at: Floats  # (1,) where the last line that failed did so


@kernel
def evaluate(world: World, q: Floats, room: WalkRoom, gradient: Floats) -> float:
    """Energy and gradient (nv) at q; frames and axes stay in the room."""
    return energy_gradient(
        world.tree, world.shapes, world.bodies, world.field, q, room.energy, gradient
    )


@kernel
def overlaps(world: World, q: Floats, room: WalkRoom) -> bool:
    """Whether something penetrates at q."""
    return penetrates(
        world.tree, world.shapes, world.bodies, world.field, q, world.slack, room.energy
    )


@kernel
def length(tree: Tree, q_from: Floats, q_to: Floats, step: Floats) -> float:
    """The length of the straight tangent step, which is left in `step` (nv)."""
    difference(tree, q_from, q_to, step)
    total = 0.0
    for k in range(step.shape[0]):
        total += step[k] * step[k]
    return sqrt(total)


@kernel
def along(tree: Tree, q: Floats, whole: Floats, share: float, step: Floats, out: Floats) -> None:
    """out (nq): from q by a share of the step `whole` (nv); `step` is room."""
    for k in range(step.shape[0]):
        step[k] = share * whole[k]
    integrate(tree, q, step, out)


@kernel
def _passes(world: World, q_from: Floats, q_to: Floats, room: WalkRoom) -> bool:
    fraction = gate_step(
        world.tree,
        world.shapes,
        world.bodies,
        world.pairs,
        q_from,
        q_to,
        world.slack,
        room.gate,
    )
    return fraction >= 1.0


@kernel
def certified(world: World, q_from: Floats, q_to: Floats, room: WalkRoom) -> bool:
    """Whether the gate lets the whole straight step pass.

    Long steps are proven piece by piece: what can come near in a short piece is little.
    """
    tree, straight, step = world.tree, room.straight, room.step
    total = length(tree, q_from, q_to, straight)
    count = 1 + int(total / PIECE)
    if count == 1:
        return _passes(world, q_from, q_to, room)
    for i in range(count):
        here, there = room.pieces[i % 2], room.pieces[(i + 1) % 2]
        if i == 0:
            here[:] = q_from
        if i == count - 1:
            there[:] = q_to
        else:
            along(tree, q_from, straight, (i + 1) / count, step, there)
        if not _passes(world, here, there, room):
            room.failed_at[0] = (i + 0.5) / count
            return False
    return True
