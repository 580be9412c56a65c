"""Entry point `certify`: the built-in figures, alone and in pairs, also as single frames."""

from __future__ import annotations

from functools import cache

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, certify
from writhe.research.evaluation.export_mechanism import export_mechanism, export_motion
from writhe.research.evaluation.independent import Mechanism
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.poses import random_motion, random_pose, shortened
from writhe.scene import Actor, Scene
from writhe.skeleton.figures import figure


@cache
def figure_table(name: str) -> tuple[CollisionTable, Mechanism]:
    """The shapes of a built-in figure."""
    table = CollisionTable.of_figure(figure(name))
    return table, export_mechanism(table)


@cache
def _pair_table() -> tuple[CollisionTable, Mechanism]:
    body = figure("human")
    facing = np.array([0.0, 0.0, 1.0, 0.0])
    actors = Actor("a", body), Actor("b", body, np.array([0.0, 0.0, 0.55]), facing)
    table = Scene(actors).layout.table
    return table, export_mechanism(table)


def _ask(entry_point: str, table: CollisionTable, mechanism: Mechanism, q: Floats) -> Case:
    motion = export_motion(table.skeleton, q)
    return Case.of(entry_point, mechanism, (motion,), certify(table, q, fps=30.0))


def _figure(rng: np.random.Generator, name: str) -> Case:
    table, mechanism = figure_table(name)
    q = random_motion(table.skeleton, rng, int(rng.integers(2, 4)))
    return _ask(name, table, mechanism, shortened(table, q) if rng.random() < 0.6 else q)


def human(rng: np.random.Generator) -> Case:
    """The human."""
    return _figure(rng, "human")


def hand(rng: np.random.Generator) -> Case:
    """The hand."""
    return _figure(rng, "hand")


def octopus(rng: np.random.Generator) -> Case:
    """The octopus."""
    return _figure(rng, "octopus")


def single_frame(rng: np.random.Generator) -> Case:
    """One frame, or a pose that stays as it is."""
    table, mechanism = figure_table(str(rng.choice(["human", "hand"])))
    q = random_pose(table.skeleton, rng, float(rng.choice([0.1, 0.2, 0.4])))
    return _ask("single frame", table, mechanism, np.repeat(q[None], rng.integers(1, 3), axis=0))


def two_people(rng: np.random.Generator) -> Case:
    """Two people facing each other at arm's length."""
    table, mechanism = _pair_table()
    q = random_motion(table.skeleton, rng, 2)
    return _ask("two people", table, mechanism, shortened(table, q) if rng.random() < 0.6 else q)
