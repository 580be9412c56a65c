"""Both arms through the straps of a knapsack, one after the other (Eq. 10)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.collision import box, capsule
from writhe.progress import Progress
from writhe.quantities import Point
from writhe.research.experiments.topology_coordinates.checks.geometry import (
    PoseView,
    touches,
)
from writhe.research.experiments.topology_coordinates.creatures import turned
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import (
    SceneSetup,
    facing,
    human,
    place,
)
from writhe.scene import ObjectKind, SceneObject
from writhe.solvers.tangling import SolveOptions, TangleKeyframe, TangleOptions, Through
from writhe.terms import HARD, Term, reach
from writhe.topology.loop_crossing import net_crossings

_STRAP_RADIUS_M = 0.011
_SIDES = (("left", 1.0), ("right", -1.0))
_OPEN, _WORN = np.radians(60.0), np.radians(19.0)  # of a strap, from straight ahead to outwards
_HINGE_X_M, _HINGE_Y_M = 0.13, 0.20
_START = (0.0, 1.08, -0.42)


def _rim() -> Floats:
    """(7, 3) a strap in its plane (y, z): along the pack, and in a bow in front of it."""
    bow = [(0.23, 0.0), (0.28, 0.10), (0.24, 0.22), (0.05, 0.27), (-0.14, 0.22), (-0.22, 0.10)]
    return np.array([*((0.0, y, r) for y, r in bow), (0.0, -0.22, 0.0)])


def _objects() -> list[SceneObject]:
    """A pack, and two straps that turn about vertical hinges on its +Z side."""
    start = np.array(_START)
    pack = box((0.0, 0.0, -0.09), (0.26, 0.44, 0.16), 0.03)
    found = [SceneObject("pack", (pack,), ObjectKind.MOVED, position_m=start)]
    for name, side in _SIDES:
        rim = _rim()
        found.append(
            SceneObject(
                f"{name}_strap",
                tuple(capsule(a, b, _STRAP_RADIUS_M) for a, b in pairwise(rim)),
                ObjectKind.MOVED,
                position_m=start + np.array([side * _HINGE_X_M, 0.0, 0.0]),
                rotation=turned(np.array([0.0, 1.0, 0.0]), side * _OPEN),
                strands={"loop": rim},
            )
        )
    table = box((0.0, 0.42, -0.56), (0.5, 0.84, 0.3), 0.01)
    return [*found, SceneObject("table", (table,))]


def _hinges() -> list[Term]:
    """Terms that keep the straps on the pack."""
    out: list[Term] = []
    for name, side in _SIDES:
        for y in (-_HINGE_Y_M, _HINGE_Y_M):
            target = np.array([side * _HINGE_X_M, y, 0.0])
            point = Point(f"{name}_strap", (0.0, y, 0.0), "pack")
            out.append(Term(point, target, target, HARD, label=f"hinge of {name} strap"))
    return out


def _turned(angle: float, weight: float) -> tuple[Term, ...]:
    """Terms that turn both straps outwards by an angle."""
    return tuple(
        facing(
            f"{name}_strap",
            (0.0, 0.0, 1.0),
            "pack",
            (side * float(np.sin(angle)), 0.0, float(np.cos(angle))),
            weight,
        )
        for name, side in _SIDES
    )


def play(progress: Progress) -> SceneResult:
    """The left arm through the left strap, the right one through the right, then onto the back."""
    parts = ("pack", "left_strap", "right_strap")
    allowed = [("pack", strap, 0.05) for strap in parts[1:]]
    world = SceneSetup.of([human("a")], _objects(), allowed)
    world.place_standing("a", 0.0, 0.0)
    layout = world.layout
    variables = layout.variables.copy()
    for name in parts:
        variables[layout.object_v[name]] = True
    arms = {side: world.strand("a", "chest", f"{side}_hand_tip") for side, _ in _SIDES}
    loops = {side: world.object_strand(f"{side}_strap", "loop", closed=True) for side, _ in _SIDES}
    passing = {
        side: Through(
            arms[side],
            loops[side],
            forwards=side == "left",
            clearance_m=0.03,
            beyond_m=0.25,
            name=f"{side} arm through the {side} strap",
        )
        for side, _ in _SIDES
    }
    setup = world.setup(
        [*world.limits("a"), *world.planted("a"), *world.upright("a"), *_hinges()],
        TangleOptions(writhe_stride=0.03),
    )
    if setup.metric is not None:
        setup.metric[layout.object_v["pack"]] = (40.0, 40.0, 40.0, 20.0, 20.0, 20.0)
        for name in parts[1:]:
            setup.metric[layout.object_v[name]] = (2.0, 2.0, 2.0, 1.0, 1.0, 1.0)
    stands = (*_turned(_OPEN, 2.0), reach("pack", np.array(_START), weight=2.0))
    on_back = (
        place("pack", "a.chest", (0.0, 0.0, -0.125), 10.0),
        facing("pack", (0.0, 1.0, 0.0), "a.chest", (0.0, 1.0, 0.0), 4.0),
        facing("pack", (0.0, 0.0, 1.0), "a.chest", (0.0, 0.0, 1.0), 4.0),
    )
    relaxed = tuple(
        reach(f"a.{side}_wrist", (sign * 0.34, 0.86, 0.08), weight=3.0) for side, sign in _SIDES
    )
    both = (passing["left"], passing["right"])
    keys = [
        TangleKeyframe("left arm", both[:1], stands, active=variables, solve=SolveOptions(300)),
        TangleKeyframe("right arm", both, stands, active=variables, solve=SolveOptions(400)),
        TangleKeyframe(
            "onto the back",
            both,
            (*on_back, *_turned(_OPEN, 1.0)),
            active=variables,
            solve=SolveOptions(120, min_steps=80),
        ),
        TangleKeyframe(
            "worn",
            both,
            (*on_back, *_turned(_WORN, 4.0), *relaxed),
            active=variables,
            solve=SolveOptions(120, min_steps=80),
        ),
    ]
    progress(None, "putting on the knapsack")
    motion = world.animate(setup, keys)
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
    colour = (0.55, 0.62, 0.48)
    return SceneResult.of(
        layout,
        motion,
        claims,
        seen=_worn(PoseView(layout, motion.path[-1])),
        view=(-1.0, 0.25, -0.45),
        more=[(len(motion.path) - 1, (-0.5, 0.25, 1.0))],
        around=((-0.4, 0.0, -0.75), (0.4, 1.75, 0.4)),
        colours=dict.fromkeys(parts, colour),
        sides=True,
    )


def _worn(view: PoseView) -> list[Claim]:
    """The pack lies against the back, upright; both straps run over the shoulders to the front."""
    x, _, z = view.seen_from("pack", "a.chest")
    upright = float(view.frames.rotation("pack")[1, 1])
    claims = [
        touches(view, "pack against the back", ["pack"], ["a.chest", "a.spine"], 0.035),
        Claim.at_least("pack behind the chest, m", -float(z), 0.12),
        Claim.at_most("pack off the middle, m", abs(float(x)), 0.06),
        Claim.at_least("pack upright, cosine", upright, 0.85),
    ]
    for side, sign in _SIDES:
        strap = f"{side}_strap"
        bow = np.array([view.seen_from(strap, "a.chest", tuple(point)) for point in _rim()])
        shoulder = view.seen_from(f"a.{side}_shoulder", "a.chest")
        what = f"{side} strap"
        claims.append(Claim.at_least(f"{what} before the shoulder, m", bow[:, 2].max(), 0.06))
        above = float(bow[:, 1].max() - shoulder[1])
        claims.append(Claim.at_least(f"{what} above the shoulder, m", above, 0.06))
        inside = float((sign * bow[:, 0]).max())
        claims.append(Claim.at_most(f"{what} out from the middle, m", inside, 0.23))
        near = [f"a.{side}_{part}" for part in ("clavicle", "shoulder")]
        claims.append(touches(view, f"{what} on the shoulder", [strap], [*near, "a.chest"], 0.01))
    return claims
