"""The step gate (a step limiter): shortens a step to the fraction that is certified.

The method is continuous collision detection by conservative advancement. `Gate` is for Python code.
The default poser shortens its steps in `kernels/posing/frame_step.py` through
`kernels/collision/step_gate.py`, and the planner calls the same kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats, number
from writhe.collision.certificate_slack import GATE_SLACK_M
from writhe.collision.collision_table import CollisionTable
from writhe.kernels.collision.step_gate import GateWorkspace, gate_step
from writhe.kernels.collision.step_motion import PairWorkspace, StepMotion
from writhe.kernels.collision.step_samples import SAMPLES, StepSamples
from writhe.kernels.skeleton import kinematics
from writhe.skeleton.configurations import configuration


def gate_workspace(table: CollisionTable) -> GateWorkspace:
    """The preallocated arrays of the gate and sweep kernels for one table."""
    n, bodies = len(table.skeleton), len(table.bodies.joint)
    motion = StepMotion(
        start_rotation=np.zeros((n, 3, 3)),
        axis=np.zeros((n, 3)),
        angle=np.zeros(n),
        start_offset=np.zeros((n, 3)),
        offset_step=np.zeros((n, 3)),
        order=np.full((n, 3), -1, dtype=np.int64),
        euler=np.zeros((n, 3)),
        euler_step=np.zeros((n, 3)),
        speed=np.zeros((bodies, n + 1)),
        acceleration=np.zeros((bodies, n + 1)),
    )
    workspace = PairWorkspace(
        placed=table.empty_placed_shapes(),
        position=np.zeros(3),
        rotation_a=np.zeros((3, 3)),
        rotation_b=np.zeros((3, 3)),
        local=np.zeros((3, 3)),
        turn=np.zeros((3, 3)),
        out=np.zeros(9),
        normal=np.zeros(3),
        carried_normal=np.zeros(3),
        fractions=np.zeros(2),
        evaluations=np.zeros(1, dtype=np.int64),
    )
    return GateWorkspace(
        motion=motion,
        pair_workspace=workspace,
        before=table.empty_placed_shapes(),
        after=table.empty_placed_shapes(),
        positions_before=np.zeros((n, 3)),
        rotations_before=np.zeros((n, 3, 3)),
        positions_after=np.zeros((n, 3)),
        rotations_after=np.zeros((n, 3, 3)),
        order=np.full((n, 3), -1, dtype=np.int64),
        euler=np.zeros((n, 3)),
        samples=StepSamples(
            step=np.zeros(1, dtype=np.int64),
            filled_in_step=np.zeros((SAMPLES + 1, n), dtype=np.int64),
            chain=np.zeros(n, dtype=np.int64),
            positions=np.zeros((SAMPLES + 1, n, 3)),
            rotations=np.zeros((SAMPLES + 1, n, 3, 3)),
        ),
        last_normals=table.initial_normals(),
        violating=np.zeros((max(1, len(table.pairs.deep)), 3), dtype=np.int64),
        outcome=np.zeros(5, dtype=np.int64),
    )


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of `Gate.check`.

    `fraction` of the step passes the gate: 1 if the whole step does, 0 if it is refused;
    `blocked_by` names the two parts that limit it. A step that starts in violation may pass, if it
    does not get deeper.
    """

    fraction: float
    blocked_by: tuple[str, str] | None
    pairs_starting_in_violation: int

    @property
    def certified(self) -> bool:
        """Whether the whole step passes and nothing is in violation at its start."""
        return self.fraction >= 1.0 and self.pairs_starting_in_violation == 0


class Gate:
    """Certifies steps of one skeleton or scene.

    Reuses its workspace: do not share a gate between threads. `checked`, `shortened` and `refused`
    count steps so far.
    """

    @checked
    def __init__(self, table: CollisionTable, slack_m: float = GATE_SLACK_M) -> None:
        self.table = table
        self.slack_m = number(slack_m, "the slack of a gate", minimum=0.0, maximum=0.1)
        self._workspace = gate_workspace(table)
        self.checked = self.shortened = self.refused = 0

    def fraction(self, q_from: Floats, q_to: Floats) -> float:
        """The certified fraction of the step."""
        skeleton = self.table.skeleton
        return self._fraction(
            configuration(skeleton, q_from, "the step's start"),
            configuration(skeleton, q_to, "the step's end"),
        )

    def _fraction(self, q_from: Floats, q_to: Floats) -> float:
        table = self.table
        fraction = gate_step(
            table.skeleton.tree,
            table.shapes,
            table.bodies,
            table.pairs,
            q_from,
            q_to,
            self.slack_m,
            self._workspace,
        )
        self.checked += 1
        if fraction < 1.0:
            self.shortened += fraction > 0.0
            self.refused += fraction <= 0.0
        return fraction

    def check(self, q_from: Floats, q_to: Floats) -> GateResult:
        """The certified fraction of the step, and the parts that limit it."""
        fraction = self.fraction(q_from, q_to)
        outcome = self._workspace.outcome
        blocked = None
        if fraction < 1.0 and outcome[0] >= 0:
            a, b = int(outcome[1]), int(outcome[2])
            blocked = (self.table.part_of_shape(a), self.table.part_of_shape(b))
        return GateResult(fraction, blocked, int(outcome[3]))

    def limit(self, q_from: Floats, q_to: Floats) -> Floats:
        """The configuration at the certified fraction of the step from q_from to q_to."""
        skeleton = self.table.skeleton
        start = configuration(skeleton, q_from, "the step's start")
        out = configuration(skeleton, q_to, "the step's end").copy()
        fraction = self._fraction(start, out)
        if fraction < 1.0:
            kinematics.interpolate(skeleton.tree, start, out, fraction, out)
        return out

    @property
    def evaluations(self) -> int:
        """Number of pair evaluations between the ends of steps so far."""
        return int(self._workspace.pair_workspace.evaluations[0])
