"""Both arms through the straps of a knapsack, one after the other (Eq. 10)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.collision import box, capsule
from writhe.progress import Progress
from writhe.quantities import Point
from writhe.research.experiments.topology_coordinates.geometry_checks import (
    PoseView,
    touches,
)
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import SceneSetup, human
from writhe.scene import ObjectKind, SceneObject
from writhe.solvers.tangling import SolveOptions, TangleKeyframe, TangleOptions, Through, animate
from writhe.terms import Term
from writhe.topology.loop_crossing import net_crossings

_STRAP_RADIUS_M = 0.011
_OPEN = np.radians(60.0)


def _strap(side: float) -> Floats:
    """A strap loop with its back on the pack and its front held open outwards.

    Seen from outside (side 1: from +X) it is counter-clockwise, on the other side clockwise.
    """
    rim = [(0.23, 0.0), (0.28, 0.10), (0.24, 0.22), (0.05, 0.27), (-0.14, 0.22), (-0.22, 0.10)]
    out, ahead = np.sin(_OPEN), np.cos(_OPEN)
    points = [(side * (0.09 + r * out), y, r * ahead) for y, r in rim]
    return np.array([*points, (side * 0.09, -0.22, 0.0)])


def knapsack(position_m: Floats) -> SceneObject:
    """A pack with two straps on its +Z side."""
    shapes = [box((0.0, 0.0, -0.09), (0.26, 0.44, 0.16), 0.03)]
    strands: dict[str, Floats] = {}
    for name, side in (("left", 1.0), ("right", -1.0)):
        rim = _strap(side)
        strands[name] = rim
        shapes += [capsule(a, b, _STRAP_RADIUS_M) for a, b in pairwise(rim)]
    return SceneObject(
        "pack", tuple(shapes), ObjectKind.MOVED, position_m=position_m, strands=strands
    )


def play(progress: Progress) -> SceneResult:
    """The left arm through the left strap, the right one through the right, then onto the back."""
    world = SceneSetup.of([human("a")], [knapsack(np.array([0.0, 1.08, -0.42]))])
    world.place_standing("a", 0.0, 0.0)
    layout = world.layout
    variables = layout.variables.copy()
    variables[layout.object_v["pack"]] = True  # the pack is free to move, as if it hung
    arms = {side: world.strand("a", "chest", f"{side}_hand_tip") for side in ("left", "right")}
    loops = {side: world.object_strand("pack", side, closed=True) for side in ("left", "right")}
    passing = {
        side: Through(
            arms[side],
            loops[side],
            forwards=side == "left",
            clearance_m=0.03,
            beyond_m=0.25,
            name=f"{side} arm through the {side} strap",
        )
        for side in ("left", "right")
    }
    setup = world.setup(
        [*world.limits("a"), *world.planted("a"), *world.upright("a")],
        TangleOptions(writhe_stride=0.03),
    )
    metric = setup.metric
    if metric is not None:
        metric[layout.object_v["pack"]] = (40.0, 40.0, 40.0, 20.0, 20.0, 20.0)
    position = np.array([0.0, 0.02, -0.15])
    on_back = Term(
        Point("pack", seen_from="a.chest"), position, position, 8.0, label="pack on the back"
    )
    keys = [
        TangleKeyframe("left arm", (passing["left"],), active=variables, solve=SolveOptions(300)),
        TangleKeyframe(
            "right arm",
            (passing["left"], passing["right"]),
            active=variables,
            solve=SolveOptions(400),
        ),
        TangleKeyframe(
            "worn",
            (passing["left"], passing["right"]),
            (on_back,),
            active=variables,
            solve=SolveOptions(120, least_steps=100),
        ),
    ]
    progress(None, "putting on the knapsack")
    motion = animate(setup, world.q, keys)
    stepper = setup.stepper(())
    stepper.update(motion.path[-1])
    claims = [
        Claim.equal(
            f"{arm} arm through the {loop} strap",
            net_crossings(stepper.vertices(arms[arm]), stepper.vertices(loops[loop])),
            0 if arm != loop else (1 if arm == "left" else -1),
        )
        for arm in arms
        for loop in loops
    ]
    return SceneResult.of(
        layout,
        motion,
        claims,
        seen=_worn(PoseView(layout, motion.path[-1])),
        view=(-0.75, 0.3, -1.0),
        around=((-0.5, 0.0, -0.7), (0.5, 1.8, 0.4)),
        colours={"pack": (0.55, 0.62, 0.48)},
    )


def _worn(view: PoseView) -> list[Claim]:
    """The pack lies against the back, upright; both straps are over the shoulders."""
    x, _, z = view.seen_from("pack", "a.chest")
    upright = float(view.frames.rotation("pack")[1, 1])
    return [
        touches(view, "pack against the back", ["pack"], ["a.chest", "a.spine"], 0.04),
        Claim.at_least("pack behind the chest, m", -float(z), 0.12),
        Claim.at_most("pack off the middle, m", abs(float(x)), 0.06),
        Claim.at_least("pack upright, cosine", upright, 0.85),
    ]
