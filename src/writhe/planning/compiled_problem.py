"""A planning problem compiled to the arrays of the planning kernels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, NearPairs
from writhe.collision.certificate_slack import GATE_SLACK_M, SLACK_M
from writhe.collision.gate import gate_workspace
from writhe.kernels.planning.path_shortening import ShorteningArrays
from writhe.kernels.planning.search_model import SearchModel, SearchWorkspace
from writhe.kernels.skeleton.kinematics import BALL, FREE, Tree, forward
from writhe.kernels.terms import limit_rows, quantity_rows
from writhe.kernels.terms.limit_rows import LimitRows
from writhe.kernels.terms.quantity_rows import Program
from writhe.planning.energy import Energy, EnergyOptions
from writhe.planning.problem import PlanProblem
from writhe.terms import CompiledTerms

MAX_ROWS = 1500  # configurations of one search path at most
MAX_LINE_STEPS = 400  # steps of one corrected straight line at most


class CompiledProblem:
    """Kernel model of problems with the same planted parts, and workspace for their search.

    `set_problem` replaces the pair of postures without compiling anything again. Not thread-safe.
    """

    def __init__(self, problem: PlanProblem, options: EnergyOptions | None = None) -> None:
        table, skeleton = problem.table, problem.skeleton
        self.table = table
        self.options = options or EnergyOptions()
        self.variable = problem.variable
        self.energy = Energy(table, without_contacts(problem, self.options), problem.variable)
        self._fields = {self.options.falloff: self.energy.field}
        planted, limits = problem.planted_terms, problem.limit_terms
        self.terms = CompiledTerms(skeleton, [*planted, *limits])
        self.planted = int(self.terms.program.row_start[len(planted)])
        self._program = CompiledTerms(skeleton, planted).program
        self._limits = compile_limits(skeleton.tree, CompiledTerms(skeleton, limits).program)
        self.near = NearPairs(table)
        held, limited = self.planted, self.terms.rows - self.planted
        nv, nq = skeleton.dof_count, skeleton.configuration_size
        self.workspace = SearchWorkspace(
            energy=self.energy.workspace,
            gate=gate_workspace(table),
            values=np.zeros(held),
            jacobian=np.zeros((held, nv)),
            gram=np.zeros((held, held)),
            factor=np.zeros((held, held)),
            inverse=np.zeros((held, held)),
            multiplier=np.zeros(held),
            coordinates=np.zeros((limited, 3)),
            limit_values=np.zeros(limited),
            limit_gradient=np.zeros(3),
            gradient=np.zeros((2, nv)),
            direction=np.zeros(nv),
            downhill=np.zeros(nv),
            step=np.zeros(nv),
            line_step=np.zeros(nv),
            tried=np.zeros(nq),
            pieces=np.zeros((2, nq)),
            tried_gradient=np.zeros(nv),
            failed_at=np.full(1, 0.5),
        )
        self.paths = np.zeros((2, MAX_ROWS, nq))
        self.line = np.zeros((MAX_LINE_STEPS, nq))
        self.shortening = ShorteningArrays(
            self.line, np.zeros(MAX_ROWS), np.zeros((MAX_ROWS, nq)), np.zeros(nq), np.zeros(nq)
        )
        self.set_problem(problem)

    def set_problem(self, problem: PlanProblem) -> None:
        """Use the postures, planted positions and limits of another problem with the same parts."""
        self.problem = problem
        terms, skeleton = self.terms, problem.skeleton
        lower, upper = terms.target_lower.copy(), terms.target_upper.copy()
        at = slice(self.planted, None)
        self.workspace.failed_at[0] = 0.5
        # limits are widened where a given posture exceeds them
        for q in (problem.start, problem.goal):
            terms.update(q)
            lower[at] = np.minimum(lower[at], terms.values[at])
            upper[at] = np.maximum(upper[at], terms.values[at])
        table = self.table
        self.model = SearchModel(
            tree=skeleton.tree,
            shapes=table.shapes,
            bodies=table.bodies,
            pairs=table.pairs,
            field=self.energy.field,
            program=self._program,
            planted_values=lower[: self.planted].copy(),
            limits=self._limits,
            lower=lower[at].copy(),
            upper=upper[at].copy(),
            mass=skeleton.mass,
            centre_of_mass=skeleton.centre_of_mass,
            slack=GATE_SLACK_M,
        )

    def use_falloff(self, falloff: int) -> None:
        """Use the energy with another fall-off exponent."""
        if falloff not in self._fields:
            other = without_contacts(self.problem, replace(self.options, falloff=falloff))
            self._fields[falloff] = Energy(self.table, other, self.variable).field
        self.model = self.model._replace(field=self._fields[falloff])

    def penetrating_parts(self, q: Floats) -> tuple[str, ...]:
        """The parts that overlap more than a certificate allows."""
        table, workspace = self.table, self.workspace.energy
        forward(table.skeleton.tree, q, workspace.positions, workspace.rotations)
        self.near.find(workspace.positions, workspace.rotations, 0.0)
        return self.near.parts_below(-SLACK_M)


def compile_limits(tree: Tree, program: Program) -> LimitRows:
    """Compiled joint limits converted to rows of one joint each."""
    kind, which = np.zeros((2, len(program.operation)), dtype=np.int64)
    at, columns = tree.q_start[program.joint_a], tree.v_start[program.joint_a]
    frame, lower, upper = (np.zeros((len(kind), size)) for size in (4, 3, 3))
    for i, (operation, joint, data) in enumerate(
        zip(program.operation, program.joint_a, program.data, strict=True)
    ):
        if tree.kind[joint] == FREE:
            at[i], columns[i] = at[i] + 3, columns[i] + 3
        if operation == quantity_rows.SWING:
            kind[i], frame[i] = limit_rows.SWING, data[:4]
            lower[i, 1:], upper[i, 1:] = data[4:6], data[6:8]
        elif tree.kind[joint] >= BALL:
            kind[i], which[i], frame[i] = limit_rows.TURN, int(data[0]), data[1:5]
    return LimitRows(kind, which, at, columns, frame, lower, upper)


def without_contacts(problem: PlanProblem, options: EnergyOptions) -> EnergyOptions:
    """Options with zero weight between planted parts and static ones, which may touch.

    So the energy does not push planted parts off their support; the certificate still checks them.
    """
    table, skeleton = problem.table, problem.skeleton
    if not problem.planted:
        return options
    held: set[int] = set()
    for pin in problem.planted:
        # the subtree of a planted joint is planted too: toes on a planted foot
        at = skeleton.index(pin.joint)
        held |= set(range(at, int(skeleton.tree.subtree_end[at])))
    weights = dict(options.weights)
    joints: dict[str, set[int]] = {}
    for shape, part in enumerate(table.shape_parts):
        joints.setdefault(table.part_names[part], set()).add(int(table.shapes.joint[shape]))
    static_parts = {
        part
        for part, on in joints.items()
        if all(_is_static(table, joint, problem.variable) for joint in on)
    }
    for part, on in joints.items():
        if on & held:
            weights |= {(part, other): 0.0 for other in static_parts - {part}}
    return replace(options, weights=weights)


def _is_static(table: CollisionTable, joint: int, variable: Bools | None) -> bool:
    tree, j = table.skeleton.tree, joint
    while j >= 0:
        first, last = int(tree.v_start[j]), int(tree.v_start[j + 1])
        if last > first and (variable is None or variable[first:last].any()):
            return False
        j = int(tree.parent[j])
    return True
