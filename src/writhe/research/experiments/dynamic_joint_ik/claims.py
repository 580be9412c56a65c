"""The paper's statements about errors and times, judged by the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from writhe.research.experiments.claims import PaperClaim
from writhe.research.experiments.dynamic_joint_ik import PAPER_MS, PAPER_TABLE_2

PAPER_CORES = 8


def claims(result: Mapping[str, Any]) -> dict[str, PaperClaim]:
    """Tables 1 and 2 and figure 11, for takes that were learnt, as in the paper."""
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
        levels = [level["joint_mse"] for level in result.get("levels", {}).get(name, [])]
        if levels:
            out[f"{name}: error by level"] = PaperClaim(
                "falls with depth", levels[-1] / levels[0], None, bool(levels[-1] < levels[0])
            )
    return out


def _timed(row: Any) -> bool:
    return isinstance(row, Mapping) and "ms" in row


def _speed_up(paper: float, total: Mapping[str, float], cores: int) -> PaperClaim:
    """Sequential over parallel time; undecided on fewer cores than the paper's."""
    ours = total["sequential"] / total["parallel"]
    return PaperClaim(paper, ours, None, bool(ours >= paper) if cores >= PAPER_CORES else None)
