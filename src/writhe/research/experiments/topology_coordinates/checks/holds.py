"""Topology assertions shared by several scenes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.quantities import Linking
from writhe.research.experiments.topology_coordinates.scene_result import Claim
from writhe.scene import Layout
from writhe.solvers.tangling import Tangle, TangleKeyframe, TangleMotion
from writhe.topology import Strand


def writhe(layout: Layout, first: Strand, second: Strand, q: Floats) -> float:
    """Writhe of two strands at q (nq)."""
    return float(Linking(first, second).value(layout.skeleton, q)[0])


def held(layout: Layout, tangle: Tangle, q: Floats, minimum: float, what: str = "") -> Claim:
    """The claim that the writhe of a tangle is at least `minimum`, with the sign of its target."""
    value = writhe(layout, tangle.first, tangle.second, q) * np.sign(tangle.writhe)
    return Claim.at_least(what or f"writhe of {tangle.label}", value, minimum)


def held_at_keys(
    layout: Layout,
    keys: Sequence[TangleKeyframe],
    motion: TangleMotion,
    minimum: Callable[[Tangle], float],
) -> list[Claim]:
    """The claims that every tangle of a key is present when the key is reached."""
    return [
        held(layout, goal, motion.path[frame], minimum(goal), f"{key.name}: {goal.label}")
        for key, frame in zip(keys, motion.key_frames, strict=True)
        for goal in key.goals
        if isinstance(goal, Tangle) and goal.writhe != 0.0
    ]


def legs_apart(layout: Layout, legs: Sequence[Strand], q: Floats, maximum: float = 0.5) -> Claim:
    """The claim that no two legs are wound around each other."""
    knots = [abs(writhe(layout, a, b, q)) for a, b in itertools.combinations(legs, 2)]
    return Claim.at_most("largest linking of two legs", max(knots), maximum)
