"""The paper's statements about its scenes, judged by the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from writhe.research.experiments.claims import PaperClaim

PAPER_PIGGYBACK_S = 2.0
PAPER_GLOBAL_PLANNER_S = 1000.0
# section 4.3: scenes in which one character is controlled, and two at once
PAPER_STEPS_A_SECOND = {"arms-swap": 40.0, "stretching": 40.0, "piggyback": 10.0}


def claims(result: Mapping[str, Any]) -> dict[str, PaperClaim]:
    """Segments that pass through each other, what scenes show, and the times of section 4.3.

    Solid certificates are no claim of the paper: its bodies are line segments, and section 5 says
    that collisions of rigid bodies are not handled.
    """
    out: dict[str, PaperClaim] = {}
    for name, found in result["scenes"].items():
        published = found.get("published")
        if published is not None:
            crossings = published["line_crossings"]
            out[f"{name}: segments pass through each other"] = PaperClaim(
                0, found["line_crossings"], crossings, crossings == 0
            )
        ours = _shown(found)
        shown = None if published is None else _shown(published)
        out[f"{name}: shows it"] = PaperClaim(
            "as named", ours, shown, ours if shown is None else shown
        )
        if name in PAPER_STEPS_A_SECOND:
            rate = 1e3 / found["step_ms_median"]
            out[f"{name}: steps a second"] = PaperClaim.at_least(PAPER_STEPS_A_SECOND[name], rate)
    if "piggyback" in result["scenes"]:
        found = result["scenes"]["piggyback"]
        out["piggyback: seconds"] = PaperClaim.at_most(PAPER_PIGGYBACK_S, found["seconds"])
        out["piggyback: global planner"] = _global_planner(found.get("planners", []))
    return out


def _shown(found: Mapping[str, Any]) -> bool:
    """Whether a scene has the linking and the geometry that it is named after."""
    return bool(found["topology_ok"] and found["geometry_ok"])


def _global_planner(planners: list[Mapping[str, Any]]) -> PaperClaim:
    """Seconds of the fastest sampling planner. Runs that fail before 1,000 s decide nothing."""
    ran = [p for p in planners if "skipped" not in p]
    solved = [p["seconds"] for p in ran if p["solved"]]
    if solved:
        return PaperClaim.at_least(PAPER_GLOBAL_PLANNER_S, min(solved))
    long_enough = bool(ran) and min(p["cap_s"] for p in ran) >= PAPER_GLOBAL_PLANNER_S
    return PaperClaim(PAPER_GLOBAL_PLANNER_S, None, None, True if long_enough else None)
