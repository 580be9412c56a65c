"""Build pair databases from clips of two people, recorded in one world frame on one clock."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.database import PairDatabase
from writhe.errors import FileFormatError, WritheError
from writhe.files import write_file
from writhe.io import load
from writhe.progress import Progress
from writhe.retargeting.clip_folders import motion_files
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Figure, Motion

_HORIZONTAL = [0, 2]  # coordinates of a root


@dataclass(frozen=True)
class PairReport:
    """Counts of a build. `skipped` maps pairs of clips that could not be used to the reason."""

    pairs: int
    records: int  # before filtering
    kept: int
    skipped: dict[str, str] = field(default_factory=dict[str, str])

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def read_pairs(path: Path) -> list[tuple[str, str]]:
    """Pairs of clip names from a CSV file with the columns `clip` and `partner`, each pair once."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [(row["clip"], row["partner"]) for row in csv.DictReader(file)]
    except (OSError, KeyError, csv.Error, UnicodeDecodeError) as problem:
        raise FileFormatError(
            path, f"not a list of pairs: {problem}", remedy="give a CSV with clip,partner columns"
        ) from None
    return sorted({(min(a, b), max(a, b)) for a, b in rows if a and b})


def build_pair_database(
    folder: Path,
    output: Path,
    figure: Figure,
    *,
    pairs: Path | None = None,
    every: int = 5,
    threshold_m2: float = 0.1,
    progress: Progress | None = None,
) -> PairReport:
    """Build a database of the two-person clips under `folder` and write it to `output`.

    pairs: the list of `read_pairs`; by default manifest.csv in the folder or the one above.
    Every `every`-th frame is used; pairs nearer than `threshold_m2` to a kept one are dropped.
    """
    if every < 1:
        raise WritheError(f"`every` must be at least 1 frame, not {every}")
    files = {path.stem: path for path in motion_files(folder)}
    parts: list[PairDatabase] = []
    skipped: dict[str, str] = {}
    listed = [pair for pair in read_pairs(pairs or _manifest(folder)) if set(pair) <= set(files)]
    for number, (one, other) in enumerate(listed):
        if progress:
            progress(number / len(listed), f"{one}, {other}")
        try:
            motions = [retarget(load(files[name]), figure) for name in (one, other)]
            first, second = in_one_scale(*motions)
        except WritheError as error:
            skipped[f"{one}, {other}"] = str(error)
            continue
        frames = np.arange(0, len(first), every, dtype=np.int64)
        parts.append(
            PairDatabase.from_postures(
                figure, first[frames], second[frames], clip=one, frame=frames
            )
        )
    if not parts:
        reasons = "; ".join(skipped.values()) or "no pair of clips is listed"
        raise WritheError(f"no pair of clips in {folder} could be used: {reasons}")
    everything = reduce(PairDatabase.merged, parts)
    kept = everything.filtered(threshold_m2)
    write_file(output, kept.save)
    return PairReport(len(parts), len(everything), len(kept), skipped)


def in_one_scale(first: Motion, second: Motion) -> tuple[Floats, Floats]:
    """Configurations of two retargeted motions whose distance is scaled by their mean scale.

    Retargeting scales each motion by the ratio of leg lengths; with two ratios, hands that met
    would be apart.
    """
    if len(first) != len(second) or abs(first.fps - second.fps) > 1e-6:
        raise WritheError(
            f"two people must be recorded together, but {first.name!r} has {len(first)} frames at"
            f" {first.fps:g} Hz and {second.name!r} {len(second)} at {second.fps:g} Hz"
        )
    scales = [float(motion.source["retarget"]["scale"]) for motion in (first, second)]
    out: list[Floats] = []
    for motion, scale in zip((first, second), scales, strict=True):
        q = motion.q.copy()
        q[:, _HORIZONTAL] *= np.mean(scales) / scale
        out.append(q)
    return out[0], out[1]


def _manifest(folder: Path) -> Path:
    for path in (folder / "manifest.csv", folder.parent / "manifest.csv"):
        if path.exists():
            return path
    raise WritheError(
        f"{folder} has no manifest.csv that says which clips are of two people:"
        " give a CSV file with the columns clip,partner (--pairs)"
    )
