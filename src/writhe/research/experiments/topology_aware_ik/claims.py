"""The paper's statements about dragging, judged by the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from writhe.research.experiments.claims import PaperClaim
from writhe.research.experiments.topology_aware_ik import PAPER_MS

PAPER_TABLE_1 = {"basic": 1400, "ladder": 170, "chair": 331}
FEWER = 0.5  # share of the baseline's collisions that counts as clearly fewer; ours, not printed
CHEAP = 1.25  # ratio of times up to which the topology term costs little; ours, not printed


def claims(result: Mapping[str, Any]) -> dict[str, PaperClaim]:
    """Collisions and times of every experiment, and the sizes of the databases."""
    out: dict[str, PaperClaim] = {}
    for kind, count in result["table_1"].items():
        kept, size = count["after"], PAPER_TABLE_1[kind]
        out[f"{kind}: postures kept"] = PaperClaim(size, kept, None, kept == size)
    for name, (paper_ms, baseline_ms) in PAPER_MS.items():
        if name not in result["experiments"]:
            continue
        found = result["experiments"][name]
        ours, published, baseline = found["default"], found["paper"], found["local-pca"]
        ms = "frame_ms_median"
        out[f"{name}: milliseconds"] = PaperClaim.at_most(paper_ms, ours[ms], published[ms])
        ratio = published[ms] / baseline[ms]
        out[f"{name}: cost of topology"] = PaperClaim(
            paper_ms / baseline_ms, None, ratio, ratio <= CHEAP
        )
        hits = "penetrating_frames_percent"
        out[f"{name}: penetrating frames"] = PaperClaim.at_most(0.0, ours[hits], published[hits])
        if baseline[hits] > 0:
            out[f"{name}: share of the baseline's"] = PaperClaim(
                "clearly fewer collisions",
                ours[hits] / baseline[hits],
                published[hits] / baseline[hits],
                published[hits] <= FEWER * baseline[hits],
            )
    return out
