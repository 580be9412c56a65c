"""Holding a chair of eighteen pipes in five different ways."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import box, capsule
from writhe.progress import Progress
from writhe.research.experiments.topology_coordinates.hold_checks import (
    held_at_keys,
    holding_frames,
)
from writhe.research.experiments.topology_coordinates.scene_result import SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import SceneSetup, human
from writhe.scene import SceneObject
from writhe.solvers.tangling import SolveOptions, Tangle, TangleKeyframe, TangleOptions, animate

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
)
HELD = 0.3


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
    """From behind the chair: five holds, each by two arms around two pipes, one after another."""
    strands = pipes()
    shapes = tuple(capsule(p[0], p[1], _PIPE_RADIUS_M) for p in strands.values())
    position = np.array([0.0, 0.30, 0.52])
    step = SceneObject("step", (box((0.0, 0.149, 0.55), (0.7, 0.298, 0.6), 0.01),))
    chair = SceneObject("chair", shapes, position_m=position, strands=strands)
    world = SceneSetup.of([human("a")], [chair, step])
    world.place_standing("a", 0.0, -0.10)
    arms = {
        side: world.strand("a", f"{side}_shoulder", f"{side}_hand_tip")
        for side in ("left", "right")
    }
    setup = world.setup(
        [*world.limits("a"), *world.planted("a"), *world.upright("a", 0.4)],
        TangleOptions(writhe_stride=0.03),
    )
    rails = {name: world.object_strand("chair", name) for name in strands}
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
            keys.append(TangleKeyframe(f"off for {name}", release, solve=SolveOptions(120)))
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
        keys.append(TangleKeyframe(name, required, solve=SolveOptions(250)))
        before = {side: pipe for side, pipe, _ in holds}
    progress(None, "holding the chair")
    motion = animate(setup, world.q, keys)
    claims = held_at_keys(world.layout, keys, motion, lambda _: HELD)
    return SceneResult.of(
        world.layout,
        motion,
        claims,
        view=(0.8, 0.5, 0.9),
        around=((-0.55, 0.0, -0.4), (0.55, 1.85, 0.8)),
        frames=holding_frames(keys, motion),
        colours={"chair": (0.45, 0.40, 0.36)},
    )
