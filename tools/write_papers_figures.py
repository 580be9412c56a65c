#!/usr/bin/env python3
"""Fill the tables of figures in docs/papers.md and others from stored results of reproductions.

tools/write_papers_figures.py [FOLDER]   FOLDER holds one folder per paper with `figures.json`, as
                                         `writhe reproduce` writes them (default: out/reproduce)

A table stands between `<!-- figures: NAME -->` and `<!-- end -->`. Tables of papers that have no
folder are left as they are.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = ("papers.md", "half-space-ik.md", "planning.md")
_BLOCK = re.compile(r"<!-- figures: (?P<name>[\w -]+) -->\n.*?<!-- end -->", re.DOTALL)
Rows = list[list[Any]]


def main(folder: Path) -> None:
    """Rewrite the pages."""

    def filled(found: re.Match[str]) -> str:
        paper, build = TABLES[found["name"]]
        stored = folder / paper / "figures.json"
        if not stored.exists():
            return found[0]
        head, *rows = build(json.loads(stored.read_text(encoding="utf-8")))
        lines = [head, ["---"] * len(head), *rows]
        text = "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)
        return f"<!-- figures: {found['name']} -->\n{text}\n<!-- end -->"

    for name in PAGES:
        page = DOCS / name
        page.write_text(_BLOCK.sub(filled, page.read_text(encoding="utf-8")), encoding="utf-8")


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value)


def _scenes(figures: dict[str, Any]) -> Rows:
    """What every topology scene shows with ours and with the published rows."""
    rows: Rows = [
        [
            "scene",
            "ours: reached and linked, certified",
            "ours: seen as geometry",
            "`published`: keys reached",
            "checks that fail",
            "frames",
            "crossings of centre lines under the bound of Eq. 7 or 11",
            "of other pairs",
            "`published-with-contacts`: keys reached",
            "checks that fail",
        ]
    ]
    for name, one in figures["scenes"].items():
        published, contacts = one["published"], one["published_with_contacts"]
        bounded = published["line_crossings_bounded"]
        rows.append(
            [
                name,
                f"{_cell(one['reached'] and one['topology_ok'])}, {_cell(one['certified'])}",
                _cell(one.get("geometry_ok")),
                *_outcome(published),
                published["frames"],
                bounded,
                published["line_crossings"] - bounded,
                *_outcome(contacts),
            ]
        )
    return rows


def _outcome(one: dict[str, Any]) -> list[str]:
    """Keys that a variant reaches, and checks of linking and geometry that fail."""
    return [f"{one['keys_reached']} of {one['keys']}", f"{len(one['failed'])} of {one['checks']}"]


def _half_space(figures: dict[str, Any]) -> Rows:
    """Jerk and frames that penetrate, by scenario and method."""
    methods = {
        "half-space": "ours",
        "algorithm-1": "Algorithm 1",
        "algorithm-1-until-clear": "until clear",
        "algorithm-1-passes": "in passes",
        "algorithm-1-on-object": "planes on the object",
        "published": "solved together",
        "penalty": "penalty",
    }
    rows: Rows = [["scenario", *methods.values()]]
    for name, entry in figures["scenarios"].items():
        found = entry["methods"]
        if "algorithm-1" in found:
            rows.append([name, *(_jerk(found[m]) for m in methods)])
    return rows


def _blend(figures: dict[str, Any]) -> Rows:
    """Overlapping frames, depth and jerk of Algorithm 1, by the share of the new pose."""
    shares = sorted({row["alpha"] for row in figures["blend"]})
    words = {"algorithm-1": "kept for ever", "algorithm-1-passes": "in passes"}
    found = {(row["scenario"], row["method"], row["alpha"]): row for row in figures["blend"]}
    rows: Rows = [["scenario", "constraints", *(f"α = {share:g}" for share in shares)]]
    for name in dict.fromkeys(row["scenario"] for row in figures["blend"]):
        for method, label in words.items():
            rows.append([name, label, *(_jerk(found[name, method, share]) for share in shares)])
    return rows


def _jerk(one: dict[str, Any]) -> str:
    mark = " ✓" if one["certified"] else ""
    frames = one["penetrating_frames"]
    depth = f", {frames} frames, {1e3 * one['penetration_m']:.1f} mm" if frames else ""
    return f"{one['jerk']:.2g}{depth}{mark}"


def _manipulations(figures: dict[str, Any]) -> Rows:
    """Jerk, frames that penetrate and depth of ours, the penalty methods and the default poser."""
    methods = {
        "half-space": "ours",
        "penalty": "penalty",
        "penalty-blended": "penalty, blended",
        "default": "default",
    }
    rows: Rows = [["scenario", *methods.values(), "jerk: penalty / ours", "blended / ours"]]
    for name, entry in figures["scenarios"].items():
        cells = [_jerk(entry["methods"][m]) for m in methods]
        rows.append([name, *cells, entry["jerk_ratio"], entry["jerk_ratio_blended"]])
    return rows


def _planner(figures: dict[str, Any]) -> Rows:
    """Settings of the published planner that met and were certified, and the best one."""
    rows: Rows = [
        ["experiment", "ends meet", "certified", "certified as printed", "best setting", "its path"]
    ]
    for name, found in figures["experiments"].items():
        swept = found["published_sweep"]
        best = swept["best"]
        outcome = "certified" if best["certified"] else "does not meet"
        if best["met"] and not best["certified"]:
            through = best["pass_throughs"]
            outcome = f"{1e3 * best['penetration_m']:.0f} mm deep, {through} pass-throughs"
        rows.append(
            [
                name,
                f"{swept['met']} of {swept['count']}",
                f"{swept['certified']} of {swept['count']}",
                f"{swept['certified_as_printed']} of {swept['count_as_printed']}",
                f"α = {best['step_rad']:g} rad, ends {1e3 * best['clearance_m']:g} mm",
                f"{outcome}, {best['processor_s']:.2g} s",
            ]
        )
    return rows


def _sweep(figures: dict[str, Any]) -> Rows:
    """Frames that penetrate, by depth, for each changed parameter of the published poser."""
    return _overlaps(figures["sweep"], ("changed", "to"))


def _kinds(figures: dict[str, Any]) -> Rows:
    """The same for the methods, by kind of drag."""
    return _overlaps(figures["kinds"], ("drags", "method"))


def _overlaps(found: list[dict[str, Any]], names: tuple[str, str]) -> Rows:
    rows: Rows = [
        [*names, "over 2 mm (%)", "over 1 cm (%)", "over 3 cm (%)", "pass-throughs",
         "target missed by (cm)"]
    ]  # fmt: skip
    for row in found:
        shares = [f"{share:.0f}" for share in row["penetrating_percent"]]
        missed = f"{row['target_residual_cm']:.2f}"
        value = "fixed (10⁹)" if row["value"] == "1e+09" else row["value"]  # of the root's weight
        rows.append([row["parameter"], value, *shares, row["pass_throughs"], missed])
    return rows


def _trajectories(figures: dict[str, Any]) -> Rows:
    """Milliseconds of whole trajectories beside plain methods: wall-clock time (CPU time)."""
    names = ("sequential", "parallel", "dls_previous", "dls_rest")
    rows: Rows = [["action", "frames", *(f"`{name}` (ms)" for name in names)]]
    for action, row in figures["seen"].items():
        times = [row[name]["ms"] for name in names]
        cells = [f"{ms['total']:.3g} ({ms['processor']:.2g})" for ms in times]
        rows.append([action, row["frames"], *cells])
    return rows


def _sampling(figures: dict[str, Any]) -> Rows:
    """OMPL's planners by experiment: the best range of the sweep, or the long run (processor)."""
    found = figures["sampling_sweep"]
    names = ("rrtconnect", "rrt", "rrtstar", "prm", "prmstar")
    rows: Rows = [["experiment", "RRTConnect", "RRT", "RRT*", "PRM", "PRM*"]]
    for experiment, one in found["experiments"].items():
        cells: list[str] = []
        for name in names:
            tried = [row for row in one["settings"] if row["planner"] == name and row["solved"]]
            if tried:
                best = min(tried, key=lambda row: row["processor_s"])
                cells.append(f"{best['processor_s']:.2g} s, {best['range_rad']:g} rad")
                continue
            long = one["long_runs"][name]
            words = "after" if long["solved"] else "not in"
            cells.append(f"{words} {long['processor_s']:.0f} s")
        rows.append([experiment, *cells])
    return rows


# by name of the block: paper, function of its stored figures
TABLES: dict[str, tuple[str, Callable[[dict[str, Any]], Rows]]] = {
    "published topology rows": ("topology-coordinates", _scenes),
    "topology-aware kinds": ("topology-aware-ik-sweep", _kinds),
    "topology-aware kinds captured": ("topology-aware-ik-sweep-clips", _kinds),
    "topology-aware sweep": ("topology-aware-ik-sweep", _sweep),
    "topology-aware sweep captured": ("topology-aware-ik-sweep-clips", _sweep),
    "half-space methods": ("half-space-ik", _half_space),
    "half-space blend": ("half-space-ik", _blend),
    "manipulations": ("half-space-ik", _manipulations),
    "trajectory times": ("dynamic-joint-ik", _trajectories),
    "published planner": ("energy-planning", _planner),
    "sampling planners": ("energy-planning-sampling", _sampling),
}


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/reproduce"))
