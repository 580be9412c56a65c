"""`writhe bench drag`: all posing methods on the same scripted drags."""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.bench import Progress
from writhe.collision import CollisionTable
from writhe.database import PostureDatabase
from writhe.evaluation.drags import Drag, scripted_drags, standing
from writhe.evaluation.posing_figures import MET_M, STALL_M, STALL_SPEED_M, Tally
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure as built_in
from writhe.solvers.posing import Poser, Target, make_poser, method_names
from writhe.solvers.posing.handles import pin_here


def run(
    progress: Progress,
    *,
    database: PostureDatabase | None = None,
    rounds: int = 1,
    methods: tuple[str, ...] | None = None,
    figure: Figure | None = None,
) -> dict[str, Any]:
    """Every method on every drag; methods take turns, so a busy machine is unfair to none."""
    body = figure or built_in("human")
    database = database if database is not None else _builtin()
    table = CollisionTable.of_figure(body)
    names = methods or tuple(method_names())
    posers = {name: make_poser(name, body, database) for name in names}
    tallies = {name: Tally(body, table) for name in names}
    drags = scripted_drags(body, rounds)
    for name in names:  # compile before anything is timed
        play(posers[name], body, drags[0])
    for number, drag in enumerate(drags):
        progress(f"drag {number + 1} of {len(drags)}: {drag.name}")
        for name in names:
            judge(tallies[name], posers[name], body, drag)
    return {
        "figure": body.name,
        "database": None if database is None else len(database),
        "drags": len(drags),
        "methods": {name: tally.summary() for name, tally in tallies.items()},
    }


def play(
    poser: Poser, body: Figure, drag: Drag
) -> tuple[Floats, Floats, list[float], tuple[int, int]]:
    """Play a drag: configurations, target errors (frames), milliseconds, gate counts."""
    q = standing(body)
    pins = [pin_here(body.skeleton, q, joint) for joint in drag.pinned]
    rows, errors, times = [q], [], []
    shortened = refused = 0
    for points in drag.path:
        targets = [
            Target(joint, (float(p[0]), float(p[1]), float(p[2])))
            for joint, p in zip(drag.joints, points, strict=True)
        ]
        result = poser.step(q, targets, pins)
        q = result.q
        rows.append(q)
        errors.append(max(result.target_error_m.values()))
        times.append(result.milliseconds)
        shortened += result.gate.shortened
        refused += result.gate.refused
    return np.array(rows), np.array(errors), times, (shortened, refused)


def judge(tally: Tally, poser: Poser, body: Figure, drag: Drag) -> None:
    """Play a drag and add what came of it to the tally."""
    q, errors, times, (shortened, refused) = play(poser, body, drag)
    tally.add_motion(q)
    tally.milliseconds += times
    tally.residuals += errors.tolist()
    tally.shortened += shortened
    tally.refused += refused
    if drag.feasible:
        rests = np.array(drag.rests)
        tally.asked += len(rests)
        tally.unmet += int((errors[rests] > MET_M).sum())
        progress_made = -np.diff(errors)
        tally.stall_frames += len(progress_made)
        tally.stalled += int(((errors[1:] > STALL_M) & (progress_made < STALL_SPEED_M)).sum())


def _builtin() -> PostureDatabase | None:
    from writhe.motion.library import builtin_database

    return builtin_database("basic")
