"""Holding a chair of eighteen pipes in six different ways, and carrying it by the last."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import box, capsule
from writhe.hands.holds import hold_terms
from writhe.progress import Progress
from writhe.research.experiments.topology_coordinates.geometry_checks import PoseView
from writhe.research.experiments.topology_coordinates.hold_checks import held_at_keys
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import (
    SceneSetup,
    facing,
    human,
    place,
)
from writhe.scene import ObjectKind, SceneObject
from writhe.skeleton import forward
from writhe.solvers.posing import Hold
from writhe.solvers.tangling import (
    SolveOptions,
    Tangle,
    TangleKeyframe,
    TangleMotion,
    TangleOptions,
)
from writhe.terms import Term, reach

_PIPE_RADIUS_M = 0.014
_W, _D, _SEAT, _TOP = 0.23, 0.22, 0.45, 0.95
# arm, pipe it is hooked around, and writhe, by key
_HOLDS = (
    ("the uprights of the back", (("left", "left_upright", 1.0), ("right", "right_upright", -1.0))),
    ("the top rail", (("left", "top_rail", 1.0), ("right", "top_rail", -1.0))),
    (
        "left upright and middle rail",
        (("left", "left_upright", 1.0), ("right", "middle_rail", -1.0)),
    ),
    (
        "middle rail and right upright",
        (("left", "middle_rail", 1.0), ("right", "right_upright", -1.0)),
    ),
    (
        "the uprights, from inside",
        (("left", "left_upright", -1.0), ("right", "right_upright", 1.0)),
    ),
    # under the rail and up in front of it: what it is carried by
    ("the top rail, from below", (("left", "top_rail", -1.0), ("right", "top_rail", -1.0))),
)
HELD = 0.3
_LIFT_M, _CARRY_M = 0.20, 0.34


def pipes() -> dict[str, Floats]:
    """The eighteen pipes by name; a person sitting on the chair faces +Z."""
    w, d, seat, top = _W, _D, _SEAT, _TOP
    low, foot = 0.16, _PIPE_RADIUS_M
    lines = {
        "left_front_leg": [(w, foot, d), (w, seat, d)],
        "right_front_leg": [(-w, foot, d), (-w, seat, d)],
        "left_back_leg": [(w, foot, -d), (w, seat, -d)],
        "right_back_leg": [(-w, foot, -d), (-w, seat, -d)],
        "left_stretcher": [(w, low, -d), (w, low, d)],
        "right_stretcher": [(-w, low, -d), (-w, low, d)],
        "front_stretcher": [(-w, low, d), (w, low, d)],
        "back_stretcher": [(-w, low, -d), (w, low, -d)],
        "left_seat_edge": [(w, seat, -d), (w, seat, d)],
        "right_seat_edge": [(-w, seat, -d), (-w, seat, d)],
        "front_seat_edge": [(-w, seat, d), (w, seat, d)],
        "back_seat_edge": [(-w, seat, -d), (w, seat, -d)],
        "seat_slat_1": [(-w, seat, -d / 3), (w, seat, -d / 3)],
        "seat_slat_2": [(-w, seat, d / 3), (w, seat, d / 3)],
        "left_upright": [(w, seat, -d), (w, top, -d)],
        "right_upright": [(-w, seat, -d), (-w, top, -d)],
        "top_rail": [(-w, top, -d), (w, top, -d)],
        "middle_rail": [(-w, 0.68, -d), (w, 0.68, -d)],
    }
    return {name: np.array(points) for name, points in lines.items()}


def play(progress: Progress) -> SceneResult:
    """From behind the chair: six holds of two arms each, then lifted by the top rail, carried."""
    strands = pipes()
    shapes = tuple(capsule(p[0], p[1], _PIPE_RADIUS_M) for p in strands.values())
    stand = np.array([0.0, 0.30, 0.52])
    step = SceneObject("step", (box((0.0, 0.149, 0.55), (0.7, 0.298, 0.6), 0.01),))
    chair = SceneObject("chair", shapes, ObjectKind.MOVED, position_m=stand, strands=strands)
    world = SceneSetup.of([human("a")], [chair, step])
    world.place_standing("a", 0.0, -0.10)
    layout = world.layout
    arms = {
        side: world.strand("a", f"{side}_shoulder", f"{side}_hand_tip")
        for side in ("left", "right")
    }
    setup = world.setup(
        [*world.limits("a"), *world.upright("a", 0.1, steps=True)],
        TangleOptions(writhe_stride=0.03),
    )
    if setup.metric is not None:
        setup.metric[layout.object_v["chair"]] = (30.0, 30.0, 30.0, 15.0, 15.0, 15.0)
    rails = {name: world.object_strand("chair", name) for name in strands}
    planted = (*world.planted("a"), *world.upright("a", 0.4))
    on_forearms = _hooked_arms()
    keys: list[TangleKeyframe] = []
    before: dict[str, str] = {}
    for name, holds in _HOLDS:
        release = tuple(
            Tangle(
                arms[side],
                rails[before[side]],
                0.0,
                name=f"{side} arm off the {before[side]}".replace("_", " "),
                tolerance=(0.08, 1.0, 1.0, 1.0),
            )
            for side, _, _ in holds
            if side in before
        )
        if release:
            keys.append(
                TangleKeyframe(f"off for {name}", release, planted, solve=SolveOptions(120))
            )
        required = tuple(
            Tangle(
                arms[side],
                rails[pipe],
                sign * 0.36,
                name=f"{side} arm around the {pipe}".replace("_", " "),
                tolerance=(0.03, 1.0, 1.0, 1.0),
            )
            for side, pipe, sign in holds
        )
        last = name == _HOLDS[-1][0]
        terms = (*planted, *on_forearms) if last else planted
        solving = SolveOptions(250, min_steps=40 if last else 0)
        keys.append(TangleKeyframe(name, required, terms, solve=solving))
        before = {side: pipe for side, pipe, _ in holds}
    carried = layout.variables.copy()
    carried[layout.object_v["chair"]] = True
    hooked = keys[-1].goals
    for name, shift, feet in _carry(world):
        terms = (*feet, *_lifted(stand + shift), *on_forearms)
        keys.append(
            TangleKeyframe(
                name, hooked, terms, active=carried, solve=SolveOptions(90, min_steps=25)
            )
        )
    progress(None, "holding the chair")
    motion = world.animate(setup, keys)
    claims = held_at_keys(layout, keys, motion, lambda _: HELD)
    at = dict(zip(motion.keys, motion.key_frames, strict=True))
    return SceneResult.of(
        layout,
        motion,
        claims,
        seen=_seen(world, motion, stand),
        view=(-0.9, 0.35, 0.75),
        around=((-0.45, 0.0, -0.75), (0.45, 1.75, 0.85)),
        frames=[0, *(at[_HOLDS[k][0]] for k in (0, 1, 3, 5)), at["lifted"], at["carried"]],
        colours={"chair": (0.45, 0.40, 0.36)},
    )


def _lifted(position: Floats) -> list[Term]:
    """Terms that put the upright chair at a position."""
    return [
        reach("chair", position, weight=10.0),
        facing("chair", (0.0, 1.0, 0.0), None, (0.0, 1.0, 0.0), 4.0),
        facing("chair", (0.0, 0.0, 1.0), None, (0.0, 0.0, 1.0), 4.0),
    ]


def _hooked_arms() -> tuple[Term, ...]:
    """Terms that lay the top rail on the forearms: elbows below and behind it, hands before it."""
    out: list[Term] = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        out.append(place(f"a.{side}_elbow", "chair", (sign * 0.19, _TOP - 0.11, -_D - 0.10), 8.0))
        hand = Hold(f"{side}_wrist", "chair", (sign * 0.12, _TOP + 0.10, -_D + 0.08))
        out += hold_terms("a", hand, weight=12.0)
    return tuple(out)


def _carry(world: SceneSetup) -> list[tuple[str, Floats, list[Term]]]:
    """By key: its name, how far the chair is moved, and the terms of the feet."""
    up, back = np.array([0.0, _LIFT_M, 0.0]), np.array([0.0, 0.0, -_CARRY_M])
    hips = forward(world.layout.skeleton, world.q).position("a.hips")
    keys = [("lifted", up, [*world.planted("a"), *world.upright("a", 0.4)])]
    steps = world.steps("a", ("left", "right"), back)
    for number, feet in enumerate(steps):
        name = "carried" if number == len(steps) - 1 else f"step {number + 1}"
        share = (number + 1) / len(steps)
        over = reach("a.hips", hips + share * back, weight=8.0)
        keys.append((name, up + share * back, [*feet, over]))
    return keys


def _seen(world: SceneSetup, motion: TangleMotion, stand: Floats) -> list[Claim]:
    """Each arm touches the pipe it holds; the chair ends in the air, upright, on the forearms."""
    at = dict(zip(motion.keys, motion.key_frames, strict=True))
    claims: list[Claim] = []
    for name, holds in _HOLDS:
        view = PoseView(world.layout, motion.path[at[name]])
        for side, pipe, _ in holds:
            arm = [f"a.{side}_{part}" for part in ("shoulder", "elbow", "wrist")]
            gap = view.segment_clearance(arm, "chair", pipes()[pipe], _PIPE_RADIUS_M)
            claims.append(Claim.at_most(f"{name}: {side} arm to its pipe, m", gap, 0.03))
    view = PoseView(world.layout, motion.path[-1])
    where = view.frames.position("chair")
    claims.append(Claim.at_least("chair lifted, m", float(where[1] - stand[1]), 0.15))
    claims.append(Claim.at_least("chair carried, m", float(stand[2] - where[2]), 0.25))
    claims.append(Claim.at_least("chair upright", float(view.frames.rotation("chair")[1, 1]), 0.95))
    rail = pipes()["top_rail"]
    for side in ("left", "right"):
        forearm = [f"a.{side}_elbow", f"a.{side}_wrist"]
        gap, below = view.support(forearm, "chair", rail, _PIPE_RADIUS_M)
        claims.append(Claim.at_most(f"rail on the {side} forearm: distance, m", gap, 0.015))
        claims.append(Claim.at_least(f"rail on the {side} forearm: from below", below, 0.5))
    return claims
