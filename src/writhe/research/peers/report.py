"""The results as Markdown and plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from writhe.research.evaluation import Report
from writhe.research.evaluation.plots import plot_file

_COLUMNS = (
    ("frame_ms_median", "ms"),
    ("frame_ms_p95", "p95 ms"),
    ("penetrating_frames_percent", "penetrating %"),
    ("skin_penetrating_frames_percent", "skin penetration > 1 cm %"),
    ("penetration_mm", "deepest mm"),
    ("pass_throughs", "pass-throughs"),
    ("target_residual_cm", "target error cm"),
    ("pin_slip_cm", "pin error cm"),
    ("ball_stopped_percent", "ball stopped %"),
    ("beyond_limits_percent", "beyond limits %"),
    ("joint_error_cm", "joint error cm"),
    ("wrong_topology_percent", "wrong topology %"),
    ("jump_p99_cm", "joint motion p99 cm"),
)


def write_report(result: dict[str, Any], folder: Path) -> Path:
    """Write `report.md` with a table per workload, plots, settings and the machine."""
    report = Report("Side by side with the peers", folder)
    where = result["environment"]
    report.text(
        f"{where['processor']}, {where['cores']} cores, Python {where['python']},"
        f" {where['date']}. {result['capsules']} capsules, {result['pairs']} pairs tested."
    )
    for workload, found in result["workloads"].items():
        if workload == "planning":
            _planning(report, found)
            continue
        report.heading(f"{workload} ({found['tasks']} tasks, {found['hash']})")
        shown = [
            (key, title)
            for key, title in _COLUMNS
            if any(figures[key] is not None for figures in found["methods"].values())
        ]
        report.table(
            ["method", *(title for _, title in shown)],
            [
                [name, *(figures[key] for key, _ in shown)]
                for name, figures in found["methods"].items()
            ],
        )
        picture = report.picture_path(f"{workload}.png")
        _plot(workload, found["methods"], picture)
        report.picture(picture, f"{workload}: time against penetration")
    report.heading("Methods")
    report.table(
        ["method", "cold start s", "peak memory MB", "settings"],
        [
            [name, one["cold_start_s"], one["peak_memory_mb"], _settings(one["settings"])]
            for name, one in result["methods"].items()
        ],
    )
    report.heading("How the cost grows")
    picture = report.picture_path("scaling.png")
    _plot_scaling(result["scaling"], picture)
    report.picture(picture, "The default poser, neighbour queries, certificates, trajectories")
    if result["absent"]:
        report.heading("Left out")
        report.table(["method", "why"], list(result["absent"].items()))
    return report.write()


def _planning(report: Report, found: dict[str, Any]) -> None:
    report.heading(f"planning ({found['tasks']} pairs, {found['cap_s']:.0f} s at most)")
    columns = list(next(iter(found["methods"].values())))
    report.table(
        ["method", *(name.replace("_", " ").replace("pass t", "pass-t") for name in columns)],
        [[name, *(one[key] for key in columns)] for name, one in found["methods"].items()],
    )


def _settings(settings: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in settings.items() if key != "options")


_CURVES = {
    "joints": ("ball joints of a chain", "ms a step"),
    "characters": ("characters close together", "ms a step"),
    "postures": ("postures in the database", "ms a step"),
    "query_us": ("postures in the database", "us a query"),
    "frames_s": ("frames certified", "s"),
    "threads_s": ("threads", "s for a long trajectory"),
}


def _plot_scaling(curves: dict[str, dict[str, float]], path: Path) -> None:
    with plot_file(path, (9.6, 5.4), 2, 3) as grid:
        for axes, (name, (x, y)) in zip(grid.flat, _CURVES.items(), strict=True):
            sizes, costs = [float(n) for n in curves[name]], list(curves[name].values())
            axes.loglog(sizes, costs, "o-", color="#c2410c", label="measured")
            straight = [costs[0] * n / sizes[0] for n in sizes]
            if name != "threads_s":
                axes.loglog(sizes, straight, ":", color="#94a3b8", label="in proportion")
            axes.set_xlabel(x)
            axes.set_ylabel(y)
            axes.grid(alpha=0.25, which="both")
        grid.flat[0].legend(fontsize=8)


def _plot(workload: str, methods: dict[str, Any], path: Path) -> None:
    with plot_file(path, (6.4, 4.2)) as axes:
        for name, figures in methods.items():
            mine = name == "writhe"
            x, y = figures["frame_ms_median"], figures["penetrating_frames_percent"]
            axes.scatter(
                x, y, s=70 if mine else 40, color="#c2410c" if mine else "#475569", zorder=3
            )
            axes.annotate(
                f"{name} ({figures['pass_throughs']})",
                (x, y),
                textcoords="offset points",
                xytext=(6, 5),
                fontsize=8,
            )
        axes.set_xscale("log")
        axes.set_xlabel("milliseconds a frame, median")
        axes.set_ylabel("penetrating frames, %")
        axes.set_title(f"{workload}: pass-throughs in brackets", fontsize=10)
        axes.margins(x=0.25, y=0.1)
        axes.grid(alpha=0.25, which="both")
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
