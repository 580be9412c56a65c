"""A random case: the input, the claim of writhe, and the independent check's judgement."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from writhe.collision import Certificate
from writhe.research.evaluation.independent import Mechanism, check
from writhe.research.evaluation.independent.motions import AnyMotion, motion_from_dict

CERTIFIED_M = 1e-3  # largest true penetration beyond the allowance in a certified motion
BOUND_M = 1e-4  # tolerance by which the true penetration may exceed the reported upper bound
NUMERICAL_M = 2e-5  # rounding of files (six decimals of degrees) and of the check


@dataclass(frozen=True)
class Case:
    """One call of an entry point of writhe, with its result.

    motions: the interpolations of the motion; each must be free of penetration if it is certified.
    bound_m: the reported upper bound of the penetration, None if nothing is claimed.
    files: the contents of the files that were read, to reproduce the case.
    """

    entry_point: str
    mechanism: Mechanism
    motions: tuple[AnyMotion, ...]
    certified: bool
    bound_m: float | None = None
    note: str = ""
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])

    @classmethod
    def of(
        cls,
        entry_point: str,
        mechanism: Mechanism,
        motions: tuple[AnyMotion, ...],
        answer: Certificate,
        note: str = "",
        files: dict[str, bytes] | None = None,
    ) -> Case:
        """The case of a certificate."""
        bound = None if answer.undecided else answer.penetration_upper_bound_m
        return cls(entry_point, mechanism, motions, answer.certified, bound, note, files or {})

    def save(self, path: Path, found: CaseJudgement) -> None:
        """Write the case with its judgement as JSON; `load_case` reads it."""
        data: dict[str, Any] = {
            "entry_point": self.entry_point,
            "note": self.note,
            "certified": self.certified,
            "bound_m": self.bound_m,
            "judgement": found.__dict__,
            "mechanism": self.mechanism.as_dict(),
            "motions": [motion.as_dict() for motion in self.motions],
            "files": {n: base64.b64encode(d).decode() for n, d in self.files.items()},
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data), encoding="utf-8")


def load_case(path: Path) -> Case:
    """Read a saved case."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return Case(
        data["entry_point"],
        Mechanism.from_dict(data["mechanism"]),
        tuple(motion_from_dict(motion) for motion in data["motions"]),
        data["certified"],
        data["bound_m"],
        data["note"],
        {name: base64.b64decode(text) for name, text in data["files"].items()},
    )


@dataclass(frozen=True)
class CaseJudgement:
    """The result of the independent check of a case."""

    false_certificate: bool
    broken_bound: bool
    depth_m: float
    time: float
    parts: tuple[str, str]
    cores_met: bool

    @property
    def failed(self) -> bool:
        """Whether writhe claimed something that is not true."""
        return self.false_certificate or self.broken_bound


def judge(case: Case) -> CaseJudgement:
    """Compare the claim of a case with the independent check of its motions."""
    allowed = CERTIFIED_M if case.certified else None if case.bound_m is None else case.bound_m
    if allowed is None:  # nothing is claimed
        return CaseJudgement(False, False, 0.0, 0.0, ("", ""), False)
    findings = [check(case.mechanism, motion, -allowed) for motion in case.motions]
    worst = min(findings, key=lambda finding: finding.clearance_m)
    solids = case.mechanism.solids
    parts = ("", "")
    if worst.pair >= 0:
        a, b = case.mechanism.pairs[worst.pair]
        parts = solids[int(a)].part, solids[int(b)].part
    depth = worst.depth_m
    return CaseJudgement(
        case.certified and (depth > CERTIFIED_M + NUMERICAL_M or worst.cores_met),
        case.bound_m is not None and depth > case.bound_m + BOUND_M + NUMERICAL_M,
        depth,
        worst.time,
        parts,
        worst.cores_met,
    )
