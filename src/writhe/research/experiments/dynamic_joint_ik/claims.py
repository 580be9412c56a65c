"""The paper's statements about errors and times, judged by the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from writhe.research.experiments.claims import PaperClaim
from writhe.research.experiments.dynamic_joint_ik import PAPER_MS, PAPER_TABLE_2, PAPER_TABLE_3
from writhe.research.experiments.dynamic_joint_ik.comparison import METHODS
from writhe.solvers.trajectory import PASSES

PAPER_CORES = 8
FLAT_LEVEL = 2  # from which the time hardly changes
# table 1, sequential: milliseconds of the first pass, and the share of both filters in the sum
PAPER_FIRST_PASS = {
    "golf": 265.1,
    "throw": 16.9,
    "move": 110.3,
    "expressive": 578.8,
    "swing": 171.0,
}
PAPER_FILTERS = {
    "golf": 4.4 / 469.7,
    "throw": 0.4 / 40.4,
    "move": 1.3 / 161.8,
    "expressive": 3.7 / 1037.3,
    "swing": 4.3 / 328.4,
}
# table 1: the sequential time over that of plain damped least squares, where it is largest
_MOST_COSTLY = max(row[0] / row[3] for row in PAPER_MS.values())


def claims(result: Mapping[str, Any]) -> dict[str, PaperClaim]:
    """Tables 1 to 3 and figure 11, for takes that were learnt, as in the paper.

    Statements about parallel times are undecided on fewer cores than the paper's. Those about
    sequential ones compare CPU times.
    """
    error, _ = PAPER_TABLE_2["parallel"]
    plain = min(PAPER_TABLE_2[m][0] for m in ("dls_rest", "dls_previous"))
    cores = max((int(count) for count in result["threads"]), default=1)
    out: dict[str, PaperClaim] = {}
    for name, rows in result["seen"].items():
        published = rows.get("published", {}).get("joint_mse")
        out[f"{name}: joint error"] = PaperClaim.at_most(
            error, rows["parallel"]["joint_mse"], published
        )
        better = min(rows[m]["joint_mse"] for m in ("dls_rest", "dls_previous"))
        out[f"{name}: factor below plain"] = PaperClaim.at_least(
            plain / error,
            better / rows["parallel"]["joint_mse"],
            None if published is None else better / published,
        )
        out |= {f"{name}: {key}": claim for key, claim in _times(name, rows, cores).items()}
        levels = result.get("levels", {}).get(name, [])
        if levels:
            errors = [row["joint_mse"] for row in levels]
            out[f"{name}: error by level"] = PaperClaim(
                "falls with each level",
                errors[-1] / errors[0],
                None,
                all(after < before for before, after in pairwise(errors)),
            )
            ms = [row["processor_ms"] for row in levels]
            out[f"{name}: time by level"] = _time_by_level(ms)
            if name in PAPER_TABLE_3:
                printed = PAPER_TABLE_3[name]
                out[f"{name}: gain to level 2"] = PaperClaim.at_least(
                    printed[0] / printed[FLAT_LEVEL], ms[0] / ms[FLAT_LEVEL]
                )
    return out


def _times(name: str, rows: Mapping[str, Any], cores: int) -> dict[str, PaperClaim]:
    """The statements of table 1."""
    sequential, parallel, rest, previous = PAPER_MS[name]
    total = {m: rows[m]["ms"]["total"] for m in METHODS}
    out = {
        "milliseconds": PaperClaim.at_most(parallel, total["parallel"]),
        "speed-up": _on_cores(
            cores, sequential / parallel, total["sequential"] / total["parallel"]
        ),
        "faster than plain": _on_cores(
            cores,
            min(rest, previous) / parallel,
            min(total["dls_rest"], total["dls_previous"]) / total["parallel"],
        ),
    }
    ms = rows["sequential"]["ms"]
    passes = sum(ms.get(name, 0.0) for name in PASSES)
    processor = {m: rows[m]["ms"].get("processor") for m in METHODS}
    if passes and processor["sequential"] is not None:
        # a busy machine lengthens the passes, and the CPU time includes the set-up
        ours = min(passes, processor["sequential"]) / processor["dls_previous"]
        out["sequential against plain"] = PaperClaim(
            sequential / previous, ours, None, bool(ours <= _MOST_COSTLY)
        )
        out["plain from rest against previous"] = PaperClaim(
            rest / previous,
            processor["dls_rest"] / processor["dls_previous"],
            None,
            bool(processor["dls_rest"] > processor["dls_previous"]),
        )
        out["share of the filters"] = PaperClaim.at_most(
            PAPER_FILTERS[name], (ms["alignment"] + ms["correction"]) / passes
        )
        out["first pass against plain"] = PaperClaim.at_most(
            PAPER_FIRST_PASS[name] / previous, ms["crude"] / processor["dls_previous"]
        )
    return out


def _time_by_level(ms: Sequence[float]) -> PaperClaim:
    """The longest CPU time over the shortest of the levels from 2 on (table 3)."""
    deep = ms[FLAT_LEVEL:]
    ratio = max(deep) / min(deep)
    paper = max(max(row[FLAT_LEVEL:]) / min(row[FLAT_LEVEL:]) for row in PAPER_TABLE_3.values())
    return PaperClaim.at_most(paper, ratio)


def _on_cores(cores: int, paper: float, ours: float) -> PaperClaim:
    """That a factor is reached in parallel; undecided on fewer cores than the paper's."""
    return PaperClaim(paper, ours, None, bool(ours >= paper) if cores >= PAPER_CORES else None)
