"""The posture databases of the experiments: built-in, or from motion capture (Table 1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from writhe.database import PostureDatabase
from writhe.database.coverage import Coverage
from writhe.errors import WritheError
from writhe.postures.build_database import clip_postures, left_out_coverage, threshold_for
from writhe.postures.builtin import KINDS, THRESHOLDS_M2, builtin_database
from writhe.postures.object_linking import ObjectLinking, find_object
from writhe.postures.object_tracks import read_object_tracks
from writhe.progress import Progress
from writhe.research.evaluation import Report
from writhe.retargeting.clip_folders import motion_files
from writhe.skeleton.figures import figure

# kind: frames between samples here; postures in the paper's Table 1 before and after filtering
TABLE_1 = {"basic": (5, 4539, 1400), "ladder": (4, 360, 170), "chair": (8, 1034, 331)}


@dataclass(frozen=True)
class Counts:
    """Posture counts before and after filtering."""

    before: int
    after: int
    threshold_m2: float
    left_out: Coverage

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "before": self.before,
            "after": self.after,
            "threshold_m2": round(self.threshold_m2, 5),
            "left_out": self.left_out.as_dict(),
        }


def mocap_databases(
    clips: Path, progress: Progress
) -> tuple[dict[str, PostureDatabase], dict[str, Counts]]:
    """Databases of the folders basic, ladder and chair, filtered to the sizes of Table 1.

    If a folder gives the placement of its object in geometry.json, postures are also searched by
    their linking with it.
    """
    human = figure("human")
    found: dict[str, PostureDatabase] = {}
    counts: dict[str, Counts] = {}
    for kind, (every, _, wanted) in TABLE_1.items():
        if not (clips / kind).is_dir():
            continue
        parts: list[PostureDatabase] = []
        where = clips / kind / "geometry.json"
        object_linking = (
            ObjectLinking(human, find_object(kind), read_object_tracks(where))
            if where.exists()
            else None
        )
        for path in motion_files(clips / kind):
            progress(None, f"{kind}: reading {path.name}")
            parts.append(
                clip_postures(path, path.name, human, every, object_linking=object_linking)
            )
        everything = reduce(PostureDatabase.merged, parts)
        threshold = threshold_for(everything, wanted)
        kept = everything.filtered(threshold)
        found[kind] = kept
        counts[kind] = Counts(
            len(everything), len(kept), threshold, left_out_coverage(everything, kept)
        )
    if not found:
        raise WritheError(f"{clips} has none of the folders {', '.join(TABLE_1)}")
    return found, counts


def table_1(report: Report, counts: dict[str, Counts], progress: Progress) -> None:
    """The paper's Table 1 with the counts of this run."""
    report.heading("Table 1: postures before and after filtering")
    rows: list[list[Any]] = []
    for kind in KINDS:
        _, before, after = TABLE_1[kind]
        progress(None, f"{kind}: the built-in library")
        size, own = len(builtin_database(kind)), counts.get(kind)
        mine: list[Any] = [None] * 4
        if own is not None:
            mine = [own.before, own.after, own.threshold_m2, 100 * own.left_out.mean_m]
        rows.append([kind, before, after, *mine, size, THRESHOLDS_M2[kind]])
    report.table(
        [
            "type",
            "paper: original",
            "paper: filtered",
            "clips: sampled",
            "clips: filtered",
            "threshold (m²)",
            "left out: mean joint distance to the kept (cm)",
            "built-in library",
            "its threshold (m²)",
        ],
        rows,
    )
    report.text(
        "The threshold is on the paper's measure, the sum over joints of squared distances. The"
        " paper does not print its value."
    )
