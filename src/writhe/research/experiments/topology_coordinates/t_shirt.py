"""Putting on a T-shirt: six rings connected by cloth, and a body passing through them.

The cloth is modelled as soft distances between the ring centres. The rings are solved for together
with the body, so that the shirt follows; hem, collar, armholes and cuffs are rigid hoops.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from writhe.arrays import Floats
from writhe.collision import capsule
from writhe.progress import Progress
from writhe.quantities import Direction, Point, Separation
from writhe.render import PictureStage
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import SceneSetup, human
from writhe.scene import ObjectKind, SceneObject
from writhe.skeleton import forward
from writhe.solvers.tangling import SolveOptions, TangleKeyframe, TangleOptions, Through, animate
from writhe.terms import Term, reach
from writhe.topology.loop_crossing import net_crossings

_CORNERS, _HOOP_RADIUS_M = 14, 0.006


@dataclass(frozen=True)
class _Ring:
    """Start position, radius and facing of a ring."""

    name: str
    place: tuple[float, float, float]
    front: tuple[float, float, float]
    half_width_m: float
    half_depth_m: float


_RINGS = (
    _Ring("hem", (0.0, 1.98, 0.06), (0.0, 1.0, 0.0), 0.31, 0.21),
    _Ring("collar", (0.0, 2.50, 0.06), (0.0, 1.0, 0.0), 0.140, 0.150),
    _Ring("left_armhole", (0.24, 2.36, 0.06), (0.65, 0.75, 0.0), 0.105, 0.115),
    _Ring("right_armhole", (-0.24, 2.36, 0.06), (-0.65, 0.75, 0.0), 0.105, 0.115),
    _Ring("left_cuff", (0.36, 2.52, 0.06), (0.65, 0.75, 0.0), 0.085, 0.09),
    _Ring("right_cuff", (-0.36, 2.52, 0.06), (-0.65, 0.75, 0.0), 0.085, 0.09),
)
_SEAMS = (
    ("hem", "collar"),
    ("hem", "left_armhole"),
    ("hem", "right_armhole"),
    ("collar", "left_armhole"),
    ("collar", "right_armhole"),
    ("left_armhole", "left_cuff"),
    ("right_armhole", "right_cuff"),
    ("left_armhole", "right_armhole"),
)
# where the rings are worn: joint, position in its frame
_WORN = {
    "hem": ("hips", (0.0, 0.03, 0.0)),
    "collar": ("neck", (0.0, 0.02, 0.01)),
    "left_armhole": ("left_clavicle", (0.155, 0.02, -0.015)),
    "right_armhole": ("right_clavicle", (-0.155, 0.02, -0.015)),
    "left_cuff": ("left_shoulder", (0.17, 0.0, 0.0)),
    "right_cuff": ("right_shoulder", (-0.17, 0.0, 0.0)),
}


def _object(ring: _Ring) -> SceneObject:
    """A hoop that faces its own +Y."""
    angles = 2 * np.pi * np.arange(_CORNERS) / _CORNERS
    # counter-clockwise seen from +Y: from Z to X
    rim = np.column_stack(
        [
            ring.half_width_m * np.sin(angles),
            np.zeros(_CORNERS),
            ring.half_depth_m * np.cos(angles),
        ]
    )
    hoop = tuple(
        capsule(a, b, _HOOP_RADIUS_M) for a, b in zip(rim, np.roll(rim, -1, axis=0), strict=True)
    )
    x, y, _ = np.array(ring.front) / np.linalg.norm(ring.front)
    lean = float(np.arctan2(-x, y))  # about Z, from +Y
    turn = np.array([np.cos(lean / 2), 0.0, 0.0, np.sin(lean / 2)])
    return SceneObject(
        ring.name,
        hoop,
        ObjectKind.MOVED,
        position_m=np.array(ring.place),
        rotation=turn,
        strands={"rim": rim},
    )


def _cloth(world: SceneSetup) -> list[Term]:
    """Soft terms for the lengths of the seams and the relative tilt of the rings."""
    centres = {ring.name: np.array(ring.place) for ring in _RINGS}
    origin = (0.0, 0.0, 0.0)
    terms = [
        Term(
            Separation(a, origin, b, origin),
            (0.6 if a == "collar" else 0.85) * float(np.linalg.norm(centres[a] - centres[b])),
            1.1 * float(np.linalg.norm(centres[a] - centres[b])),
            6.0,
            label=f"seam {a} {b}",
        )
        for a, b in _SEAMS
    ]
    up = np.array([0.0, 1.0, 0.0])
    terms += [
        Term(Direction(name, (0.0, 1.0, 0.0)), up, up, 1.5, label=f"{name} level")
        for name in ("hem", "collar")
    ]
    return terms


def play(progress: Progress) -> SceneResult:
    """Hands up through the hem, arms into the sleeves, the head through the collar, hem down."""
    world = SceneSetup.of([human("a")], [_object(ring) for ring in _RINGS])
    world.place_standing("a", 0.0, 0.0)
    layout = world.layout
    variables = layout.variables.copy()
    for ring in _RINGS:
        variables[layout.object_v[ring.name]] = True
    paths = {
        end: world.strand("a", "hips", end)
        for end in ("left_hand_tip", "right_hand_tip", "head_top")
    }
    loops = {ring.name: world.object_strand(ring.name, "rim", closed=True) for ring in _RINGS}

    def through(end: str, ring: str, beyond_m: float = 0.04) -> Through:
        words = f"{end} through {ring}".replace("_", " ")
        return Through(paths[end], loops[ring], True, 0.02, beyond_m, words)

    setup = world.setup(
        [*world.limits("a"), *world.planted("a"), *world.upright("a"), *_cloth(world)],
        TangleOptions(writhe_stride=0.04, near_m=0.05),
    )
    metric = setup.metric
    if metric is not None:
        for ring in _RINGS:
            metric[layout.object_v[ring.name]] = (6.0, 6.0, 6.0, 0.5, 0.5, 0.5)
    raised = [
        reach(f"a.{side}_wrist", (sign * 0.16, 1.74, 0.12), weight=8.0)
        for side, sign in (("left", 1.0), ("right", -1.0))
    ]
    world.q = world.settle(setup, world.q, raised, steps=200)
    hem = (through("left_hand_tip", "hem", 0.15), through("right_hand_tip", "hem", 0.15))
    sleeves = tuple(
        through(f"{side}_hand_tip", f"{side}_{ring}", beyond)
        for ring, beyond in (("armhole", 0.20), ("cuff", 0.12))
        for side in ("left", "right")
    )
    head = (through("head_top", "hem", 0.1), through("head_top", "collar", 0.05))
    worn: list[Term] = []
    for name, (joint, place) in _WORN.items():
        target = np.array(place)
        quantity = Point(name, seen_from=f"a.{joint}")
        weight = 6.0 if name == "collar" else 3.0
        worn.append(Term(quantity, target, target, weight, label=f"{name} worn"))
    raised_wide = tuple(
        reach(f"a.{side}_wrist", (sign * 0.42, 1.88, 0.06), weight=4.0)
        for side, sign in (("left", 1.0), ("right", -1.0))
    )
    lowered = tuple(
        reach(f"a.{side}_wrist", (sign * 0.46, 1.06, 0.10), weight=4.0)
        for side, sign in (("left", 1.0), ("right", -1.0))
    )
    keys = [
        TangleKeyframe("hands into the hem", hem, active=variables, solve=SolveOptions(200)),
        TangleKeyframe(
            "arms into the sleeves",
            (*hem, *sleeves),
            active=variables,
            order="given",
            solve=SolveOptions(200),
        ),
        TangleKeyframe(
            "head through the collar",
            (*hem, *sleeves, *head),
            active=variables,
            solve=SolveOptions(300),
        ),
        TangleKeyframe(
            "pulled down",
            (*sleeves, *head),
            (*worn, *raised_wide),
            active=variables,
            solve=SolveOptions(150, least_steps=110),
        ),
        TangleKeyframe(
            "worn",
            (*sleeves, *head),
            (*worn, *lowered),
            active=variables,
            solve=SolveOptions(120, least_steps=80),
        ),
    ]
    progress(None, "dressing")
    motion = animate(setup, world.q, keys, progress=progress)
    stepper = setup.stepper(())
    stepper.update(motion.path[-1])
    table = {
        (end, ring): net_crossings(stepper.vertices(path), stepper.vertices(loop))
        for end, path in paths.items()
        for ring, loop in loops.items()
    }
    claims = [
        Claim.equal(f"hips to {end} through {ring}".replace("_", " "), value, _wanted(end, ring))
        for (end, ring), value in table.items()
    ]
    claims.append(
        Claim.at_most("hem's height above the hips, m", _hem_height(world, motion.path[-1]), 0.15)
    )
    return SceneResult.of(
        layout,
        motion,
        claims,
        figures={"ring_crossings": {f"{end}:{ring}": n for (end, ring), n in table.items()}},
        view=(0.45, 0.25, 1.0),
        around=((-0.65, 0.0, -0.3), (0.65, 2.65, 0.4)),
        colours={ring.name: (0.75, 0.33, 0.30) for ring in _RINGS},
        size=(260, 440),
        extra=partial(_draw_cloth, world),
    )


def _draw_cloth(world: SceneSetup, drawing: PictureStage, q: Floats) -> None:
    """Draw the cloth between the rings as translucent surfaces; it is not simulated."""
    frames = forward(world.layout.skeleton, q)
    rims = {
        ring.name: world.layout.scene.object(ring.name).strands["rim"]
        @ frames.rotation(ring.name).T
        + frames.position(ring.name)
        for ring in _RINGS
    }
    for a, b in (
        ("hem", "collar"),
        ("left_armhole", "left_cuff"),
        ("right_armhole", "right_cuff"),
    ):
        k = np.arange(_CORNERS)
        after = (k + 1) % _CORNERS
        triangles = np.concatenate(
            [
                np.column_stack([k, after, k + _CORNERS]),
                np.column_stack([after, after + _CORNERS, k + _CORNERS]),
            ]
        )
        points = np.concatenate([rims[a], rims[b]])
        drawing.add_mesh(points, triangles, colour=(0.85, 0.55, 0.50), opacity=0.35)


def _wanted(end: str, ring: str) -> int:
    """Required signed crossings: all pass the hem, each arm its sleeve, the head the collar."""
    side = end.partition("_")[0]
    own = ring.startswith(f"{side}_") or (end == "head_top" and ring == "collar")
    return 1 if ring == "hem" or own else 0


def _hem_height(world: SceneSetup, q: Floats) -> float:
    frames = forward(world.layout.skeleton, q)
    return float(frames.position("hem")[1] - frames.position("a.hips")[1])
