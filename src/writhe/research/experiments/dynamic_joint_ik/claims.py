"""The paper's statements about errors and times, judged by the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from writhe.research.experiments.claims import PaperClaim
from writhe.research.experiments.dynamic_joint_ik import PAPER_MS, PAPER_TABLE_2, PAPER_TABLE_3

PAPER_CORES = 8
FLAT_LEVEL = 2  # from which the time hardly changes


def claims(result: Mapping[str, Any]) -> dict[str, PaperClaim]:
    """Tables 1 to 3 and figure 11, for takes that were learnt, as in the paper."""
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
        sequential, parallel, *plain_ms = PAPER_MS[name]
        total = {m: row["ms"]["total"] for m, row in rows.items() if _timed(row)}
        out[f"{name}: milliseconds"] = PaperClaim.at_most(parallel, total["parallel"])
        out[f"{name}: speed-up"] = _speed_up(sequential / parallel, total, cores)
        out[f"{name}: faster than plain"] = PaperClaim.at_least(
            min(plain_ms) / parallel,
            min(total["dls_rest"], total["dls_previous"]) / total["parallel"],
        )
        levels = result.get("levels", {}).get(name, [])
        if levels:
            error_left = levels[-1]["joint_mse"] / levels[0]["joint_mse"]
            out[f"{name}: error by level"] = PaperClaim(
                "falls with depth", error_left, None, bool(error_left < 1.0)
            )
            out[f"{name}: time by level"] = _time_by_level([row["processor_ms"] for row in levels])
    return out


def _time_by_level(ms: Sequence[float]) -> PaperClaim:
    """The longest processor time over the shortest of the levels from 2 on (table 3)."""
    deep = ms[FLAT_LEVEL:]
    ratio = max(deep) / min(deep)
    paper = max(max(row[FLAT_LEVEL:]) / min(row[FLAT_LEVEL:]) for row in PAPER_TABLE_3.values())
    return PaperClaim.at_most(paper, ratio)


def _timed(row: Any) -> bool:
    return isinstance(row, Mapping) and "ms" in row


def _speed_up(paper: float, total: Mapping[str, float], cores: int) -> PaperClaim:
    """Sequential over parallel time; undecided on fewer cores than the paper's."""
    ours = total["sequential"] / total["parallel"]
    return PaperClaim(paper, ours, None, bool(ours >= paper) if cores >= PAPER_CORES else None)
