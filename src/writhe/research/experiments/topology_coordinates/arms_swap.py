"""Two arms swap over and under; joint-angle interpolation passes them through each other."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import certify
from writhe.progress import Progress
from writhe.research.experiments.topology_coordinates.checks.geometry import PoseView
from writhe.research.experiments.topology_coordinates.scene_result import FPS, Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import SceneSetup, human
from writhe.skeleton.kinematics import interpolate
from writhe.solvers.tangling import Tangle, TangleKeyframe, TangleSetup
from writhe.terms import reach


def _crossed(world: SceneSetup, setup: TangleSetup, height_m: float) -> Floats:
    """A key pose with the forearms crossed in front, the left one higher by twice `height_m`."""
    q = world.q
    # one arm high and the other low before they cross, so that they cross in the right order
    for across_m, apart in ((-0.25, 3.0), (0.12, 2.0), (0.12, 1.0)):
        goals = [
            reach("a.left_wrist", (-across_m, 1.18 + apart * height_m, 0.40), weight=12.0),
            reach("a.right_wrist", (across_m, 1.18 - apart * height_m, 0.40), weight=12.0),
        ]
        q = world.solve_key_pose(setup, q, goals)
    return q


def play(progress: Progress) -> SceneResult:
    """From the left arm over the right one to the right one over the left."""
    world = SceneSetup.of([human("a")])
    world.place_standing("a", 0.0, 0.0)
    left = world.strand("a", "left_shoulder", "left_hand_tip")
    right = world.strand("a", "right_shoulder", "right_hand_tip")
    setup = world.setup([*world.limits("a"), *world.planted("a"), *world.upright("a")])
    first, last = _crossed(world, setup, 0.07), _crossed(world, setup, -0.07)
    skeleton = world.layout.skeleton
    before = Tangle.measured(skeleton, first, left, right)
    after = Tangle.measured(skeleton, last, left, right)

    progress(None, "interpolating in topology space")
    world.q = first
    swapped = TangleKeyframe("swapped", (after,))
    motion = world.animate(setup, [swapped])
    straight = np.array([interpolate(skeleton, first, last, t) for t in np.linspace(0, 1, 30)])
    through = certify(world.layout.table, straight, FPS)
    end = Tangle.measured(skeleton, motion.path[-1], left, right)
    return SceneResult.of(
        world.layout,
        motion,
        [
            Claim.at_least("writhe of the arms at first", before.writhe, 0.15),
            Claim.at_most("writhe of the arms at last", end.writhe, -0.15),
        ],
        seen=[
            *_crossed_claims("at first", PoseView(world.layout, motion.path[0]), "left", "right"),
            *_crossed_claims("at last", PoseView(world.layout, motion.path[-1]), "right", "left"),
        ],
        contrast=[
            Claim.at_least(
                "pass-throughs of joint-angle interpolation", len(through.pass_throughs), 1
            )
        ],
        postures=(0, len(motion.path) - 1),
        sides=True,
        view=(0.35, 0.22, 1.0),
        around=((-0.4, 0.0, -0.2), (0.4, 1.75, 0.5)),
        size=(300, 340),
    )


def _crossed_claims(when: str, view: PoseView, upper: str, lower: str) -> list[Claim]:
    """The forearms are crossed before the chest, the arm `upper` over the arm `lower`."""
    hands = {side: view.seen_from(f"a.{side}_wrist", "a.chest") for side in ("left", "right")}
    rise = float(hands[upper][1] - hands[lower][1])
    claims = [Claim.at_least(f"{when}: {upper} hand over the {lower} one, m", rise, 0.05)]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        x, _, z = hands[side]
        claims.append(Claim.at_least(f"{when}: {side} hand past the middle, m", -sign * x, 0.02))
        claims.append(Claim.at_least(f"{when}: {side} hand before the chest, m", z, 0.15))
    return claims
