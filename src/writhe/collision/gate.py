"""The gate of interactive steps: how much of a step is certified."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, floats
from writhe.collision.collision_table import CollisionTable
from writhe.kernels.collision.step_gate import GateRoom, gate_step
from writhe.kernels.collision.step_motion import Moves, Room
from writhe.kernels.collision.step_samples import MOMENTS, Moments
from writhe.kernels.skeleton import kinematics

SLACK_M = 1e-3
# The gate keeps 0.1 mm in hand, so that what it let through still certifies after rounding.
GATE_SLACK_M = 0.9e-3


def gate_room(table: CollisionTable) -> GateRoom:
    """The kernels' working space for one table."""
    n, bodies = len(table.skeleton), len(table.bodies.joint)
    moves = Moves(
        base=np.zeros((n, 3, 3)),
        axis=np.zeros((n, 3)),
        angle=np.zeros(n),
        shift=np.zeros((n, 3)),
        drift=np.zeros((n, 3)),
        order=np.full((n, 3), -1, dtype=np.int64),
        euler=np.zeros((n, 3)),
        euler_step=np.zeros((n, 3)),
        speed=np.zeros((bodies, n + 1)),
        acceleration=np.zeros((bodies, n + 1)),
    )
    room = Room(
        placed=table.placed_room(),
        position=np.zeros(3),
        rotation_a=np.zeros((3, 3)),
        rotation_b=np.zeros((3, 3)),
        local=np.zeros((3, 3)),
        turn=np.zeros((3, 3)),
        out=np.zeros(9),
        evaluations=np.zeros(1, dtype=np.int64),
    )
    return GateRoom(
        moves=moves,
        room=room,
        before=table.placed_room(),
        after=table.placed_room(),
        positions_before=np.zeros((n, 3)),
        rotations_before=np.zeros((n, 3, 3)),
        positions_after=np.zeros((n, 3)),
        rotations_after=np.zeros((n, 3, 3)),
        order=np.full((n, 3), -1, dtype=np.int64),
        euler=np.zeros((n, 3)),
        normal=np.zeros(3),
        turned=np.zeros(3),
        ends=np.zeros(2),
        moments=Moments(
            step=np.zeros(1, dtype=np.int64),
            known=np.zeros((MOMENTS + 1, n), dtype=np.int64),
            chain=np.zeros(n, dtype=np.int64),
            positions=np.zeros((MOMENTS + 1, n, 3)),
            rotations=np.zeros((MOMENTS + 1, n, 3, 3)),
        ),
        apart_along=table.first_directions(),
        violating=np.zeros((max(1, len(table.pairs.deep)), 3), dtype=np.int64),
        found=np.zeros(5, dtype=np.int64),
    )


@dataclass(frozen=True, slots=True)
class GateResult:
    """What the gate says of a step.

    `fraction` of it is certified; `blocked_by` names the two parts that limit it. A fraction below
    one means that the step was shortened, zero that it was refused.
    """

    fraction: float
    blocked_by: tuple[str, str] | None
    pairs_starting_in_violation: int

    @property
    def certified(self) -> bool:
        """Whether the whole step is certified."""
        return self.fraction >= 1.0


class Gate:
    """Certifies steps of one skeleton or scene; keeps its working space between calls.

    A gate is not to be shared between threads. `checked`, `shortened` and `refused` count what it
    did so far.
    """

    def __init__(self, table: CollisionTable, slack_m: float = GATE_SLACK_M) -> None:
        self.table = table
        self.slack_m = float(slack_m)
        self._room = gate_room(table)
        self.checked = self.shortened = self.refused = 0

    def fraction(self, q_from: Floats, q_to: Floats) -> float:
        """The certified fraction of the step: contiguous float64 configurations, not checked."""
        table = self.table
        found = gate_step(
            table.skeleton.tree,
            table.shapes,
            table.bodies,
            table.pairs,
            q_from,
            q_to,
            self.slack_m,
            self._room,
        )
        self.checked += 1
        if found < 1.0:
            self.shortened += found > 0.0
            self.refused += found <= 0.0
        return found

    def check(self, q_from: Floats, q_to: Floats) -> GateResult:
        """What part of the step is certified, and what stops it."""
        size = (self.table.skeleton.configuration_size,)
        fraction = self.fraction(
            floats(q_from, size, "the step's start"), floats(q_to, size, "the step's end")
        )
        found = self._room.found
        blocked = None
        if fraction < 1.0 and found[0] >= 0:
            a, b = int(found[1]), int(found[2])
            blocked = (self.table.part_of_shape(a), self.table.part_of_shape(b))
        return GateResult(fraction, blocked, int(found[3]))

    def limit(self, q_from: Floats, q_to: Floats) -> Floats:
        """The farthest certified configuration on the way from one to the other."""
        fraction = self.fraction(q_from, q_to)
        out = np.empty_like(q_to)
        if fraction >= 1.0:
            out[:] = q_to
        else:
            kinematics.interpolate(self.table.skeleton.tree, q_from, q_to, fraction, out)
        return out

    @property
    def evaluations(self) -> int:
        """How many pair evaluations between the ends of steps were needed so far."""
        return int(self._room.room.evaluations[0])
