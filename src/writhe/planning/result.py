"""The result of a planner: path, status, and certificate."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

from writhe.arrays import Floats
from writhe.collision import Certificate, certify
from writhe.planning.problem import PlanProblem
from writhe.skeleton import Skeleton
from writhe.skeleton.configuration_paths import path_length


class PlanStatus(Enum):
    """How a search ended; misuse raises an exception instead."""

    EXACT = "exact"  # from the start to the goal, certified
    APPROXIMATE = "approximate"  # an end had to be moved, or the path is not certified: `notes`
    STUCK = "stuck"  # no path was found; `path` is the part found so far
    INFEASIBLE_START = "infeasible start"  # the start penetrates
    INFEASIBLE_GOAL = "infeasible goal"  # the goal penetrates


@dataclass(frozen=True)
class Plan:
    """A path of straight segments (slerp) from the start to the goal.

    `path` (vertices, nq). Every segment has passed the gate; `certificate` is computed on first
    use. `seconds` is wall-clock time, `processor_s` CPU time where it was measured.
    `fallback` tells whether a sampling planner found the path; `steps` counts the steps of the
    search. `legs` are the plans that make up a path on which feet step, one after the other.
    """

    problem: PlanProblem
    path: Floats
    status: PlanStatus
    method: str
    seconds: float
    steps: int = 0
    escapes: int = 0
    fallback: bool = False
    notes: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = field(default_factory=tuple[str, ...])
    legs: tuple[Plan, ...] = ()
    processor_s: float | None = None

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton that the path moves."""
        return self.problem.skeleton

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of the whole path, including the motion between its vertices.

        A path has no timing: times in the certificate are vertex numbers.
        """
        return certify(self.problem.table, self.path, fps=1.0)

    @cached_property
    def length_rad(self) -> float:
        """Sum of the norms of the path's tangent steps."""
        return path_length(self.skeleton, self.path)

    @property
    def solved(self) -> bool:
        """Whether there is a certified path."""
        return self.status in (PlanStatus.EXACT, PlanStatus.APPROXIMATE)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        proof = self.certificate if self.solved else None
        return {
            "status": self.status.value,
            "method": self.method,
            "seconds": self.seconds,
            "path_length_rad": self.length_rad,
            "vertices": len(self.path),
            "fallback": self.fallback,
            "certified": bool(proof and proof.certified),
            "penetration_m": None if proof is None else proof.penetration_upper_bound_m,
            "pass_throughs": None if proof is None else len(proof.pass_throughs),
            "notes": list(self.notes),
        }
