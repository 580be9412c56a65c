"""`writhe bench drag`: all posing methods on the same scripted drags, alone and among objects."""

from __future__ import annotations

from typing import Any

from writhe.bench import Progress
from writhe.collision import CollisionTable
from writhe.database import PostureDatabase
from writhe.evaluation.playing import judge, play
from writhe.evaluation.posing_figures import Tally
from writhe.evaluation.settings import SETTINGS, Setting, make_setting
from writhe.evaluation.skin_depth import SkinDepth
from writhe.solvers.posing import method_names
from writhe.solvers.posing.place import ActorPlace


def run(
    progress: Progress,
    *,
    database: PostureDatabase | None = None,
    rounds: int = 1,
    methods: tuple[str, ...] | None = None,
    settings: tuple[str, ...] | None = None,
) -> dict[str, Any]:
    """Every method on every drag; methods take turns, so a busy machine is unfair to none.

    `methods` says what came of all drags, `settings` of those in each place.
    """
    names = methods or tuple(method_names())
    chosen = settings or SETTINGS
    total: dict[str, Tally] = {}
    by_setting: dict[str, Any] = {}
    drags = 0
    for place in chosen:
        # a database without the object cannot stand in where there is one
        progress(f"{place}: preparing")
        setting = make_setting(place, database if place == "basic" else None)
        tallies = run_setting(progress, setting, names, rounds)
        drags += len(setting.drags(rounds))
        by_setting[place] = {name: tally.summary() for name, tally in tallies.items()}
        for name, tally in tallies.items():
            if name in total:
                total[name].merge(tally)
            else:
                total[name] = tally
    return {
        "figure": "human",
        "database": None if database is None else len(database),
        "drags": drags,
        "methods": {name: tally.summary() for name, tally in total.items()},
        "settings": by_setting,
    }


def run_setting(
    progress: Progress, setting: Setting, methods: tuple[str, ...], rounds: int
) -> dict[str, Tally]:
    """The tallies of the methods in one setting."""
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
