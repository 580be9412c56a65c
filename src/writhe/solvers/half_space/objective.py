"""The objective of one solve: terms, accumulated half-spaces, and inertia."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.qp.projected_newton import (
    LeastSquaresProblem,
    NewtonWorkspace,
    projected_newton,
)
from writhe.kernels.terms.half_space_rows import HalfSpaces, write_rows
from writhe.kernels.terms.quantity_rows import DATA_SIZE, Program
from writhe.skeleton import Skeleton
from writhe.solvers.half_space.inertia import joint_inertia
from writhe.solvers.half_space.lbfgs import solve_lbfgs
from writhe.solvers.half_space.options import ResponseOptions
from writhe.terms import CompiledTerms, Term

MAX_SPACES = 240


def empty_half_spaces(capacity: int = MAX_SPACES) -> HalfSpaces:
    """Storage for up to `capacity` half-spaces, empty."""
    return HalfSpaces(
        used=np.zeros(1, dtype=np.int64),
        shapes=np.zeros((capacity, 2), dtype=np.int64),
        joints=np.zeros((capacity, 2), dtype=np.int64),
        point=np.zeros((capacity, 3)),
        normal=np.zeros((capacity, 3)),
        offset=np.zeros(capacity),
        allowance=np.zeros(capacity),
        lower_bound=np.zeros(capacity),
        age=np.zeros(capacity, dtype=np.int64),
    )


class Objective:
    """Rows of terms, followed by rows of half-spaces that change with every solve.

    Nothing is allocated between solves; `terms` is replaced when the handles change.
    """

    def __init__(
        self, skeleton: Skeleton, free: Bools, options: ResponseOptions, capacity: int = MAX_SPACES
    ) -> None:
        self.skeleton = skeleton
        self.options = options
        self.free = free
        self.capacity = capacity
        self.spaces = empty_half_spaces(capacity)
        self.inertia = joint_inertia(skeleton)
        self.lower_limit, self.upper_limit = _scalar_limits(skeleton)
        self.two_sided = False  # True: half-spaces as equalities, as printed in the paper
        self.predicted_step = np.zeros(skeleton.dof_count)
        self.use_terms([])

    def use_terms(self, terms: list[Term]) -> None:
        """Compile terms; hard ones get the hard weight."""
        self.terms = compiled = CompiledTerms(self.skeleton, terms)
        fixed, rows = len(terms), compiled.rows
        operations, total = fixed + self.capacity, rows + self.capacity
        given = compiled.program
        self._program = Program(
            operation=_padded(given.operation, operations),
            joint_a=_padded(given.joint_a, operations),
            joint_b=_padded(given.joint_b, operations),
            data=np.zeros((operations, DATA_SIZE)),
            row_start=_padded(given.row_start, operations + 1),
            vertex_joint=given.vertex_joint,
            vertex_in_joint=given.vertex_in_joint,
        )
        self._program.data[:fixed] = given.data
        self.lower, self.upper = np.zeros(total), np.zeros(total)
        self.weight = np.zeros(total)
        self.weight[:rows] = np.where(compiled.hard, self.options.hard_weight, compiled.weight)
        n, nv = len(self.skeleton), self.skeleton.dof_count
        self.workspace = NewtonWorkspace(
            positions=np.zeros((n, 3)),
            rotations=np.zeros((n, 3, 3)),
            axes=np.zeros((nv, 3)),
            values=np.zeros(total),
            jacobian=np.zeros((total, nv)),
            tried=np.zeros(self.skeleton.configuration_size),
            y=np.zeros(nv),
            step=np.zeros(nv),
            hessian=np.zeros((nv, nv)),
            solution=np.zeros(nv),
            used=np.zeros(nv, dtype=np.int64),
            column=np.zeros(nv, dtype=np.int64),
            bound=np.zeros(nv, dtype=np.int64),
            active=np.zeros(total, dtype=np.int64),
        )

    def problem(self, start: Floats) -> LeastSquaresProblem:
        """The kernel's view of the current problem, starting at `start` (nq)."""
        fixed, rows = len(self.terms.terms), self.terms.rows
        self.lower[:rows], self.upper[:rows] = self.terms.lower, self.terms.upper
        write_rows(
            self.spaces,
            self._program,
            fixed,
            self.lower,
            self.upper,
            self.weight,
            self.two_sided,
            self.options.half_space_weight,
        )
        count = int(self.spaces.used[0])
        used, total = fixed + count, rows + count
        program = Program(
            self._program.operation[:used],
            self._program.joint_a[:used],
            self._program.joint_b[:used],
            self._program.data[:used],
            self._program.row_start[: used + 1],
            self._program.vertex_joint,
            self._program.vertex_in_joint,
        )
        return LeastSquaresProblem(
            self.skeleton.tree,
            self.skeleton.mass,
            self.skeleton.centre_of_mass,
            program,
            self.lower[:total],
            self.upper[:total],
            self.weight[:total],
            self.free,
            self.inertia,
            self.lower_limit,
            self.upper_limit,
            start,
            self.predicted_step,
        )

    def solve(self, start: Floats) -> tuple[Floats, int]:
        """The minimiser near `start`, and how many iterations it took."""
        options = self.options
        problem = self.problem(start)
        if options.solver == "l-bfgs":
            return solve_lbfgs(problem, self.workspace, options.iterations * 10, options.tolerance)
        q = start.copy()
        taken = projected_newton(
            problem, q, options.iterations, options.max_step_rad, options.tolerance, self.workspace
        )
        return q, int(taken)


def _padded(values: Ints, size: int) -> Ints:
    out = np.zeros(size, dtype=np.int64)
    out[: len(values)] = values
    return out


def _scalar_limits(skeleton: Skeleton) -> tuple[Floats, Floats]:
    """Bounds (nv,) of hinges and slides (Eq. 7); the limits of balls are rows."""
    nv = skeleton.dof_count
    lower, upper = np.full(nv, -1e30), np.full(nv, 1e30)
    for joint in skeleton.joints:
        at = skeleton.v_slice(joint.name)
        if joint.limits is not None and at.stop - at.start == 1:
            lower[at], upper[at] = joint.limits.lower[0], joint.limits.upper[0]
    return lower, upper
