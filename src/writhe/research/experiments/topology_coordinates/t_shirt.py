"""Putting on a T-shirt: six rings connected by cloth, and a body passing through them.

The cloth is modelled as soft distances between the ring centres. The rings are solved for together
with the body, so that the shirt follows; hem, collar, armholes and cuffs are rigid hoops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.spatial import ConvexHull

from writhe.arrays import Floats
from writhe.collision import capsule
from writhe.kernels.skeleton.rotation import quaternion_multiply
from writhe.progress import Progress
from writhe.quantities import Point, Separation
from writhe.render import PictureStage
from writhe.research.experiments.topology_coordinates.checks.geometry import PoseView
from writhe.research.experiments.topology_coordinates.creatures import turned
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import (
    SceneSetup,
    facing,
    human,
)
from writhe.scene import ObjectKind, SceneObject
from writhe.skeleton import forward
from writhe.solvers.tangling import (
    SolveOptions,
    TangleKeyframe,
    TangleMotion,
    TangleOptions,
    Through,
)
from writhe.terms import Term, reach
from writhe.topology.loop_crossing import net_crossings

_CORNERS, _HOOP_RADIUS_M = 14, 0.006
_SIDES = (("left", 1.0), ("right", -1.0))
_CLOTH = (0.55, 0.70, 0.50)


@dataclass(frozen=True)
class _Ring:
    """A ring of the spread shirt: x to the left, y from hem to collar, z towards the front."""

    name: str
    place: tuple[float, float, float]
    front: tuple[float, float, float]
    half_width_m: float
    half_depth_m: float


# height and distance in front of the body at which the shirt is held out, its hem towards it
_HELD_AT = (1.34, 0.62)
_RINGS = (
    _Ring("hem", (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.31, 0.21),
    _Ring("collar", (0.0, 0.52, 0.0), (0.0, 1.0, 0.0), 0.140, 0.150),
    _Ring("left_armhole", (0.24, 0.38, 0.0), (0.65, 0.75, 0.0), 0.105, 0.115),
    _Ring("right_armhole", (-0.24, 0.38, 0.0), (-0.65, 0.75, 0.0), 0.105, 0.115),
    _Ring("left_cuff", (0.36, 0.54, 0.0), (0.65, 0.75, 0.0), 0.085, 0.09),
    _Ring("right_cuff", (-0.36, 0.54, 0.0), (-0.65, 0.75, 0.0), 0.085, 0.09),
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
    turn = np.empty(4)
    quaternion_multiply(
        turned(np.array([1.0, 0.0, 0.0]), 0.5 * np.pi),
        turned(np.array([0.0, 0.0, 1.0]), lean),
        turn,
    )
    across, along, out = ring.place
    return SceneObject(
        ring.name,
        hoop,
        ObjectKind.MOVED,
        position_m=np.array([across, _HELD_AT[0] - out, _HELD_AT[1] + along]),
        rotation=turn,
        strands={"rim": rim},
    )


def _cloth(world: SceneSetup) -> list[Term]:
    """Soft terms for the lengths of the seams and the relative tilt of the rings."""
    centres = {ring.name: np.array(ring.place) for ring in _RINGS}
    origin = (0.0, 0.0, 0.0)
    return [
        Term(
            Separation(a, origin, b, origin),
            (0.6 if a == "collar" else 0.85) * float(np.linalg.norm(centres[a] - centres[b])),
            1.1 * float(np.linalg.norm(centres[a] - centres[b])),
            6.0,
            label=f"seam {a} {b}",
        )
        for a, b in _SEAMS
    ]


def _towards(direction: tuple[float, float, float]) -> tuple[Term, ...]:
    """Terms that turn the shirt, from hem to collar, to a direction of the world."""
    return tuple(facing(name, (0.0, 1.0, 0.0), None, direction, 1.5) for name in ("hem", "collar"))


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
    world.q = world.solve_key_pose(setup, world.q, _hands(0.20, 1.34, 0.40, 8.0), steps=200)
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
    for side, sign in _SIDES:
        for name in ("armhole", "cuff"):
            ring = f"{side}_{name}"
            worn.append(facing(ring, (0.0, 1.0, 0.0), f"a.{side}_shoulder", (sign, 0.0, 0.0), 1.0))
    ahead, above = _towards((0.0, 0.0, 1.0)), _towards((0.0, 1.0, 0.0))

    def key(
        name: str,
        goals: tuple[Through, ...],
        terms: tuple[Term, ...],
        max_steps: int,
        min_steps: int,
    ):
        return TangleKeyframe(
            name, goals, terms, active=variables, solve=SolveOptions(max_steps, min_steps=min_steps)
        )

    keys = [
        key("hands into the hem", hem, (*ahead, *_hands(0.20, 1.34, 0.55)), 200, 0),
        replace(key("arms into the sleeves", (*hem, *sleeves), ahead, 200, 0), order="given"),
        key("lifted over the head", (*hem, *sleeves), (*above, *_hands(0.38, 1.86, 0.10)), 150, 60),
        key("head through the collar", (*hem, *sleeves, *head), above, 300, 0),
        key("pulled down", (*sleeves, *head), (*worn, *above, *_hands(0.42, 1.86, 0.06)), 150, 110),
        key("worn", (*sleeves, *head), (*worn, *above, *_hands(0.40, 0.98, 0.10)), 120, 80),
    ]
    progress(None, "dressing")
    motion = world.animate(setup, keys)
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
    return SceneResult.of(
        layout,
        motion,
        claims,
        seen=_worn_seen(world, motion),
        figures={"ring_crossings": {f"{end}:{ring}": n for (end, ring), n in table.items()}},
        view=(0.9, 0.3, 1.0),
        around=((-0.55, 0.0, -0.3), (0.55, 2.1, 1.35)),
        sides=True,
        colours={ring.name: (0.36, 0.52, 0.33) for ring in _RINGS},
        size=(300, 400),
        extra=partial(_draw_cloth, world),
    )


def _hands(
    apart_m: float, height_m: float, ahead_m: float, weight: float = 4.0
) -> tuple[Term, ...]:
    """Terms that put the wrists at both sides of the middle."""
    return tuple(
        reach(f"a.{side}_wrist", (sign * apart_m, height_m, ahead_m), weight=weight)
        for side, sign in _SIDES
    )


def _worn_seen(world: SceneSetup, motion: TangleMotion) -> list[Claim]:
    """The shirt starts at the hands, keeps its sleeves, and ends where a shirt is worn."""
    first, last = (PoseView(world.layout, motion.path[k]) for k in (0, -1))
    claims = [
        # of the hem's middle: within the length of a hand of its rim, where it is held out
        Claim.at_most(f"at first: {side} hand from the hem, m", first.apart("hem", wrist), 0.3)
        for side, wrist in (("left", "a.left_wrist"), ("right", "a.right_wrist"))
    ]
    centres = {ring.name: np.array(ring.place) for ring in _RINGS}
    longest = 0.0
    for a, b in _SEAMS:
        rest = float(np.linalg.norm(centres[a] - centres[b]))
        frames = forward(world.layout.skeleton, motion.path)
        apart = np.linalg.norm(frames.position(a) - frames.position(b), axis=1)
        longest = max(longest, float(apart.max()) / rest)
    claims.append(Claim.at_most("longest stretch of a seam, of its length", longest, 1.3))
    for ring, (joint, _) in _WORN.items():
        place = np.array(_WORN[ring][1])
        off = float(np.linalg.norm(last.seen_from(ring, f"a.{joint}") - place))
        claims.append(Claim.at_most(f"{ring.replace('_', ' ')} off its place, m", off, 0.07))
    for side, _ in _SIDES:
        elbow = last.seen_from(f"a.{side}_elbow", f"{side}_cuff")
        claims.append(Claim.at_least(f"{side} elbow beyond the cuff, m", float(elbow[1]), 0.03))
    return claims


def _draw_cloth(world: SceneSetup, drawing: PictureStage, q: Floats) -> None:
    """Draw the cloth between the rings as translucent surfaces; it is not simulated.

    The trunk is the convex hull of hem, collar and armholes without the discs inside the rings.
    """
    frames = forward(world.layout.skeleton, q)
    rims = {
        ring.name: world.layout.scene.object(ring.name).strands["rim"]
        @ frames.rotation(ring.name).T
        + frames.position(ring.name)
        for ring in _RINGS
    }
    trunk = ("hem", "collar", "left_armhole", "right_armhole")
    points = np.concatenate([rims[name] for name in trunk])
    of_ring = np.arange(len(points)) // _CORNERS
    faces = ConvexHull(points).simplices.astype(np.int64)
    open_faces = (of_ring[faces] == of_ring[faces][:, :1]).all(axis=1)
    drawing.add_mesh(points, faces[~open_faces], colour=_CLOTH, opacity=0.4)
    k = np.arange(_CORNERS)
    after = (k + 1) % _CORNERS
    tube = np.concatenate(
        [
            np.column_stack([k, after, k + _CORNERS]),
            np.column_stack([after, after + _CORNERS, k + _CORNERS]),
        ]
    )
    for side, _ in _SIDES:
        ends = np.concatenate([rims[f"{side}_armhole"], rims[f"{side}_cuff"]])
        drawing.add_mesh(ends, tube, colour=_CLOTH, opacity=0.4)


def _wanted(end: str, ring: str) -> int:
    """Required signed crossings: all pass the hem, each arm its sleeve, the head the collar."""
    side = end.partition("_")[0]
    own = ring.startswith(f"{side}_") or (end == "head_top" and ring == "collar")
    return 1 if ring == "hem" or own else 0
