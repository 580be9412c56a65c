"""An octopus of human size winds its legs around a human, from two keyframes."""

from __future__ import annotations

import itertools

import numpy as np

from writhe.progress import Progress
from writhe.research.experiments.topology_coordinates.checks.geometry import (
    PoseView,
    touches,
)
from writhe.research.experiments.topology_coordinates.checks.holds import held, legs_apart
from writhe.research.experiments.topology_coordinates.creatures import large_octopus, turned
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import SceneSetup, human
from writhe.scene import Actor
from writhe.skeleton.figures.octopus import LEGS
from writhe.solvers.tangling import (
    SolveOptions,
    Tangle,
    TangleKeyframe,
    TangleOptions,
    Untangled,
)

_SCALE = 2.4
# leg, the human's strand from and to, writhe
_HOLDS = (
    (0, "left_shoulder", "left_hand_tip", 0.8),
    (3, "right_shoulder", "right_hand_tip", -0.8),
    (6, "left_hip", "left_toe_tip", 0.8),
    (5, "right_hip", "right_toe_tip", -0.8),
    (7, "hips", "head_top", 0.6),
)


def play(progress: Progress) -> SceneResult:
    """From behind: a leg around each limb, one around the waist, none around each other."""
    world = SceneSetup.of(
        [human("diver", driven=True), Actor("octopus", large_octopus(_SCALE))], floor=False
    )
    world.place_standing("diver", 0.0, 0.0)
    at = world.layout.actor_q["octopus"]
    # its mouth towards the diver's back, its mantle away from him
    world.q[at][:7] = (0.0, 1.05, -0.52, *turned(np.array([1.0, 0.0, 0.0]), -0.5 * np.pi))
    legs = [world.strand("octopus", f"leg{k + 1}_1", f"leg{k + 1}_tip") for k in range(LEGS)]
    holds = [
        Tangle(
            legs[leg],
            world.strand("diver", start, end),
            writhe,
            name=f"leg {leg + 1} around {start.replace('_', ' ')} to {end.replace('_', ' ')}",
        )
        for leg, start, end, writhe in _HOLDS
    ]
    apart = [Untangled(a, b, 0.5) for a, b in itertools.combinations(legs, 2)]
    setup = world.setup(
        world.limits("octopus"), TangleOptions(near_m=0.05, writhe_stride=0.03, max_step=0.08)
    )
    key = TangleKeyframe("wound around", (*holds, *apart), solve=SolveOptions(400))
    progress(None, "winding")
    motion = world.animate(setup, [key])
    q = motion.path[-1]
    claims = [held(world.layout, hold, q, 0.95 * abs(hold.writhe)) for hold in holds]
    claims.append(legs_apart(world.layout, legs, q))
    return SceneResult.of(
        world.layout,
        motion,
        claims,
        seen=_wound(world, PoseView(world.layout, q)),
        view=(0.9, 0.25, 0.75),
        around=((-0.9, -0.1, -1.3), (0.9, 2.2, 0.6)),
        colours={"octopus": (0.62, 0.47, 0.68)},
        sides=True,
        size=(320, 400),
    )


def _wound(world: SceneSetup, view: PoseView) -> list[Claim]:
    """Each leg touches the limb or trunk that it is wound around."""
    claims: list[Claim] = []
    for leg, start, end, _ in _HOLDS:
        parts = [n for n in world.layout.skeleton.names if n.startswith(f"octopus.leg{leg + 1}_")]
        limb = [j for j in world.strand("diver", start, end).joints if j is not None]
        words = f"{start} to {end}".replace("_", " ")
        claims.append(touches(view, f"leg {leg + 1} on {words}", parts, limb, 0.02))
    return claims
