"""Hugging a bundle of rods that sways and opens up while it is held (Eq. 11)."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import capsule
from writhe.progress import Progress
from writhe.quantities import Linking
from writhe.research.experiments.topology_coordinates.checks.geometry import PoseView
from writhe.research.experiments.topology_coordinates.creatures import rods, turned
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import SceneSetup, human
from writhe.scene import Actor, SceneObject
from writhe.solvers.tangling import (
    Around,
    DrivenMotion,
    SolveOptions,
    TangleKeyframe,
    TangleMotion,
    TangleOptions,
    Untangled,
)
from writhe.terms import reach

_RODS, _SEGMENTS = 7, 5
_HUG_STEPS, _HOLD_STEPS = 90, 150
_HOLD = 0.92
_OTHERS = 0.5  # largest writhe of the arms with the post, as in Eq. 11


def _swaying(world: SceneSetup, steps: int) -> Floats:
    """(steps, nq) the rods at rest, then leaning together and spreading slightly at the top."""
    path = np.tile(world.q, (steps + 1, 1))
    at = world.layout.actor_q["bundle"]
    for k in range(steps + 1):
        share = np.clip((k - _HUG_STEPS) / 40.0, 0.0, 1.0)
        sway = 0.035 * share * np.sin(2 * np.pi * (k - _HUG_STEPS) / 110.0)
        nod = 0.02 * share * np.sin(2 * np.pi * (k - _HUG_STEPS) / 75.0)
        q = path[k, at]
        for rod in range(_RODS):
            angle = 2 * np.pi * rod / (_RODS - 1)
            spread = 0.0 if rod == _RODS - 1 else 0.012 * share
            for segment in range(_SEGMENTS):
                axis = np.array([nod + spread * np.cos(angle), 0.0, -sway - spread * np.sin(angle)])
                size = float(np.linalg.norm(axis))
                first = 4 * (rod * _SEGMENTS + segment)
                if size > 1e-12:
                    q[first : first + 4] = turned(axis, size)
    return path


def _post() -> SceneObject:
    """A post beside the bundle, which the arms must not close around."""
    ends = np.array([[-0.30, 0.03, 0.16], [-0.30, 1.85, 0.16]])
    return SceneObject("post", (capsule(ends[0], ends[1], 0.02),), strands={"axis": ends})


def play(progress: Progress) -> SceneResult:
    """Both arms close around seven rods and hold them while they move; one post stays outside."""
    world = SceneSetup.of([human("a"), Actor("bundle", rods(_RODS), driven=True)], [_post()])
    world.place_standing("a", 0.0, -0.31)
    steps = _HUG_STEPS + _HOLD_STEPS
    drive = DrivenMotion(world.layout.skeleton, _swaying(world, steps))
    arms = world.strand("a", "left_hand_tip", "right_hand_tip")
    strands = tuple(
        world.strand("bundle", f"rod{k + 1}_1", f"rod{k + 1}_tip") for k in range(_RODS)
    )
    hug = Around(arms, strands, _HOLD, name="both arms around the bundle")
    clear = Untangled(arms, world.object_strand("post", "axis"), _OTHERS, "arms clear of the post")
    setup = world.setup(
        [*world.limits("a"), *world.planted("a"), *world.upright("a")],
        TangleOptions(writhe_stride=0.02),
    )
    # arms open, then together on the far side
    apart = [
        reach(f"a.{side}_wrist", (sign * 0.34, 1.25, -0.02), weight=10.0)
        for side, sign in (("left", 1.0), ("right", -1.0))
    ]
    world.q = world.solve_key_pose(setup, world.q, apart)
    beyond = tuple(
        reach(f"a.{side}_wrist", (sign * 0.04, 1.22, 0.155), weight=4.0)
        for side, sign in (("left", 1.0), ("right", -1.0))
    )
    keys = [
        TangleKeyframe("hugging", (hug, clear), beyond, solve=SolveOptions(_HUG_STEPS + 100)),
        TangleKeyframe(
            "holding",
            (hug, clear),
            beyond,
            solve=SolveOptions(_HOLD_STEPS, min_steps=_HOLD_STEPS),
        ),
    ]
    progress(None, "hugging")
    motion = world.animate(setup, keys, drive)
    skeleton = world.layout.skeleton
    held = np.array(
        [
            [float(Linking(arms, strand).value(skeleton, q)[0]) for strand in strands]
            for q in motion.path[motion.key_frames[0] :: 5]
        ]
    )
    minimum = float(held.mean(axis=1).min())
    post = [abs(float(Linking(arms, clear.second).value(skeleton, q)[0])) for q in motion.path[::5]]
    return SceneResult.of(
        world.layout,
        motion,
        [
            Claim.at_least("mean writhe around the bundle, at its least while held", minimum, 0.85),
            Claim.at_least("writhe around the worst rod while held", float(held.min()), 0.75),
            Claim.at_most("spread of the writhe over the rods", float(held.std(axis=1).max()), 0.1),
            Claim.at_most("writhe around the post, at most", max(post), _OTHERS),
        ],
        [f"The bundle was delayed by {drive.delayed_frames:.1f} frames."],
        seen=_hugged(world, motion),
        view=(0.8, 0.45, 1.2),
        around=((-0.5, 0.0, -0.45), (0.4, 1.9, 0.4)),
        sides=True,
        size=(300, 400),
    )


def _hugged(world: SceneSetup, motion: TangleMotion) -> list[Claim]:
    """While the bundle is held both hands are on its far side, on the rods, and near each other."""
    views = [PoseView(world.layout, q) for q in motion.path[motion.key_frames[0] :: 10]]
    rods_ = [name for name in world.layout.skeleton.names if name.startswith("bundle.")]
    wrists = [f"a.{side}_wrist" for side in ("left", "right")]
    apart = max(view.apart(*wrists) for view in views)
    chest = max(view.clearance(["a.chest", "a.spine"], rods_) for view in views)
    claims = [
        Claim.at_most("hands apart while held, m", apart, 0.25),
        # it sways while it is held at arm's length of the elbows: no closer than its own radius
        Claim.at_most("trunk from the bundle while held, m", chest, 0.11),
    ]
    for wrist in wrists:
        what = f"{wrist[2:].replace('_wrist', ' hand')}"
        far = min(
            float(v.frames.position(wrist)[2] - v.frames.position(f"bundle.rod{_RODS}_3")[2])
            for v in views
        )
        claims.append(Claim.at_least(f"{what} beyond the middle of the bundle, m", far, 0.03))
        gap = max(v.clearance([wrist, wrist.replace("wrist", "elbow")], rods_) for v in views)
        # in its worst frame: the rods sway away from a hand before the hand follows
        claims.append(Claim.at_most(f"{what} to the rods while held, m", gap, 0.055))
    return claims
