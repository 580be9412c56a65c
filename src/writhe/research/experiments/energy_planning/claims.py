"""The paper's statements about planning, judged by the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from writhe.collision.certificate_slack import SLACK_M
from writhe.planning.ompl_planners import PLANNERS
from writhe.research.experiments.claims import PaperClaim
from writhe.research.experiments.energy_planning import PAPER_STAGE_TWO_S, PAPER_TABLE_1

PAPER_TANGLES = 7  # of the contortion (section 7.1)
OPENING_M = 0.01  # a difference of the mean distance of wrists and hips that one would see


def claims(result: Mapping[str, Any]) -> dict[str, PaperClaim]:
    """Times and penetrations of all experiments; d in leg cross, and more for the contortion.

    The published variant is its best setting of the sweep, if there is one; its time counts only if
    its path is certified.
    """
    out: dict[str, PaperClaim] = {}
    for name, found in result["experiments"].items():
        methods = found["methods"]
        ours, published = methods["default"], _best(found)
        without, with_zone = PAPER_TABLE_1[name]
        printed = without if with_zone is None else with_zone
        seconds = published["processor_s_median"]
        out[f"{name}: seconds"] = PaperClaim(
            printed,
            ours["processor_s_median"],
            seconds,
            bool(seconds <= printed and published["success_rate"] > 0),
        )
        out[f"{name}: penetration"] = _penetration(ours, published)
        sampling = [methods[m]["success_rate"] for m in PLANNERS if m in methods]
        if sampling:
            best = max(sampling)
            out[f"{name}: sampling planners"] = PaperClaim(
                "succeed less often than the method",
                best,
                None,
                bool(best < ours["success_rate"]),
            )
        if found.get("safe_zone"):
            out[f"{name}: safe zone"] = _safe_zone(name, found["safe_zone"])
        if name == "contortion":
            out |= _contortion(found)
        if name == "leg-cross":
            out |= _opening(methods)
        if found.get("stage_two"):
            out[f"{name}: seconds of stage two"] = PaperClaim.at_most(
                PAPER_STAGE_TWO_S, found["stage_two"]["seconds"]
            )
    return out


def _best(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """The figures of the published planner: the best of its sweep, or those of `paper`."""
    if "published_sweep" not in found:
        return found["methods"]["paper"]
    best = found["published_sweep"]["best"]
    return {
        "processor_s_median": best["processor_s"],
        "success_rate": float(best["certified"]),
        "penetration_m": best["penetration_m"],
        "pass_throughs": best["pass_throughs"] or 0,
    }


def _penetration(ours: Mapping[str, Any], published: Mapping[str, Any]) -> PaperClaim:
    """In metres; the paper has none. A planner that found no path has no penetration to state."""
    depth, published_depth = ours["penetration_m"], published["penetration_m"]
    free = published_depth is not None and published_depth <= SLACK_M
    clear = free and published["pass_throughs"] == 0
    return PaperClaim(0.0, depth, published_depth, clear)


def _opening(methods: Mapping[str, Any]) -> dict[str, PaperClaim]:
    """Figure 13: with d = 2 the arms open more than with d = 5; by how many metres here."""

    def more(wide: str, narrow: str) -> float | None:
        a, b = methods[wide]["arms_out_m"], methods[narrow]["arms_out_m"]
        return None if a is None or b is None else a - b

    published = more("paper-d2", "paper")
    return {
        "leg-cross: opening with d = 2": PaperClaim(
            "the arms are expanded more than with d = 5",
            more("default-d2", "default"),
            published,
            None if published is None else published >= OPENING_M,
        )
    }


def _safe_zone(name: str, tests: Sequence[Mapping[str, Any]]) -> PaperClaim:
    """Steps before the zone is reached, over all steps without it (the median of the settings).

    The rest is one straight line, which needs no steps (section 5.2.2).
    """
    without, with_zone = PAPER_TABLE_1[name]
    met = [test for test in tests if all(test["met"])]
    shares = [(test["steps"][0] - test["in_zone"]) / test["steps"][1] for test in met]
    share = median(shares) if shares else None
    return PaperClaim(
        (with_zone or without) / without, None, share, None if share is None else share < 1.0
    )


def _all_fail(methods: Mapping[str, Any]) -> dict[str, PaperClaim]:
    """Figure 14: no sampling planner solves the contortion; the best success rate here."""
    rates = [methods[m]["success_rate"] for m in PLANNERS if m in methods]
    if not rates:
        return {}
    return {"contortion: all sampling planners fail": PaperClaim.at_most(0.0, max(rates))}


def _contortion(found: Mapping[str, Any]) -> dict[str, PaperClaim]:
    return {
        **_all_fail(found["methods"]),
        "contortion: tangles": PaperClaim.at_least(PAPER_TANGLES, found["tangles_over_half"]),
    }
