"""An octopus catches swimming fish, one leg per fish, without knotting its legs."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.progress import Progress
from writhe.render.frame_choice import frames_by_motion
from writhe.render.look import Colour
from writhe.research.experiments.topology_coordinates.checks.geometry import (
    PoseView,
    touches,
    turns_around,
)
from writhe.research.experiments.topology_coordinates.checks.holds import held, legs_apart
from writhe.research.experiments.topology_coordinates.creatures import fish, turned
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import HOLD_TOLERANCE, SceneSetup
from writhe.scene import Actor
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.figures.octopus import LEGS, leg_direction
from writhe.solvers.tangling import (
    DrivenMotion,
    SolveOptions,
    Tangle,
    TangleKeyframe,
    TangleOptions,
    Untangled,
)

# by fish: the catching leg, radius and height of its course, direction
_FISH = ((0, 0.40, 0.13, 1.0), (2, 0.40, -0.12, 1.0), (4, 0.40, 0.12, 1.0), (6, 0.40, -0.13, 1.0))
_STEPS = 160
HELD = 0.8


def _swimming(world: SceneSetup, steps: int) -> Floats:
    """(steps, nq) each fish on its course around the octopus, tail beating."""
    path = np.tile(world.q, (steps + 1, 1))
    for number, (leg, out_m, high_m, sense) in enumerate(_FISH):
        at = world.layout.actor_q[f"fish{number + 1}"]
        direction = leg_direction(leg)
        start_angle = np.arctan2(direction[0], direction[2]) - sense * 0.25
        for k in range(steps + 1):
            gone = 0.5 * k / steps
            angle = start_angle + sense * gone
            q = path[k, at]
            q[:3] = (out_m * np.sin(angle), 0.06 + high_m, out_m * np.cos(angle))
            q[3:7] = turned(np.array([0.0, 1.0, 0.0]), angle + sense * 0.5 * np.pi)
            beat = 0.22 * np.sin(0.35 * k + number) * np.exp(-k / 300.0)
            for part in range(3):
                q[7 + 4 * part : 11 + 4 * part] = turned(np.array([0.0, 1.0, 0.0]), beat)
    return path


def play(progress: Progress) -> SceneResult:
    """Four fish swim; four legs wind around one each; no two legs wind around each other."""
    prey = fish()
    actors = [Actor("octopus", figure("octopus"))]
    actors += [Actor(f"fish{k + 1}", prey, driven=True) for k in range(len(_FISH))]
    world = SceneSetup.of(actors, floor=False)
    drive = DrivenMotion(world.layout.skeleton, _swimming(world, _STEPS))
    world.q = drive.path[0].copy()
    legs = [world.strand("octopus", f"leg{k + 1}_1", f"leg{k + 1}_tip") for k in range(LEGS)]
    bodies = [world.strand(f"fish{k + 1}", "part1", "tail") for k in range(len(_FISH))]
    catches = [
        Tangle(
            legs[leg],
            bodies[k],
            0.88,
            (0.5, 0.0),
            -0.1,
            f"leg {leg + 1} around fish {k + 1}",
            HOLD_TOLERANCE,
        )
        for k, (leg, _, _, _) in enumerate(_FISH)
    ]
    apart = [Untangled(a, b, 0.5) for a, b in itertools.combinations(legs, 2)]
    setup = world.setup(
        world.limits("octopus"), TangleOptions(near_m=0.03, writhe_stride=0.03, max_step=0.1)
    )
    key = TangleKeyframe("caught", (*catches, *apart), solve=SolveOptions(300, min_steps=_STEPS))
    progress(None, "catching fish")
    motion = world.animate(setup, [key], drive)
    q = motion.path[-1]
    claims = [held(world.layout, catch, q, HELD) for catch in catches]
    claims.append(legs_apart(world.layout, legs, q))
    return SceneResult.of(
        world.layout,
        motion,
        claims,
        [f"The fish were delayed by {drive.delayed_frames:.1f} of {_STEPS} frames."],
        seen=_caught(world, PoseView(world.layout, q)),
        view=(0.45, 0.75, 1.0),
        around=((-0.5, -0.17, -0.5), (0.5, 0.30, 0.5)),
        frames=frames_by_motion(world.layout.skeleton, [motion.path], 5),
        colours=_colours(world),
        size=(340, 300),
        ground=False,
        extra=partial(_draw_fins, world),
    )


def _colours(world: SceneSetup) -> dict[str, Colour]:
    """Orange fish; the legs that catch them are darker than the others."""
    colours: dict[str, Colour] = {"octopus": (0.80, 0.68, 0.76)}
    for k, (leg, _, _, _) in enumerate(_FISH):
        colours[f"fish{k + 1}"] = (0.90, 0.52, 0.18)
        of = f"octopus.leg{leg + 1}_"
        colours |= {n: (0.47, 0.22, 0.42) for n in world.layout.skeleton.names if n.startswith(of)}
    return colours


# fins in the frames of the fish's parts: corners of triangles in its plane of symmetry, (y, z)
_FINS = {
    "part4": ((0.0, -0.07), (0.075, -0.155), (-0.075, -0.155)),
    "part2": ((0.025, 0.02), (0.075, -0.06), (0.025, -0.085)),
}


def _draw_fins(world: SceneSetup, stage: Any, q: Floats) -> None:
    """Draw tail fins, back fins and eyes, which are no shapes of collision."""
    frames = forward(world.layout.skeleton, q)
    for k in range(len(_FISH)):
        for part, corners in _FINS.items():
            flat = np.array([(x, y, z) for x in (0.004, -0.004) for y, z in corners])
            rim = [[a, b, b + 3] for a, b in ((0, 1), (1, 2), (2, 0))]
            rim += [[a, b + 3, a + 3] for a, b in ((0, 1), (1, 2), (2, 0))]
            faces = np.array([[0, 1, 2], [3, 5, 4], *rim])
            at = np.array([frames.point(f"fish{k + 1}.{part}", corner) for corner in flat])
            stage.add_mesh(at, faces, colour=(0.78, 0.36, 0.12), smooth=False)
        for side in (0.022, -0.022):
            eye = frames.point(f"fish{k + 1}.part1", (side, 0.014, 0.008))
            stage.add_sphere(eye, 0.009, colour=(0.10, 0.09, 0.09))


def _caught(world: SceneSetup, view: PoseView) -> list[Claim]:
    """Each leg lies on its fish and goes most of the way round it."""
    claims: list[Claim] = []
    for k, (leg, _, _, _) in enumerate(_FISH):
        who = f"fish{k + 1}"
        parts = [n for n in world.layout.skeleton.names if n.startswith(f"octopus.leg{leg + 1}_")]
        body = [f"{who}.part{i + 1}" for i in range(4)]
        what = f"leg {leg + 1} on fish {k + 1}"
        claims.append(touches(view, what, parts, body, 0.01))
        claims.append(turns_around(view, what, parts, f"{who}.part1", f"{who}.part4", 0.6))
    return claims
