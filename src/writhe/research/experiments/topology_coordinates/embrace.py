"""An embrace with alternating active characters: Ben opens his arms, Ann steps in and holds him,
Ben holds her, Ann lets go."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Bools
from writhe.hands.holds import hold_terms
from writhe.postures.builtin.anatomical_angles import (
    ArmAngles,
    BodyAngles,
    LegAngles,
    configuration,
)
from writhe.progress import Progress
from writhe.research.experiments.topology_coordinates.checks.geometry import (
    PALM,
    PoseView,
    behind,
    palm_on,
    touches,
)
from writhe.research.experiments.topology_coordinates.checks.holds import held, writhe
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import (
    HOLD_TOLERANCE,
    SceneSetup,
    human,
    lowest_point,
    place,
)
from writhe.solvers.posing import Hold
from writhe.solvers.tangling import SolveOptions, Tangle, TangleKeyframe, TangleOptions
from writhe.terms import Term

_SIDES = (("left", 1.0), ("right", -1.0))
_APART_M, _STEP_M = 0.60, 0.33


def _hands(actor: str, partner: str, on: str, height_m: float, across_m: float) -> tuple[Term, ...]:
    """Terms that put the hands of one actor flat on the other's back.

    Face to face the left hand comes from the partner's right side, its fingers cross the middle.
    """
    out: list[Term] = []
    for side, sign in _SIDES:
        place_on_back = (-sign * across_m, height_m, -0.145)
        fingers, palm = ((sign, 0.0, 0.0), (sign, 0.15, 0.0)), (PALM, (0.0, 0.0, 1.0))
        hold = Hold(f"{side}_wrist", f"{partner}.{on}", place_on_back)
        out += hold_terms(actor, hold, weight=5.0, turned=(fingers, palm), turn_weight=0.6)
    return tuple(out)


def play(progress: Progress) -> SceneResult:
    """Arms opened, a step in, around the trunk, around the back in return, and let go."""
    world = SceneSetup.of([human("ann"), human("ben")])
    world.place_standing("ann", 0.0, 0.0)
    # feet apart, so that Ann's come to stand between them
    body = world.layout.scene.actor("ben").figure
    arm = ArmAngles(abduct=15)
    leg = LegAngles(flex=2, abduct=11, rotate=10, knee=3)
    wide = configuration(body.skeleton, BodyAngles(arm, arm, leg, leg))
    wide[1] -= lowest_point(body, wide) + 0.003
    world.place("ben", wide, 0.0, _APART_M, np.pi)
    trunk = {who: world.strand(who, "hips", "head_top") for who in ("ann", "ben")}
    arms = {who: world.strand(who, "left_hand_tip", "right_hand_tip") for who in ("ann", "ben")}
    around_ben = Tangle(
        arms["ann"], trunk["ben"], 0.75, (0.0, -0.04), 1.0, "ann around ben", HOLD_TOLERANCE
    )
    around_ann = Tangle(
        arms["ben"], trunk["ann"], 0.75, (-0.03, 0.12), 0.79, "ben around ann", HOLD_TOLERANCE
    )
    off = Tangle(
        arms["ann"], trunk["ben"], 0.0, name="ann lets go", tolerance=(0.12, 1.0, 1.0, 1.0)
    )
    active: dict[str, Bools] = {}
    for name, own in world.layout.actor_v.items():
        active[name] = np.zeros_like(world.layout.variables)
        active[name][own] = True
    setup = world.setup(
        [
            *world.limits("ann", "ben"),
            *world.planted("ben"),
            *world.upright("ben", 0.3),
            *world.upright("ann", 0.3, steps=True),
        ],
        TangleOptions(writhe_stride=0.03),
    )
    long = SolveOptions(220, min_steps=30)
    brief = SolveOptions(40, min_steps=14, shakes=0)
    opened = tuple(
        place(f"ben.{side}_wrist", "ben.chest", (sign * 0.48, 0.12, 0.26)) for side, sign in _SIDES
    )
    steps = world.steps("ann", ("left", "right"), np.array([0.0, 0.0, _STEP_M]))
    lifted = (
        *(
            place(f"ann.{side}_wrist", "ann.chest", (sign * 0.30, -0.04, 0.32))
            for side, sign in _SIDES
        ),
        place("ann.head", "ben.head", (0.22, 0.0, 0.25), 6.0),
    )
    together = (
        place("ann.hips", "ben.hips", (0.05, -0.01, 0.25), 6.0),
        place("ann.chest", "ben.chest", (0.09, -0.01, 0.225), 10.0),
        place("ann.head", "ben.head", (0.20, 0.0, 0.04), 12.0),
    )
    on_ben = _hands("ann", "ben", "chest", -0.02, 0.05)
    on_ann = _hands("ben", "ann", "chest", 0.12, 0.05)
    keys = [TangleKeyframe("ben opens his arms", (), opened, active=active["ben"], solve=brief)]
    for number, feet in enumerate(steps):
        keys.append(
            TangleKeyframe(
                f"step {number + 1}", (), (*feet, *lifted), active=active["ann"], solve=brief
            )
        )
    for name, goal, terms in (
        ("ann embraces", around_ben, (*steps[-1], *together, *on_ben)),
        ("ben embraces", around_ann, (*together, *on_ann)),
        ("ann lets go", off, (*steps[-1], *together, *lifted)),
    ):
        mover = active[name.split()[0]]
        keys.append(TangleKeyframe(name, (goal,), terms, active=mover, solve=long))
    progress(None, "embracing")
    motion = world.animate(setup, keys)
    at = dict(zip(motion.keys, motion.key_frames, strict=True))
    claims: list[Claim] = []
    for name, first, still in (
        ("ann embraces", "ben opens his arms", "ben"),
        ("ben embraces", "ann embraces", "ann"),
        ("ann lets go", "ben embraces", "ben"),
    ):
        own = motion.path[at[first] : at[name] + 1, world.layout.actor_q[still]]
        moved = float(np.abs(own - own[0]).max())
        claims.append(Claim.at_most(f"{name}: {still} moves", moved, 1e-9))
    for name, goals in (
        ("ann embraces", (around_ben,)),
        ("ben embraces", (around_ben, around_ann)),
        ("ann lets go", (around_ann,)),
    ):
        for goal in goals:
            what = f"{name}: writhe of {goal.label}"
            claims.append(held(world.layout, goal, motion.path[at[name]], 0.6, what))
    loose = writhe(world.layout, off.first, off.second, motion.path[-1])
    claims.append(Claim.at_most("ann lets go: writhe of ann around ben", abs(loose), 0.15))
    shown = [0, at["ben opens his arms"], at["step 2"], at["step 4"]]
    shown += [at[name] for name in ("ann embraces", "ben embraces", "ann lets go")]
    return SceneResult.of(
        world.layout,
        motion,
        claims,
        seen=_embraced(PoseView(world.layout, motion.path[at["ben embraces"]])),
        view=(1.0, 0.25, 0.25),
        frames=shown,
        sides=True,
        size=(300, 400),
    )


def _embraced(view: PoseView) -> list[Claim]:
    """What a viewer calls an embrace: chests together, heads side by side, hands on the backs."""
    trunks = {who: [f"{who}.{part}" for part in ("chest", "spine")] for who in ("ann", "ben")}
    aside, _, ahead = view.seen_from("ann.head", "ben.head")
    claims = [
        touches(view, "chest to chest", ["ann.chest"], ["ben.chest"], 0.03),
        Claim.at_least("heads side by side, m", abs(float(aside)), 0.12),
        Claim.at_most("heads one in front of the other, m", abs(float(ahead)), 0.16),
    ]
    for who, other in (("ann", "ben"), ("ben", "ann")):
        for side in ("left", "right"):
            wrist, what = f"{who}.{side}_wrist", f"{who}'s {side} hand on {other}'s back"
            claims.append(behind(view, what, wrist, f"{other}.chest"))
            claims.append(touches(view, what, [wrist], trunks[other], 0.03))
            claims.append(palm_on(view, what, wrist, f"{other}.chest"))
    return claims
