"""Self-tangled stretching: arms wound around each other, arms around a leg, arms the other way.

No two of the three key postures can be joined by joint-angle interpolation.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from writhe.collision import certify
from writhe.progress import Progress
from writhe.quantities import Linking, Point
from writhe.research.experiments.topology_coordinates.scene_result import FPS, Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import SceneSetup, human
from writhe.skeleton.kinematics import interpolate
from writhe.solvers.tangling import SolveOptions, Tangle, TangleKeyframe, TangleOptions, animate
from writhe.terms import Term, reach
from writhe.topology import Strand

_WOUND, _HUGGED = 0.62, 0.72


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
            *world.upright("a"),
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
    lifted = (
        reach("a.right_knee", (-0.05, 0.98, 0.38), weight=6.0),
        reach("a.right_ankle", (-0.05, 0.62, 0.30), weight=3.0),
    )
    keys = [
        TangleKeyframe(
            "eagle arms",
            (Tangle(left, right, _WOUND, name="left arm around right arm"),),
            (*planted, *elbows),
            solve=SolveOptions(200),
        ),
        TangleKeyframe(
            "knee hugged",
            (
                Tangle(left, right, 0.0, name="arms apart", tolerance=(0.15, 1.0, 1.0, 1.0)),
                Tangle(arms, leg, _HUGGED, name="both arms around the shin"),
            ),
            lifted,
            order="given",
            solve=SolveOptions(250),
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
    motion = animate(setup, world.q, keys)
    skeleton = world.layout.skeleton
    poses = [motion.path[k] for k in motion.key_frames]

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
            Claim.at_least("writhe of arms and shin at key 2", writhe(arms, leg, 1), 0.65),
            Claim.at_most("writhe of the arms at key 3", writhe(left, right, 2), -0.6),
            Claim.equal("joint-angle interpolation of the keys collides", float(collides), 1.0),
        ],
        view=(0.4, 0.22, 1.0),
        frames=_shown(motion.key_frames),
    )


def _shown(keys: tuple[int, ...]) -> list[int]:
    """The start, every key, and the frames half-way between."""
    ends = [0, *keys]
    middles = [(a + b) // 2 for a, b in pairwise(ends)]
    return sorted({*ends, *middles})
