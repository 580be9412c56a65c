#!/usr/bin/env python
"""Draw the pictures of docs/planning.md: `draw_planning_pictures.py [FOLDER]`.

FOLDER is that of `writhe reproduce energy-planning` (default: out/reproduce/energy-planning). Its
strips become `planning.png` and its box plot `planning-times.png`; `refine.png`, the speed of an
arm swap before and after the refinement, needs no folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from writhe.animation import refine_motion
from writhe.arrays import Floats
from writhe.planning import EnergyPlanner, RefineOptions, Timing, to_motion
from writhe.research.evaluation.plots import legend_below, plot_file
from writhe.research.experiments.energy_planning.postures import mirrored_pair
from writhe.skeleton import Motion
from writhe.skeleton.kinematics import difference

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
STRIPS = ("arm-fold", "leg-cross", "yoga", "contortion", "thomas-flare")
WIDTH = 1200


def main(folder: Path) -> None:
    """Write the three pictures."""
    speed_of_arm_swap(IMAGES / "refine.png")
    if not folder.exists():
        return
    rows = [Image.open(folder / f"{name}-default.png").convert("RGB") for name in STRIPS]
    rows = [row.resize((WIDTH, round(row.height * WIDTH / row.width))) for row in rows]
    sheet = Image.new("RGB", (WIDTH, sum(row.height for row in rows)))
    top = 0
    for row in rows:
        sheet.paste(row, (0, top))
        top += row.height
    sheet.quantize(256).save(IMAGES / "planning.png", optimize=True)
    times = Image.open(folder / "times.png").convert("RGB")
    times.thumbnail((WIDTH, WIDTH))
    times.save(IMAGES / "planning-times.png", optimize=True)


def speed_of_arm_swap(path: Path) -> None:
    """The norm of all joint speeds, timed evenly and after the refinement."""
    experiment = mirrored_pair("arm-fold", "arms folded")
    plan = EnergyPlanner().plan(experiment.problem())
    even = to_motion(plan, Timing(fps=60.0, duration_s=2.0, profile="uniform", ground_m=0.0))
    # the arms touch at both ends: frames beside them would jump to a margin of 6 mm
    options = RefineOptions(margin_m=0.001)
    found = refine_motion(experiment.figure, even, duration_s=2.0, options=options)
    with plot_file(path, (8, 3)) as axes:
        for motion, label in ((even, "planned, even speed"), (found.motion, "refined, bell")):
            speed = _speed(motion)
            axes.plot((np.arange(len(speed)) + 0.5) / motion.fps, speed, label=label)
        axes.set(xlabel="seconds", ylabel="speed of all joints, rad/s")
        legend_below(axes, 2)


def _speed(motion: Motion) -> Floats:
    rows = [difference(motion.skeleton, a, b) for a, b in zip(motion.q, motion.q[1:], strict=False)]
    return motion.fps * np.linalg.norm(np.array(rows)[:, 6:], axis=1)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/reproduce/energy-planning"))
