"""Holding a chair of eighteen pipes in six different ways, and carrying it by the last."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.collision import box, capsule
from writhe.progress import Progress
from writhe.quantities import JointPosture
from writhe.quantities.quantity import vector
from writhe.research.experiments.topology_coordinates.chair_hooks import (
    PIPE_RADIUS_M,
    Hook,
    pipes,
)
from writhe.research.experiments.topology_coordinates.checks.geometry import PoseView
from writhe.research.experiments.topology_coordinates.checks.holds import held_at_keys
from writhe.research.experiments.topology_coordinates.joint_keyframes import (
    interpolation_certified,
)
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import (
    SceneSetup,
    facing,
    human,
    place,
)
from writhe.scene import ObjectKind, SceneObject
from writhe.skeleton import forward
from writhe.solvers.tangling import (
    SolveOptions,
    Tangle,
    TangleKeyframe,
    TangleMotion,
    TangleOptions,
)
from writhe.terms import Term, reach

# arm, pipe, how the forearm passes it, and where along it (m, in the chair), by key
_HOLDS = (
    (
        "the uprights of the back",
        (("left", "left_upright", "outside", 0.72), ("right", "right_upright", "outside", 0.72)),
    ),
    ("the top rail", (("left", "top_rail", "over", 0.13), ("right", "top_rail", "under", -0.15))),
    (
        "left upright and middle rail",
        (("left", "left_upright", "outside", 0.72), ("right", "middle_rail", "over", -0.12)),
    ),
    (
        "middle rail and right upright",
        (("left", "middle_rail", "over", 0.12), ("right", "right_upright", "outside", 0.72)),
    ),
    (
        "the middle rail",
        (("left", "middle_rail", "over", 0.13), ("right", "middle_rail", "over", -0.13)),
    ),
    # what it is carried by
    (
        "the top rail, from below",
        (("left", "top_rail", "under", 0.15), ("right", "top_rail", "under", -0.15)),
    ),
)
HELD = 0.3  # the least writhe that counts as held
_LIFT_M, _CARRY_M = 0.20, 0.34
_PIECES = 4  # of a pipe, so that it is known where along it an arm is hooked
_WRIST_WEIGHT = 3.0
_SETTLE_STEPS = 30  # for which the terms of a key act, even if its tangles are met before


def play(progress: Progress, moved_m: tuple[float, float] = (0.0, 0.0)) -> SceneResult:
    """From behind the chair: six holds of two arms each, then lifted by the top rail, carried.

    `moved_m` is how far from the usual place (x, z) the person starts.
    """
    strands = pipes()
    shapes = tuple(capsule(p[0], p[1], PIPE_RADIUS_M) for p in strands.values())
    stand = np.array([0.0, 0.30, 0.52])
    step = SceneObject("step", (box((0.0, 0.149, 0.55), (0.7, 0.298, 0.6), 0.01),))
    chair = SceneObject("chair", shapes, ObjectKind.MOVED, position_m=stand, strands=strands)
    world = SceneSetup.of([human("a")], [chair, step])
    world.place_standing("a", moved_m[0], moved_m[1] - 0.05)
    layout = world.layout
    arms = {
        side: world.strand("a", f"{side}_shoulder", f"{side}_hand_tip")
        for side in ("left", "right")
    }
    setup = world.setup(
        [*world.limits("a"), *world.upright("a", 0.1, steps=True), *_straight_wrists(world)],
        TangleOptions(writhe_stride=0.03),
    )
    if setup.metric is not None:
        setup.metric[layout.object_v["chair"]] = (30.0, 30.0, 30.0, 15.0, 15.0, 15.0)
    rails = {
        name: world.object_strand("chair", name).subdivided(layout.skeleton, _PIECES)
        for name in strands
    }
    planted = (*world.planted("a"), *world.upright("a", 0.4))
    keys: list[TangleKeyframe] = []
    before: tuple[Hook, ...] = ()
    for name, given in _HOLDS:
        hooks = tuple(Hook(*hook) for hook in given)
        released = tuple(
            Tangle(
                arms[hook.side],
                rails[hook.pipe],
                0.0,
                name=f"{hook.side} arm off the {hook.pipe}".replace("_", " "),
                tolerance=(0.08, 1.0, 1.0, 1.0),
            )
            for hook in before
        )
        if released:
            back = (*planted, *_hands_back())
            keys.append(
                TangleKeyframe(
                    f"off for {name}", released, back, solve=SolveOptions(120, _SETTLE_STEPS)
                )
            )
        ready = (*planted, *(hook.approach() for hook in hooks))
        keys.append(
            TangleKeyframe(f"ready for {name}", (), ready, solve=SolveOptions(60, _SETTLE_STEPS))
        )
        last = name == _HOLDS[-1][0]
        goals = tuple(
            hook.tangle(arms[hook.side], rails[hook.pipe], centred=last) for hook in hooks
        )
        terms = (*planted, *(term for hook in hooks for term in hook.places()))
        keys.append(
            TangleKeyframe(name, goals, terms, solve=SolveOptions(250, min_steps=_SETTLE_STEPS))
        )
        before = hooks
    carried = layout.variables.copy()
    carried[layout.object_v["chair"]] = True
    on_forearms = tuple(term for hook in before for term in hook.places())
    for name, shift, feet in _carry(world):
        terms = (*feet, *_lifted(stand + shift), *on_forearms)
        keys.append(
            TangleKeyframe(
                name, keys[-1].goals, terms, active=carried, solve=SolveOptions(90, min_steps=25)
            )
        )
    progress(None, "holding the chair")
    motion = world.animate(setup, keys)
    claims = held_at_keys(layout, keys, motion, lambda _: HELD)
    at = dict(zip(motion.keys, motion.key_frames, strict=True))
    postures = [0, *(at[_HOLDS[k][0]] for k in (0, 1, 2, 3, 5))]
    collide = sum(
        not interpolation_certified(layout.table, motion.path[a], motion.path[b])
        for a, b in pairwise(postures)
    )
    return SceneResult.of(
        layout,
        motion,
        claims,
        seen=_seen(world, motion, stand),
        contrast=[Claim.equal("joint-angle interpolations of the holds that collide", collide, 5)],
        view=(-0.9, 0.35, 0.75),
        postures=postures,
        frames=[*postures, at["lifted"], at["carried"]],
        sides=True,
        columns=4,
        size=(320, 360),
        colours={"chair": (0.45, 0.40, 0.36)},
    )


def _hands_back() -> tuple[Term, ...]:
    """Terms that bring both hands back before the waist, from where every hold starts."""
    return tuple(
        place(f"a.{side}_wrist", "a.chest", (sign * 0.24, -0.16, 0.14), 3.0)
        for side, sign in (("left", 1.0), ("right", -1.0))
    )


def _straight_wrists(world: SceneSetup) -> list[Term]:
    """Soft terms that keep hands in line with their forearms, so that they do not fold."""
    out: list[Term] = []
    for side in ("left", "right"):
        joint = f"a.{side}_wrist"
        numbers = vector(world.q[world.layout.skeleton.q_slice(joint)])
        quantity = JointPosture(joint, numbers)
        out.append(Term(quantity, 0.0, 0.0, _WRIST_WEIGHT, label=f"straight {joint}"))
    return out


def _lifted(position: Floats) -> list[Term]:
    """Terms that put the upright chair at a position."""
    return [
        reach("chair", position, weight=10.0),
        facing("chair", (0.0, 1.0, 0.0), None, (0.0, 1.0, 0.0), 4.0),
        facing("chair", (0.0, 0.0, 1.0), None, (0.0, 0.0, 1.0), 4.0),
    ]


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
        for side, pipe, *_ in holds:
            arm = [f"a.{side}_{part}" for part in ("shoulder", "elbow", "wrist")]
            gap = view.segment_clearance(arm, "chair", pipes()[pipe], PIPE_RADIUS_M)
            claims.append(Claim.at_most(f"{name}: {side} arm to its pipe, m", gap, 0.03))
    view = PoseView(world.layout, motion.path[-1])
    where = view.frames.position("chair")
    claims.append(Claim.at_least("chair lifted, m", float(where[1] - stand[1]), 0.15))
    claims.append(Claim.at_least("chair carried, m", float(stand[2] - where[2]), 0.25))
    claims.append(Claim.at_least("chair upright", float(view.frames.rotation("chair")[1, 1]), 0.95))
    rail = pipes()["top_rail"]
    for side in ("left", "right"):
        forearm = [f"a.{side}_elbow", f"a.{side}_wrist"]
        gap, below = view.support(forearm, "chair", rail, PIPE_RADIUS_M)
        claims.append(Claim.at_most(f"rail on the {side} forearm: distance, m", gap, 0.015))
        claims.append(Claim.at_least(f"rail on the {side} forearm: from below", below, 0.5))
    return claims
