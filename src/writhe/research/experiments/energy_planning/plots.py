"""The box plot of planning times (the paper's figure 14) and the energy over a path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from writhe.arrays import Floats
from writhe.research.evaluation.plots import legend_below, plot_file


def box_plot(path: Path, results: dict[str, dict[str, Any]], limit_s: float) -> Path:
    """Processor seconds of every method on every experiment, with the success rate.

    Methods that never succeeded are grey: their time is that of the attempts.
    """
    names = list(results)
    size = (3.0 * len(names), 3.8)
    with plot_file(path, size, 1, len(names), sharey=True, squeeze=False) as axes:
        for axis, name in zip(axes[0], names, strict=True):
            found = results[name]["methods"]
            labels = [m for m in found if not m.startswith("paper-") and m != "default-d2"]
            boxes = axis.boxplot(
                [_processor_s(found[m]) for m in labels], vert=True, widths=0.6, patch_artist=True
            )
            for box, middle, method in zip(boxes["boxes"], boxes["medians"], labels, strict=True):
                solved = found[method]["success_rate"] > 0.0
                box.set_facecolor("#4c8dbf" if solved else "#d8d8d8")
                box.set_edgecolor("#26506f" if solved else "#a0a0a0")
                middle.set_color("#c25b12" if solved else "#a0a0a0")
                middle.set_linewidth(2.0)
            axis.axhline(limit_s, color="#b0b0b0", linestyle="--", linewidth=0.8)
            axis.set_yscale("log")
            axis.set_xticks(
                range(1, len(labels) + 1),
                [f"{m}\n{100 * found[m]['success_rate']:.0f} %" for m in labels],
                rotation=60,
                fontsize=7,
            )
            axis.set_title(name, fontsize=9)
            axis.tick_params(axis="y", which="both", labelsize=7)
        axes[0][0].set_ylabel("CPU time in seconds (dashed: the limit)", fontsize=8)
    return path


def _processor_s(one: dict[str, Any]) -> list[float]:
    """CPU seconds of the runs; wall-clock seconds where a process had to be killed."""
    pairs = zip(one["seconds"], one["processor_s"], strict=True)
    return [clock if own is None else own for clock, own in pairs]


def lines(path: Path, curves: dict[str, Floats], label: str, *, logarithmic: bool = False) -> Path:
    """Curves over the share of the path."""
    with plot_file(path, (5.2, 2.8)) as axis:
        for name, values in curves.items():
            axis.plot([i / max(1, len(values) - 1) for i in range(len(values))], values, label=name)
        if logarithmic:
            axis.set_yscale("log")
        axis.set_xlabel("share of the path", fontsize=8)
        axis.set_ylabel(label, fontsize=8)
        axis.tick_params(labelsize=7)
        legend_below(axis, 3)
    return path
