"""The paper's statements about collisions and smoothness, judged by the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from writhe.research.experiments.claims import PaperClaim

RELATION_M = 1e-3  # error up to which a relation counts as kept; the paper states no figure
RELATED = ("holding", "bar", "push-up")
READINGS = ("algorithm-1", "algorithm-1-until-clear", "algorithm-1-passes")


def claims(result: Mapping[str, Any]) -> dict[str, PaperClaim]:
    """Collisions, jerk relative to the penalty method (figure 8) and kept relations."""
    out: dict[str, PaperClaim] = {}
    for name, entry in result["scenarios"].items():
        methods = entry["methods"]
        ours, published = methods["half-space"], _best_reading(methods)
        hits = "penetrating_frames"
        out[f"{name}: {hits.replace('_', ' ')}"] = PaperClaim.at_most(
            0, ours[hits], None if published is None else published[hits]
        )
        penalty = methods["penalty"]["jerk"]
        own = penalty / max(ours["jerk"], 1e-9)
        theirs = None if published is None else penalty / max(published["jerk"], 1e-9)
        out[f"{name}: jerk against the penalty method"] = PaperClaim(
            "smoother", own, theirs, bool((own if theirs is None else theirs) > 1.0)
        )
        if name in RELATED:
            error = "relation_error_m"
            kept = ours if published is None else published
            out[f"{name}: relation error"] = PaperClaim(
                "kept",
                ours[error],
                None if published is None else published[error],
                bool(kept[error] <= RELATION_M),
            )
    return out


def _best_reading(methods: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The reading of Algorithm 1 that overlaps in the fewest frames, of these the smoothest."""
    found = [methods[name] for name in READINGS if name in methods]
    return min(found, key=lambda one: (one["penetrating_frames"], one["jerk"]), default=None)
