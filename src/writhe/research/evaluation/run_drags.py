"""Playing scripted drags with posers, and judging what came of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from writhe.arrays import Floats, vector3
from writhe.collision import CollisionTable
from writhe.research.evaluation.drag_scenes import Setting
from writhe.research.evaluation.drags import Drag
from writhe.research.evaluation.metrics import MET_M, STALL_M, STALL_SPEED_M, Tally
from writhe.research.evaluation.registry import Progress
from writhe.research.evaluation.skin_depth import SkinDepth
from writhe.skeleton import Figure
from writhe.solvers.posing import Poser, Target, pin_here
from writhe.solvers.posing.actor_in_scene import ActorPlace


@dataclass(frozen=True)
class Played:
    """A drag as a method played it."""

    q: Floats  # (frames + 1, nq), the start first
    errors_m: Floats  # (frames,) the largest distance from a target
    milliseconds: list[float]
    shortened: int
    refused: int
    unfamiliar: Floats  # (frames,) how unlike the database; NaN where not told


def play(poser: Poser, body: Figure, drag: Drag, start: Floats) -> Played:
    """Play a drag from a posture."""
    q = start
    pins = [pin_here(body.skeleton, q, joint) for joint in drag.pinned]
    rows, errors, times, odd = [q], [], [], []
    shortened = refused = 0
    for points in drag.path:
        targets = [Target(joint, vector3(p)) for joint, p in zip(drag.joints, points, strict=True)]
        result = poser.step(q, targets, pins)
        q = result.q
        rows.append(q)
        errors.append(max(result.target_error_m.values()))
        times.append(result.milliseconds)
        odd.append(np.nan if result.unfamiliar is None else result.unfamiliar)
        shortened += result.gate.shortened
        refused += result.gate.refused
    return Played(np.array(rows), np.array(errors), times, shortened, refused, np.array(odd))


def judge(tally: Tally, poser: Poser, body: Figure, drag: Drag, start: Floats) -> Played:
    """Play a drag and add what came of it to the tally."""
    played = play(poser, body, drag, start)
    tally.add_motion(played.q)
    tally.milliseconds += played.milliseconds
    tally.residuals += played.errors_m.tolist()
    tally.shortened += played.shortened
    tally.refused += played.refused
    if drag.feasible:
        rests = np.array(drag.rests)
        tally.asked += len(rests)
        tally.unmet += int((played.errors_m[rests] > MET_M).sum())
        nearer = -np.diff(played.errors_m)
        tally.stall_frames += len(nearer)
        tally.stalled += int(((played.errors_m[1:] > STALL_M) & (nearer < STALL_SPEED_M)).sum())
    return played


def run_setting(
    progress: Progress, setting: Setting, methods: tuple[str, ...], rounds: int
) -> dict[str, Tally]:
    """The tallies of the methods in one setting.

    On one thread: matrices this small gain nothing from several, which wait for each other where
    the machine has other work.
    """
    with threadpool_limits(limits=1, user_api="blas"):
        return _run_setting(progress, setting, methods, rounds)


def _run_setting(
    progress: Progress, setting: Setting, methods: tuple[str, ...], rounds: int
) -> dict[str, Tally]:
    posers = {name: setting.poser(name) for name in methods}
    tallies = {name: make_tally(setting) for name in methods}
    drags = setting.drags(rounds)
    for poser in posers.values():  # compile before anything is timed
        play(poser, setting.figure, drags[0], setting.start)
    for number, drag in enumerate(drags):
        progress(f"{setting.name}: drag {number + 1} of {len(drags)}: {drag.name}")
        for name, poser in posers.items():
            judge(tallies[name], poser, setting.figure, drag, setting.start)
    return tallies


def make_tally(setting: Setting) -> Tally:
    """An empty tally for motions in a setting."""
    body = setting.figure
    if setting.scene is None:
        return Tally(body, CollisionTable.of_figure(body), SkinDepth.of_figure(body))
    place = ActorPlace.in_scene(setting.scene, setting.actor)
    return Tally(body, place.table, SkinDepth(setting.scene), place)
