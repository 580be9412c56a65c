"""Huang and others (2016): inverse kinematics using dynamic joint parameters.

`seen` learns from the replayed take itself, as the paper does; `left_out` learns from the other
takes of the same action. See `docs/dynamic-joint-ik.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import config

from writhe.errors import UnknownNameError
from writhe.progress import Progress
from writhe.research.evaluation import Report
from writhe.research.experiments.dynamic_joint_ik import figures
from writhe.research.experiments.dynamic_joint_ik.comparison import (
    JUDGED,
    METHODS,
    by_level,
    compare,
    over_epsilon,
    seconds_by_threads,
)
from writhe.research.experiments.dynamic_joint_ik.published_details import (
    cell_figures,
    damping_figures,
    inside_and_outside,
    loose_tolerance,
)
from writhe.research.experiments.dynamic_joint_ik.replayed_clips import ReplayedAction, load_actions
from writhe.skeleton.figures import figure
from writhe.solvers.trajectory import PASSES, Chain

EPSILONS = (0.0, 0.01, 0.1, 0.3, 1.0)
# the paper's Table 1: milliseconds of sq, pl, dls1, dls2
PAPER_MS = {
    "golf": (469.7, 77.1, 847.1, 304.5),
    "throw": (40.4, 6.7, 42.3, 15.5),
    "move": (161.8, 27.0, 191.3, 109.4),
    "expressive": (1037.3, 143.0, 753.2, 461.3),
    "swing": (328.4, 49.3, 673.3, 211.7),
}
PAPER_TABLE_2 = {
    "sequential": (0.0015, 0.00783),
    "parallel": (0.0015, 0.00783),
    "published": (0.0015, 0.00783),
    "dls_rest": (0.261, 0.00861),
    "dls_previous": (0.326, 0.00761),
}
PAPER_TABLE_3 = {
    "golf": (227.6, 92.0, 75.9, 78.6, 77.7, 76.2),
    "swing": (115.7, 72.5, 65.6, 51.1, 58.1, 51.4),
    "throw": (12.1, 8.2, 7.6, 6.8, 7.8, 8.3),
}


def run(
    progress: Progress, folder: Path, only: str | None = None, clips: Path | None = None
) -> dict[str, Any]:
    """All tables and figures; `only` is one action."""
    chain = Chain.named(figure("human"), "right_arm")
    actions, source = load_actions(chain, clips, progress)
    if only is not None and only not in actions:
        raise UnknownNameError("action", only, sorted(actions))
    chosen = {n: a for n, a in actions.items() if only in (None, n)}
    report = Report("Inverse kinematics using dynamic joint parameters", folder)
    report.text(f"Right arm from the hips, {len(chain)} degrees of freedom. Source: {source}.")
    result: dict[str, Any] = {"source": source, "seen": {}, "left_out": {}}
    for name, action in chosen.items():
        progress(None, f"{name}: seen")
        result["seen"][name] = compare(chain, action, left_out=False)
        progress(None, f"{name}: left out")
        result["left_out"][name] = compare(chain, action, left_out=True)
    first = next(iter(chosen.values()))
    progress(None, "threads")
    maximum = int(getattr(config, "NUMBA_NUM_THREADS"))  # noqa: B009 - set at run time
    result["threads"] = seconds_by_threads(chain, first, maximum)
    result["efficiency"] = result["threads"]["1"] / (maximum * result["threads"][str(maximum)])
    result["ratios"] = _ratios(result)
    _tables(report, result)
    _depths(report, chain, chosen, result, progress)
    for name, action in chosen.items():
        progress(None, f"{name}: damping, tolerance, cells, outside")
        for key, measure in _DETAILS.items():
            result.setdefault(key, {})[name] = measure(chain, action)
    progress(None, "figures")
    report.heading("Relaxed limits")
    result["epsilon"] = {n: over_epsilon(chain, a, EPSILONS) for n, a in chosen.items()}
    figures.epsilon_figure(report, result["epsilon"])
    report.heading("The paper's figures")
    figures.pass_figures(report, chain, first)
    other = actions.get("swing", first)
    result["other_style"] = figures.style_strips(report, chain, first, other)
    result["drawn"] = figures.drawn_strip(report, chain, first)
    result["report"] = str(report.write())
    return result


def _ratios(result: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Joint error of the better plain variant divided by that of the method."""
    return {
        kind: {
            name: min(rows[m]["joint_mse"] for m in ("dls_rest", "dls_previous"))
            / rows["parallel"]["joint_mse"]
            for name, rows in result[kind].items()
        }
        for kind in ("seen", "left_out")
    }


def _tables(report: Report, result: dict[str, Any]) -> None:
    report.heading("Table 1: milliseconds")
    report.text(
        "On trajectories of the paper's lengths: the takes of each action one after the other. "
        "The paper's figures (eight cores) are in brackets."
    )
    rows: list[list[Any]] = []
    for name, by_method in result["seen"].items():
        for k, method in enumerate(METHODS):
            ms = by_method[method]["ms"]
            paper = f"{ms['total']:.2f} ({PAPER_MS[name][k]})"
            rows.append([name, by_method["frames"], method, *(ms.get(p) for p in PASSES), paper])
    report.table(["action", "frames", "method", *PASSES, "total (paper)"], rows)
    report.heading("Table 2: errors")
    for kind in ("seen", "left_out"):
        rows = [
            [
                kind.replace("_", " "),
                name,
                method,
                *(by_method[method][k] for k in _ERRORS),
                PAPER_TABLE_2[method][0] if kind == "seen" else None,
            ]
            for name, by_method in result[kind].items()
            for method in JUDGED
        ]
        header = ["learnt", "action", "method", *(k.replace("_", " ") for k in _ERRORS)]
        report.table([*header, "paper's joint mse"], rows)
    report.text(
        "Times below the better plain variant: "
        + "; ".join(
            f"{kind.replace('_', ' ')} "
            + ", ".join(f"{name} {value:.1f}" for name, value in by_name.items())
            for kind, by_name in result["ratios"].items()
        )
        + "."
    )
    report.text(
        "Seconds by threads: "
        + ", ".join(f"{n}: {s:.4f}" for n, s in result["threads"].items())
        + f"; efficiency {result['efficiency']:.2f}."
    )


_DETAILS: dict[str, Callable[[Chain, ReplayedAction], dict[str, Any]]] = {
    "printed_damping": damping_figures,
    "loose_tolerance": loose_tolerance,
    "cells": cell_figures,
    "left_out_by_distance": inside_and_outside,
}
_BY_LEVEL = ("level", "ms", "processor_ms", "joint_mse")
_ERRORS = ("joint_mse", "joint_mse_euler", "joint_angle_deg", "distance_mm")


def _depths(
    report: Report,
    chain: Chain,
    actions: dict[str, ReplayedAction],
    result: dict[str, Any],
    progress: Progress,
) -> None:
    report.heading("Table 3: milliseconds by the depth of the octree")
    rows: list[list[Any]] = []
    result["levels"] = {}
    for name, action in actions.items():
        progress(None, f"{name}: levels")
        levels = by_level(chain, action)
        if name == "swing" or len(actions) == 1:
            figures.level_figure(report, levels, name)
        result["levels"][name] = [{k: r[k] for k in _BY_LEVEL} for r in levels]
        rows.append([name, *(r["ms"] for r in levels)])
        if name in PAPER_TABLE_3:
            rows.append([f"{name}, paper", *PAPER_TABLE_3[name]])
        rows.append([f"{name}, joint mse", *(r["joint_mse"] for r in levels)])
    report.table(["action", *(f"level {k}" for k in range(6))], rows)
