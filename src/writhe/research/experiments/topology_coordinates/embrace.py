"""An embrace with alternating active characters: Ann, then Ben, then Ann lets go."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Bools
from writhe.progress import Progress
from writhe.quantities import Point
from writhe.research.experiments.topology_coordinates.geometry_checks import (
    PoseView,
    behind,
    touches,
)
from writhe.research.experiments.topology_coordinates.hold_checks import held, writhe
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import SceneSetup, human
from writhe.solvers.tangling import SolveOptions, Tangle, TangleKeyframe, TangleOptions, animate
from writhe.terms import Term

_SIDES = (("left", 1.0), ("right", -1.0))


def _hands(actor: str, partner: str, on: str, height_m: float) -> tuple[Term, ...]:
    """Terms that put the wrists of one actor on the other's back."""
    out: list[Term] = []
    for side, sign in _SIDES:
        position = np.array(
            [-sign * 0.05, height_m, -0.17]
        )  # face to face: the left hand is on the partner's right side
        quantity = Point(f"{actor}.{side}_wrist", seen_from=f"{partner}.{on}")
        out.append(
            Term(quantity, position, position, 3.0, label=f"{actor}'s {side} wrist on {partner}")
        )
    return tuple(out)


def play(progress: Progress) -> SceneResult:
    """Around the waist, around the back in return, and the first one lets go."""
    world = SceneSetup.of([human("ann"), human("ben")])
    world.place_standing("ann", 0.0, 0.0)
    world.place_standing("ben", 0.0, 0.44, np.pi)
    waist = Tangle(
        world.strand("ann", "left_hand_tip", "right_hand_tip"),
        world.strand("ben", "hips", "head_top"),
        -0.6,
        name="ann's arms around ben's waist",
        tolerance=(0.04, 1.0, 1.0, 1.0),
    )
    back = Tangle(
        world.strand("ben", "left_hand_tip", "right_hand_tip"),
        world.strand("ann", "hips", "head_top"),
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
    for name, own in world.layout.actor_v.items():
        active[name] = np.zeros_like(world.layout.variables)
        active[name][own] = True
    setup = world.setup(
        [
            *world.limits("ann", "ben"),
            *world.planted("ann"),
            *world.planted("ben"),
            *world.upright("ann", 0.3),
            *world.upright("ben", 0.3),
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
            "ann lets go", (off, back), (), world.q, 0.1, active=active["ann"], solve=long
        ),
    ]
    progress(None, "embracing")
    motion = animate(setup, world.q, keys)
    claims: list[Claim] = []
    passive = ("ben", "ann", "ben")
    first = 0
    for key, last, still in zip(keys, motion.key_frames, passive, strict=True):
        own = motion.path[first : last + 1, world.layout.actor_q[still]]
        moved = float(np.abs(own - own[0]).max())
        claims.append(Claim.at_most(f"{key.name}: {still} moves", moved, 1e-9))
        first = last
    for frame, goals in zip(motion.key_frames, ((waist,), (waist, back), (back,)), strict=True):
        for goal in goals:
            least = 0.5 if goal is waist else 0.3
            claims.append(held(world.layout, goal, motion.path[frame], least))
    loose = writhe(world.layout, waist.first, waist.second, motion.path[-1])
    claims.append(Claim.at_most(f"writhe of {off.label}", abs(loose), 0.15))
    return SceneResult.of(
        world.layout,
        motion,
        claims,
        seen=_embraced(PoseView(world.layout, motion.path[motion.key_frames[1]])),
        view=(1.0, 0.25, 0.35),
        size=(300, 400),
    )


def _embraced(view: PoseView) -> list[Claim]:
    """What a viewer calls an embrace: chests together, heads side by side, hands on the backs."""
    trunks = {who: [f"{who}.{part}" for part in ("chest", "spine")] for who in ("ann", "ben")}
    aside, _, ahead = view.seen_from("ann.head", "ben.head")
    claims = [
        touches(view, "chest to chest", trunks["ann"], trunks["ben"], 0.04),
        Claim.at_least("heads side by side, m", abs(float(aside)), 0.10),
        Claim.at_most("heads one in front of the other, m", abs(float(ahead)), 0.20),
    ]
    for who, other in (("ann", "ben"), ("ben", "ann")):
        for side in ("left", "right"):
            wrist, what = f"{who}.{side}_wrist", f"{who}'s {side} hand on {other}'s back"
            claims.append(behind(view, what, wrist, f"{other}.chest"))
            claims.append(touches(view, what, [wrist], trunks[other], 0.05))
    return claims
