"""A planning problem compiled to the arrays that the walking kernels read."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision.gate import GATE_SLACK_M, gate_room
from writhe.kernels.descent import WalkRoom, World
from writhe.planning.energy import Energy, EnergyOptions
from writhe.planning.problem import PlanProblem
from writhe.terms import CompiledTerms

MOST_ROWS = 3000  # postures that one walk may keep
MOST_WAY = 400  # steps of one corrected line


class Walker:
    """The world of one problem, and working space for walks in it; not to be shared by threads."""

    def __init__(self, problem: PlanProblem, options: EnergyOptions | None = None) -> None:
        table, skeleton = problem.table, problem.skeleton
        self.problem = problem
        self.options = options or EnergyOptions()
        self.energy = Energy(table, self._with_contacts(), problem.variable)
        planted, limits = problem.planted_terms, problem.limit_terms
        terms = CompiledTerms(skeleton, [*planted, *limits])
        first_limit = int(terms.program.row_start[len(planted)])
        lower, upper = terms.lower.copy(), terms.upper.copy()
        # postures given beyond the limits are taken as they are: nothing goes farther than they do
        for q in (problem.start, problem.goal):
            terms.update(q)
            at = slice(first_limit, None)
            lower[at] = np.minimum(lower[at], terms.values[at])
            upper[at] = np.maximum(upper[at], terms.values[at])
        self.terms = terms
        self.world = World(
            tree=skeleton.tree,
            shapes=table.shapes,
            bodies=table.bodies,
            pairs=table.pairs,
            field=self.energy.field,
            program=terms.program,
            lower=lower,
            upper=upper,
            planted=first_limit,
            mass=skeleton.mass,
            centre=skeleton.centre_of_mass,
            slack=GATE_SLACK_M,
        )
        nv, nq = skeleton.dof_count, skeleton.configuration_size
        self.room = WalkRoom(
            energy=self.energy.room,
            gate=gate_room(table),
            values=np.zeros(terms.rows),
            jacobian=np.zeros((terms.rows, nv)),
            gram=np.zeros((first_limit, first_limit)),
            factor=np.zeros((first_limit, first_limit)),
            inverse=np.zeros((first_limit, first_limit)),
            multiplier=np.zeros(first_limit),
            gradient=np.zeros((2, nv)),
            direction=np.zeros(nv),
            downhill=np.zeros(nv),
            step=np.zeros(nv),
            tried=np.zeros(nq),
            tried_gradient=np.zeros(nv),
        )
        self.paths = np.zeros((2, MOST_ROWS, nq))
        self.way = np.zeros((MOST_WAY, nq))
        self.sums = np.zeros(MOST_ROWS)
        self.spare = np.zeros((MOST_ROWS, nq))
        self.near, self.far = np.zeros(nq), np.zeros(nq)

    def _with_contacts(self) -> EnergyOptions:
        """Planted parts are not pushed off what they stand on: the certificate watches them."""
        from dataclasses import replace

        table, problem = self.problem.table, self.problem
        held = {pin.joint for pin in problem.planted}
        if not held:
            return self.options
        names = table.skeleton.names
        moving = problem.variable
        weights = dict(self.options.weights)
        parts = {
            part: {
                names[int(table.shapes.joint[i])]
                for i in range(len(table.source))
                if table.shape_parts[i] == at
            }
            for at, part in enumerate(table.part_names)
        }
        fixed = {
            part
            for part, joints in parts.items()
            if all(self._stands_still(joint, moving) for joint in joints)
        }
        for part, joints in parts.items():
            if joints & self._held_joints(held):
                weights |= {(part, thing): 0.0 for thing in fixed if thing != part}
        return replace(self.options, weights=weights)

    def _held_joints(self, held: set[str]) -> set[str]:
        """Planted joints, and what moves with them beyond (toes on a planted foot)."""
        tree, names = self.problem.skeleton.tree, self.problem.skeleton.names
        out: set[str] = set()
        for name in held:
            at = self.problem.skeleton.index(name)
            out |= {names[j] for j in range(at, int(tree.subtree_end[at]))}
        return out

    def _stands_still(self, joint: str, moving: np.ndarray | None) -> bool:
        skeleton = self.problem.skeleton
        for j in skeleton.ancestors(joint):
            first, last = int(skeleton.tree.v_start[j]), int(skeleton.tree.v_start[j + 1])
            if last > first and (moving is None or moving[first:last].any()):
                return False
        return True

    def clearance(self, q: Floats) -> float:
        """The smallest clearance of the pairs that the energy counts."""
        return self.energy.clearance(q)
