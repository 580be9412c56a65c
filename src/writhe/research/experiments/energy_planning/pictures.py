"""Film strips of plans."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from writhe.arrays import Floats
from writhe.planning import Plan, to_motion
from writhe.research.evaluation import Report
from writhe.research.experiments.energy_planning.postures import Experiment
from writhe.skeleton import Motion, forward
from writhe.skeleton.configuration_paths import resample_evenly

FPS = 30.0
PANELS = 7  # of a strip


def plan_strip(experiment: Experiment, plan: Plan, report: Report, name: str) -> Path:
    """The timed motion of a certified plan."""
    motion = to_motion(plan, experiment.timing(FPS))
    own = Motion(experiment.figure.skeleton, np.ascontiguousarray(motion.q), motion.fps)
    return _draw(experiment, own, report.picture_path(name))


def path_strip(experiment: Experiment, plan: Plan, report: Report, name: str) -> Path:
    """Even steps along a path that may penetrate, which is painted red."""
    from writhe.collision import violating_parts

    rows = resample_evenly(plan.skeleton, plan.path, 60)
    red = violating_parts(plan.problem.table, rows)
    if experiment.alone and not experiment.planted:
        rows = _grounded(experiment, rows)
    own = Motion(experiment.figure.skeleton, rows, FPS)
    if plan.skeleton.names != experiment.figure.skeleton.names:
        red = [[part.rpartition(".")[2] for part in parts] for parts in red]
    return _draw(experiment, own, report.picture_path(name), red)


def _draw(
    experiment: Experiment, motion: Motion, path: Path, red: Sequence[Sequence[str]] | None = None
) -> Path:
    """A strip whose frames are equally far apart in motion, left and right in two colours."""
    from writhe.render import film_strip
    from writhe.render.drawn_figure import side_colours
    from writhe.render.frame_choice import frames_by_motion

    return film_strip(
        experiment.figure,
        motion,
        path,
        frames=frames_by_motion(motion.skeleton, [motion.q], PANELS),
        size=experiment.panel,
        view=experiment.view,
        highlights=red,
        by_joint=side_colours(experiment.figure),
    )


def _grounded(experiment: Experiment, rows: Floats) -> Floats:
    """(rows, nq) each posture resting on the floor: a free body may be moved as a whole."""
    from writhe.render.drawn_figure import lowest_drawn

    out = rows.copy()
    for row in out:
        row[1] -= lowest_drawn(experiment.figure, forward(experiment.figure.skeleton, row))
    return out
