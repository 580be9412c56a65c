"""What scenes of several holds assert alike."""

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
    """How far two strands are wound around each other."""
    return float(Linking(first, second).value(layout.skeleton, q)[0])


def held(layout: Layout, tangle: Tangle, q: Floats, least: float, what: str = "") -> Claim:
    """A tangle is wound by `least` or more, in its own sense."""
    value = writhe(layout, tangle.first, tangle.second, q) * np.sign(tangle.writhe)
    return Claim.at_least(what or f"writhe of {tangle.label}", value, least)


def held_at_keys(
    layout: Layout,
    keys: Sequence[TangleKeyframe],
    motion: TangleMotion,
    least: Callable[[Tangle], float],
) -> list[Claim]:
    """Every tangle that a key asks for is there when the key is reached."""
    return [
        held(layout, wish, motion.path[frame], least(wish), f"{key.name}: {wish.label}")
        for key, frame in zip(keys, motion.key_frames, strict=True)
        for wish in key.wishes
        if isinstance(wish, Tangle) and wish.writhe != 0.0
    ]


def holding_frames(keys: Sequence[TangleKeyframe], motion: TangleMotion) -> list[int]:
    """The first frame and those of the keys that hold something, for a film strip."""
    return [
        0,
        *(
            frame
            for key, frame in zip(keys, motion.key_frames, strict=True)
            if any(isinstance(wish, Tangle) and wish.writhe != 0.0 for wish in key.wishes)
        ),
    ]


def legs_apart(layout: Layout, legs: Sequence[Strand], q: Floats, most: float = 0.5) -> Claim:
    """No two legs are wound around each other."""
    knots = [abs(writhe(layout, a, b, q)) for a, b in itertools.combinations(legs, 2)]
    return Claim.at_most("largest linking of two legs", max(knots), most)
