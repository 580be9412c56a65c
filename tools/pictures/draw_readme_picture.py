#!/usr/bin/env python
"""Draw docs/images/drag.png: one drag by damped least squares (top) and the default (bottom)."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import writhe
from writhe.collision import violating_parts
from writhe.render import film_strip
from writhe.research.evaluation.drags.scripted_drag import standing

WAY = ([0.15, 1.15, 0.4], [-0.2, 1.3, 0.25], [-0.35, 1.25, -0.05], [-0.25, 1.1, -0.2])
FRAMES = 29  # from one waypoint to the next


def drag(method: str) -> writhe.Motion:
    """The left hand dragged across the chest and behind the other side."""
    human = writhe.figure("human")
    database = writhe.builtin_database("basic")
    poser = writhe.make_poser(method, human, database)
    q = standing(human)
    pins = [
        writhe.pin_here(human.skeleton, q, f"{side}_ankle", orientation=True)
        for side in ("left", "right")
    ]
    at = writhe.forward(human.skeleton, q).position("left_wrist")
    rows = [q]
    for goal in WAY:
        for point in np.linspace(at, goal, FRAMES + 1)[1:]:
            x, y, z = (float(c) for c in point)
            q = poser.step(q, [writhe.Target("left_wrist", (x, y, z))], pins).q
            rows.append(q)
        at = np.array(goal)
    return writhe.Motion(human.skeleton, np.array(rows), 60.0, method)


def main() -> None:
    """Write both strips, stacked."""
    human = writhe.figure("human")
    table = writhe.CollisionTable.of_figure(human)
    strips = []
    with tempfile.TemporaryDirectory() as folder:
        for method in ("plain", "default"):
            motion, path = drag(method), Path(folder) / f"{method}.png"
            red = violating_parts(table, motion.q)
            view, size = (0.5, 0.25, 1.0), (200, 360)
            film_strip(human, motion, path, count=7, size=size, highlights=red, view=view)
            strips.append(np.asarray(Image.open(path).convert("RGB"))[30:340])
    picture = Image.fromarray(np.concatenate(strips, axis=0))
    target = Path(__file__).resolve().parents[2] / "docs" / "images" / "drag.png"
    picture.quantize(200, dither=Image.Dither.FLOYDSTEINBERG).save(target, optimize=True)


if __name__ == "__main__":
    main()
