"""The linking vector of a motion over time, summarised for each pair of strands."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.errors import MissingExtraError, WritheError
from writhe.skeleton import Figure, Motion
from writhe.topology.linking_vector import linking_over_time, pair_names


@dataclass(frozen=True, slots=True)
class PairSummary:
    """The linking of one pair of strands over a motion."""

    pair: str
    minimum: float
    maximum: float
    mean: float
    extreme_time_s: float  # time of the largest absolute value


@dataclass(frozen=True)
class LinkingReport:
    """The linking vectors (frames, pairs) of a motion, with the pairs' names and the times."""

    name: str
    pairs: tuple[str, ...]
    times_s: Floats
    values: Floats

    def summaries(self) -> list[PairSummary]:
        """One summary per pair, in the order of the linking vector."""
        return [
            PairSummary(
                pair,
                float(column.min()),
                float(column.max()),
                float(column.mean()),
                float(self.times_s[int(np.abs(column).argmax())]),
            )
            for pair, column in zip(self.pairs, self.values.T, strict=True)
        ]

    def as_dict(self) -> dict[str, Any]:
        """A JSON object: the summaries, and the largest sum of absolute values over the motion."""
        total = np.abs(self.values).sum(axis=1)
        return {
            "name": self.name,
            "frames": len(self.values),
            "pairs": {
                line.pair: {
                    "min": line.minimum,
                    "max": line.maximum,
                    "mean": line.mean,
                    "extreme_time_s": line.extreme_time_s,
                }
                for line in self.summaries()
            },
            "largest_total": float(total.max()),
            "largest_total_time_s": float(self.times_s[int(total.argmax())]),
        }

    def write_csv(self, path: Path) -> None:
        """Write a CSV file, one row per frame: the time in seconds and the linking of each pair."""
        try:
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(["time_s", *self.pairs])
                for time, row in zip(self.times_s, self.values, strict=True):
                    writer.writerow([f"{time:.6f}", *(f"{value:.9f}" for value in row)])
        except OSError as problem:
            raise WritheError(f"{path} cannot be written: {problem.strerror}") from None

    def write_plot(self, path: Path) -> None:
        """Plot all pairs over time; the format follows the suffix (png, svg, pdf)."""
        try:
            from matplotlib.figure import Figure as Page
        except ImportError:
            raise MissingExtraError("a plot of the linking", "render") from None
        page = Page(figsize=(9, 4.5), layout="constrained")
        axes: Any = page.add_subplot()
        axes.axhline(0.0, color="0.8", linewidth=0.8)
        for pair, column in zip(self.pairs, self.values.T, strict=True):
            axes.plot(
                self.times_s,
                column,
                label=pair.replace("_", " ").replace(":", " – "),
                linewidth=1.4,
            )
        axes.set(xlabel="time (s)", ylabel="linking (1 = one full link)", title=self.name)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small")
        axes.spines[["top", "right"]].set_visible(False)
        try:
            page.savefig(path, dpi=120)
        except OSError as problem:
            raise WritheError(f"{path} cannot be written: {problem.strerror}") from None
        except ValueError as problem:  # a suffix that Matplotlib does not know
            raise WritheError(f"{path}: {problem}") from None


def measure_motion(figure: Figure, motion: Motion) -> LinkingReport:
    """The linking of the figure's strands at every frame of a motion of its skeleton."""
    return LinkingReport(
        name=motion.name,
        pairs=pair_names(figure),
        times_s=np.arange(len(motion)) / motion.fps,
        values=linking_over_time(figure, motion),
    )
