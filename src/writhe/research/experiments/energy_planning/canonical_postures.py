"""Descent of the energy to canonical postures (section 5.1, figure 3)."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import certify
from writhe.planning import Energy, EnergyOptions, descend, figure_problem
from writhe.research.experiments.energy_planning.postures import Experiment
from writhe.skeleton import Figure, forward

_STEPS, _STEP_RAD = 800, 0.1
_SAME_M = 0.15  # mean distance of joints up to which two postures count as the same


def descents(experiments: list[Experiment], falloff: int = 2) -> dict[str, Floats]:
    """(rows, nq) by posture: the descent of the start and the goal of every experiment."""
    energy = EnergyOptions(falloff=falloff, rest_weights=True)
    out: dict[str, Floats] = {}
    for experiment in experiments:
        for end, q in (("start", experiment.start), ("goal", experiment.goal)):
            problem = figure_problem(experiment.figure, q, q)
            out[f"{experiment.name}, {end}"] = descend(
                problem, q, step=_STEP_RAD, max_steps=_STEPS, energy=energy
            )
    return out


def summarise_descents(figure: Figure, found: dict[str, Floats]) -> dict[str, Any]:
    """Energies before and after, and the different postures in which the descents end."""
    energy = Energy(
        figure_problem(figure, *[next(iter(found.values()))[0]] * 2).table,
        EnergyOptions(falloff=2, rest_weights=True),
    )
    ends: list[tuple[str, Floats]] = []
    groups: list[list[str]] = []
    shapes: list[Floats] = []
    for name, rows in found.items():
        ends.append((name, rows[-1]))
        shape = _shape(figure, rows[-1])
        apart = [float(np.linalg.norm(shape - other, axis=1).mean()) for other in shapes]
        if apart and min(apart) < _SAME_M:
            groups[int(np.argmin(apart))].append(name)
        else:
            groups.append([name])
            shapes.append(shape)
    pairs = list(combinations([q for _, q in ends], 2))
    return {
        "energies": {
            name: [float(energy.value(rows[0])), float(energy.value(rows[-1]))]
            for name, rows in found.items()
        },
        "rises": sum(int((np.diff(energy.along(rows)) > 0).sum()) for rows in found.values()),
        "groups": groups,
        "spread_m": {name: _spread(figure, q) for name, q in ends},
        "lines_certified": sum(_line_certified(figure, a, b) for a, b in pairs),
        "lines": len(pairs),
    }


def _line_certified(figure: Figure, a: Floats, b: Floats) -> bool:
    """Whether the straight line between two postures, the root at one place, is certified."""
    goal = b.copy()
    goal[:7] = a[:7]
    line = np.stack([a, goal])
    return certify(figure_problem(figure, a, goal).table, line, fps=1.0).certified


def _shape(figure: Figure, q: Floats) -> Floats:
    """(joints, 3) positions relative to the root, in its frame."""
    frames = forward(figure.skeleton, q)
    root = figure.skeleton.names[0]
    return (frames.positions - frames.position(root)) @ frames.rotation(root)


def _spread(figure: Figure, q: Floats) -> float:
    """Mean distance of the hands and feet from each other."""
    frames = forward(figure.skeleton, q)
    tips = [
        frames.position(f"{side}_{joint}")
        for side in ("left", "right")
        for joint in ("wrist", "ankle")
    ]
    pairs = [(a, b) for i, a in enumerate(tips) for b in tips[i + 1 :]]
    return float(np.mean([np.linalg.norm(a - b) for a, b in pairs]))


def draw_descent(figure: Figure, rows: Floats, path: Path) -> Path:
    """The descent as a film strip, as figure 3 shows it; the hips are drawn without their motion.

    The root of a free body is arbitrary, so only with the hips alike can two ends be compared.
    """
    from writhe.render import film_strip
    from writhe.render.drawn_figure import side_colours
    from writhe.render.frame_choice import frames_by_motion
    from writhe.skeleton import Motion

    drawn = rows.copy()
    drawn[:, :7] = figure.skeleton.rest_configuration[:7]
    motion = Motion(figure.skeleton, drawn, 30.0)
    return film_strip(
        figure,
        motion,
        path,
        frames=frames_by_motion(figure.skeleton, [motion.q], 7),
        size=(190, 230),
        view=(0.0, 0.1, 1.0),  # from the front, so that mirror images can be recognised
        by_joint=side_colours(figure),
        ground=False,
    )
