#!/usr/bin/env python
"""Draw docs/images/topology-coordinates.png: chains and their writhe matrices by
topology coordinate.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from writhe.quantities import TangleCoordinates, WritheMatrix
from writhe.render import PictureStage
from writhe.research.evaluation.chains import ChainPair
from writhe.skeleton.kinematics import integrate
from writhe.solvers.tangling import Tangle, TangleStepper, solve

SHOWN = (
    ("writhe 0", 0.0, None, None),
    ("writhe 1", 1.0, (0.0, 0.0), 0.0),
    ("writhe −1", -1.0, (0.0, 0.0), 0.0),
    ("centre (0.4, 0.4)", 0.9, (0.4, 0.4), 0.0),
    ("density π/4", 0.9, (0.0, 0.0), np.pi / 4),
    ("density −π/4", 0.9, (0.0, 0.0), -np.pi / 4),
)


def main() -> None:
    pair = ChainPair.of(12, 12)
    skeleton = pair.skeleton
    rng = np.random.default_rng(2)
    start = integrate(
        skeleton, skeleton.rest_configuration, rng.normal(0, 0.04, skeleton.dof_count)
    )
    page = Figure(figsize=(13, 4.6), layout="constrained")
    axes = page.subplots(2, len(SHOWN))
    for column, (title, writhe, centre, density) in enumerate(SHOWN):
        tangle = Tangle(pair.first, pair.second, writhe, centre or (None, None), density)
        q = start if centre is None else solve(TangleStepper(pair.table, [tangle]), start).q
        stepper = TangleStepper(pair.table, [tangle])
        stepper.update(q)
        with PictureStage((330, 330), ground=False) as stage:
            for strand, colour in (
                (pair.first, (0.25, 0.35, 0.45)),
                (pair.second, (0.85, 0.5, 0.2)),
            ):
                stage.add_strand(stepper.vertices(strand), 0.022, colour=colour)
            axes[0, column].imshow(stage.image(view=(0.25, 1.0, 0.35)))
        axes[0, column].set_axis_off()
        axes[0, column].set_title(title, fontsize=11)
        matrix = WritheMatrix(pair.first, pair.second).value(skeleton, q).reshape(12, 12)
        axes[1, column].imshow(matrix, cmap="RdBu_r", vmin=-0.15, vmax=0.15)
        w, x, y, d = TangleCoordinates(pair.first, pair.second).value(skeleton, q)
        axes[1, column].set_xticks([])
        axes[1, column].set_yticks([])
        axes[1, column].set_xlabel(f"w {w:.2f}  c ({x:.2f}, {y:.2f})  d {d:.2f}", fontsize=8)
    axes[1, 0].set_ylabel("segments of the dark chain", fontsize=8)
    target = Path(__file__).resolve().parents[2] / "docs" / "images" / "topology-coordinates.png"
    page.savefig(target, dpi=90)


if __name__ == "__main__":
    main()
