"""Self-tangled stretching: arms wound around each other, arms around a leg, arms the other way.

No two of the three key postures can be joined by joint-angle interpolation.
"""

from __future__ import annotations

import numpy as np

from writhe.collision import certify
from writhe.hands.holds import hold_terms
from writhe.progress import Progress
from writhe.quantities import Linking, Point
from writhe.research.experiments.topology_coordinates.checks.geometry import PoseView, touches
from writhe.research.experiments.topology_coordinates.scene_result import FPS, Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import (
    SceneSetup,
    facing,
    human,
    place,
)
from writhe.skeleton.kinematics import interpolate
from writhe.solvers.posing import Hold
from writhe.solvers.tangling import SolveOptions, Tangle, TangleKeyframe, TangleOptions
from writhe.terms import Term, reach
from writhe.topology import Strand

_WOUND, _HUGGED = 0.62, 0.50
_TOLERANCE = (0.01, 0.1, 0.1, 0.2)  # of writhe, centre and density


def play(progress: Progress) -> SceneResult:
    """Eagle arms; the left arm around the raised right shin; eagle arms the other way."""
    world = SceneSetup.of([human("a")])
    world.place_standing("a", 0.0, 0.0)
    left = world.strand("a", "left_shoulder", "left_hand_tip")
    right = world.strand("a", "right_shoulder", "right_hand_tip")
    arms = world.strand("a", "left_hand_tip", "right_hand_tip")
    leg = world.strand("a", "right_hip", "right_toe_tip")
    setup = world.setup(
        [
            *world.limits("a"),
            *world.planted("a", joints=("left_ankle", "left_toe")),
            *world.upright("a", 0.4),
        ],
        TangleOptions(writhe_stride=0.03),
    )
    planted = tuple(world.planted("a", joints=("right_ankle", "right_toe")))
    elbows = tuple(
        Term(
            Point(f"a.{side}_elbow", seen_from="a.chest"),
            np.array([sign * 0.10, 0.12, 0.30]),
            np.array([sign * 0.10, 0.12, 0.30]),
            2.0,
            label=f"{side} elbow in front",
        )
        for side, sign in (("left", 1.0), ("right", -1.0))
    )
    # the trunk bends over the knee, so that the arms reach around the shin with bent elbows
    lifted = (
        reach("a.right_knee", (0.08, 1.218, 0.26), weight=6.0),
        reach("a.right_ankle", (0.06, 0.757, 0.20), weight=3.0),
        facing("a.chest", (0.0, 1.0, 0.0), None, (0.0, 0.93, 0.38), 6.5),
    )
    hugging = tuple(
        term
        for side, sign in (("left", 1.0), ("right", -1.0))
        for term in hold_terms(
            "a", Hold(f"{side}_wrist", "a.right_knee", (-sign * 0.02, -0.15, 0.085)), weight=6.0
        )
    )
    beside = tuple(
        place(f"a.{side}_wrist", "a.right_knee", (sign * 0.20, -0.08, 0.06), 5.0)
        for side, sign in (("left", 1.0), ("right", -1.0))
    )
    keys = [
        TangleKeyframe(
            "eagle arms",
            (
                Tangle(
                    left,
                    right,
                    _WOUND,
                    (0.33, 0.15),
                    0.0,
                    "left arm around right arm",
                    _TOLERANCE,
                ),
            ),
            (*planted, *elbows),
            solve=SolveOptions(200),
        ),
        TangleKeyframe(
            "arms apart",
            (Tangle(left, right, 0.0, name="arms apart", tolerance=(0.15, 1.0, 1.0, 1.0)),),
            (*lifted, *beside),
            solve=SolveOptions(150, min_steps=40),
        ),
        TangleKeyframe(
            "knee hugged",
            (
                Tangle(
                    arms,
                    leg,
                    -_HUGGED,
                    (0.18, -0.28),
                    0.5,
                    "both arms around the shin",
                    _TOLERANCE,
                ),
            ),
            (*lifted, *hugging),
            solve=SolveOptions(250, min_steps=40),
        ),
        TangleKeyframe(
            "eagle arms the other way",
            (
                Tangle(arms, leg, 0.0, name="shin let go", tolerance=(0.1, 1.0, 1.0, 1.0)),
                Tangle(left, right, -_WOUND, name="left arm around right arm, against"),
            ),
            (*planted, *elbows),
            order="given",
            solve=SolveOptions(250),
        ),
    ]
    progress(None, "stretching")
    motion = world.animate(setup, keys)
    skeleton = world.layout.skeleton
    at = dict(zip(motion.keys, motion.key_frames, strict=True))
    names = ("eagle arms", "knee hugged", "eagle arms the other way")
    poses = [motion.path[at[name]] for name in names]

    def writhe(first: Strand, second: Strand, k: int) -> float:
        return float(Linking(first, second).value(skeleton, poses[k])[0])

    straight = np.array(
        [
            interpolate(skeleton, a, b, t)
            for a, b in ((poses[0], poses[1]), (poses[1], poses[2]))
            for t in np.linspace(0, 1, 30)
        ]
    )
    collides = not certify(world.layout.table, straight, FPS).certified
    return SceneResult.of(
        world.layout,
        motion,
        [
            Claim.at_least("writhe of the arms at key 1", writhe(left, right, 0), 0.6),
            Claim.at_most("writhe of arms and shin at key 2", writhe(arms, leg, 1), -0.45),
            Claim.at_most("writhe of the arms at key 3", writhe(left, right, 2), -0.6),
        ],
        seen=_stretched([PoseView(world.layout, q) for q in poses]),
        contrast=[
            Claim.equal("joint-angle interpolation of the keys collides", float(collides), 1.0)
        ],
        postures=[at[name] for name in names],
        sides=True,
        view=(0.6, 0.22, 1.0),
        frames=[0, *(motion.key_frames[k] for k in (0, 1, 2)), *_between(motion.key_frames)],
    )


def _between(keys: tuple[int, ...]) -> list[int]:
    """The frame half-way to the last key, and that key."""
    return [(keys[-2] + keys[-1]) // 2, keys[-1]]


def _stretched(views: list[PoseView]) -> list[Claim]:
    """Arms twined before the chest at the first and third key; the raised shin in both arms."""
    claims: list[Claim] = []
    for name, view in (("eagle", views[0]), ("eagle the other way", views[2])):
        arms = {
            side: [f"a.{side}_{part}" for part in ("shoulder", "elbow", "wrist")]
            for side in ("left", "right")
        }
        claims.append(touches(view, f"{name}: arms together", arms["left"], arms["right"], 0.03))
        for side in ("left", "right"):
            ahead = float(view.seen_from(f"a.{side}_elbow", "a.chest")[2])
            claims.append(Claim.at_least(f"{name}: {side} elbow before the chest, m", ahead, 0.08))
    hug = views[1]
    knee, hips = (hug.frames.position(f"a.{name}")[1] for name in ("right_knee", "hips"))
    claims.append(Claim.at_least("knee above the hips, m", float(knee - hips), 0.0))
    shin = ["a.right_knee"]  # the joint of the shin is named after its upper end
    apart = hug.apart("a.left_wrist", "a.right_wrist")
    claims.append(Claim.at_most("knee hugged: hands apart, m", apart, 0.15))
    for side in ("left", "right"):
        wrist, what = f"a.{side}_wrist", f"knee hugged: {side} hand"
        ahead = float(hug.seen_from(wrist, "a.right_knee")[2])
        claims.append(Claim.at_least(f"{what} before the shin, m", ahead, 0.04))
        claims.append(touches(hug, f"{what} on the shin", [wrist], shin, 0.035))
        claims.append(Claim.at_least(f"{what}: elbow bent, degrees", _bent(hug, side), 25.0))
    return claims


def _bent(view: PoseView, side: str) -> float:
    """How far an elbow is bent, in degrees: 0 for a straight arm."""
    at = [view.frames.position(f"a.{side}_{part}") for part in ("shoulder", "elbow", "wrist")]
    upper, lower = at[1] - at[0], at[2] - at[1]
    cosine = float(upper @ lower / np.linalg.norm(upper) / np.linalg.norm(lower))
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
