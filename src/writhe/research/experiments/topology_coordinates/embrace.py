"""An embrace: the active character alternates. Ann, then Ben, then Ann again, who lets go."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Bools
from writhe.quantities import Point
from writhe.research.evaluation import Progress
from writhe.research.experiments.topology_coordinates.hold_checks import held, writhe
from writhe.research.experiments.topology_coordinates.scene_result import Claim, Played
from writhe.research.experiments.topology_coordinates.scene_setup import Theatre, human
from writhe.solvers.tangling import SolveOptions, Tangle, TangleKeyframe, TangleOptions, animate
from writhe.terms import Term

_SIDES = (("left", 1.0), ("right", -1.0))


def _hands(who: str, whom: str, on: str, height_m: float) -> tuple[Term, ...]:
    """The wrists of one on the other's back, each on the side it comes from."""
    out: list[Term] = []
    for side, sign in _SIDES:
        place = np.array([-sign * 0.05, height_m, -0.17])  # face to face, left meets right
        quantity = Point(f"{who}.{side}_wrist", seen_from=f"{whom}.{on}")
        out.append(Term(quantity, place, place, 3.0, label=f"{who}'s {side} wrist on {whom}"))
    return tuple(out)


def play(progress: Progress) -> Played:
    """Around the waist, around the back in return, and the first one lets go."""
    stage = Theatre.of([human("ann"), human("ben")])
    stage.stand("ann", 0.0, 0.0)
    stage.stand("ben", 0.0, 0.44, np.pi)
    waist = Tangle(
        stage.strand("ann", "left_hand_tip", "right_hand_tip"),
        stage.strand("ben", "hips", "head_top"),
        -0.6,
        name="ann's arms around ben's waist",
        tolerance=(0.04, 1.0, 1.0, 1.0),
    )
    back = Tangle(
        stage.strand("ben", "left_hand_tip", "right_hand_tip"),
        stage.strand("ann", "hips", "head_top"),
        -0.4,
        name="ben's arms around ann's back",
        tolerance=(0.04, 1.0, 1.0, 1.0),
    )
    off = Tangle(
        waist.first,
        waist.second,
        0.0,
        name="ann's arms around ben's waist, let go",
        tolerance=(0.12, 1.0, 1.0, 1.0),
    )
    active: dict[str, Bools] = {}
    for name, own in stage.layout.actor_v.items():
        active[name] = np.zeros_like(stage.layout.variables)
        active[name][own] = True
    setup = stage.setup(
        [
            *stage.limits("ann", "ben"),
            *stage.planted("ann"),
            *stage.planted("ben"),
            *stage.upright("ann", 0.3),
            *stage.upright("ben", 0.3),
        ],
        TangleOptions(writhe_stride=0.03),
    )
    long = SolveOptions(220, least_steps=30)
    keys = [
        TangleKeyframe(
            "ann embraces",
            (waist,),
            _hands("ann", "ben", "spine", 0.05),
            active=active["ann"],
            solve=long,
        ),
        TangleKeyframe(
            "ben embraces",
            (back,),
            _hands("ben", "ann", "chest", 0.10),
            active=active["ben"],
            solve=long,
        ),
        TangleKeyframe(
            "ann lets go", (off, back), (), stage.q, 0.1, active=active["ann"], solve=long
        ),
    ]
    progress("embracing")
    motion = animate(setup, stage.q, keys)
    claims: list[Claim] = []
    passive = ("ben", "ann", "ben")
    first = 0
    for key, last, still in zip(keys, motion.key_frames, passive, strict=True):
        own = motion.path[first : last + 1, stage.layout.actor_q[still]]
        moved = float(np.abs(own - own[0]).max())
        claims.append(Claim.at_most(f"{key.name}: {still} moves", moved, 1e-9))
        first = last
    for frame, wishes in zip(motion.key_frames, ((waist,), (waist, back), (back,)), strict=True):
        for wish in wishes:
            least = 0.5 if wish is waist else 0.3
            claims.append(held(stage.layout, wish, motion.path[frame], least))
    loose = writhe(stage.layout, waist.first, waist.second, motion.path[-1])
    claims.append(Claim.at_most(f"writhe of {off.label}", abs(loose), 0.15))
    return Played.of(
        stage.layout,
        motion,
        claims,
        view=(1.0, 0.25, 0.35),
        size=(300, 400),
    )
