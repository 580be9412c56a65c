"""Manipulations with relative constraints: a held leg, a bar in two hands, a push-up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import (
    ContactPolicy,
    ball,
    cylinder,
    half_space,
)
from writhe.collision.mesh_pieces.surfaces import surface
from writhe.errors import WritheError
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.research.experiments.half_space_ik.scenario import (
    Scenario,
    dragged,
    eased_path,
    object_scenario,
    start_configuration,
)
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import Figure, Frames, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.terms import keep_direction, keep_relative


def _one_leg(human: Figure) -> Floats:
    """Standing on the right leg, the left knee raised."""
    skeleton = human.skeleton
    step = np.zeros(skeleton.dof_count)
    step[skeleton.v_slice("left_hip").start] = -1.4
    step[skeleton.v_slice("left_knee")] = 1.3
    return integrate(skeleton, standing(human), step)


def holding(held: bool) -> Scenario:
    """Figure 4: the left hand holds the left leg while a ball comes."""
    from writhe.solvers.levenberg_marquardt import StepOptions, StepSolver
    from writhe.terms import CompiledTerms, joint_limits, reach, stay_near

    human = figure("human")
    skeleton = human.skeleton
    raised = _one_leg(human)
    knee = forward(skeleton, raised).point("left_knee", (0.09, -0.05, 0.05))
    terms = [
        reach("left_wrist", knee, weight=20.0),
        *joint_limits(skeleton),
        *stay_near(skeleton, raised, weight=0.3, weight_of={"hips": 100.0, "left_hip": 20.0}),
    ]
    pose = StepSolver(CompiledTerms(skeleton, terms), StepOptions(60)).step(raised).q
    frames = 220
    made = object_scenario(
        "holding" if held else "not-holding",
        "A ball pushes the raised leg down, the left hand holds on to it"
        if held
        else "The same without the relative constraint: the hand stays where it was",
        ball([0, 0, 0], 0.11),
        [(-0.05, 1.45, 0.75), (0.03, 1.06, 0.40), (0.03, 0.76, 0.38), (0.0, 0.9, 0.9)],
        frames,
        pose=pose,
        watched="a.left_wrist",
        figure_of_paper="figure 4",
        view=(1.0, 0.12, 0.35),
        shown=(0.05, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9),
    )
    if not held:
        return made
    at = forward(made.scene.layout.skeleton, made.start)
    local = at.rotation("a.left_knee").T @ (
        at.position("a.left_wrist") - at.position("a.left_knee")
    )
    return replace(made, relations=(keep_relative("a.left_wrist", "a.left_knee", local),))


# where a bar lies in a hand, in the frame of the wrist: across the palm, below it
_GRIPS = {"left": (0.085, -0.033, 0.0), "right": (-0.085, -0.033, 0.0)}
_THUMB = (0.0, 0.0, 1.0)  # along the bar
_IRON = (0.30, 0.31, 0.34)


def bar() -> Scenario:
    """Two hands lift a bar: one is dragged, the other keeps its position on the bar."""
    from writhe.quantities import Direction
    from writhe.solvers.levenberg_marquardt import StepOptions, StepSolver
    from writhe.terms import CompiledTerms, Term, joint_limits, reach, stay_near

    human = figure("human")
    scene = Scene((Actor("a", human),))
    skeleton = scene.layout.skeleton
    own = human.skeleton
    upright = standing(human)
    terms = [*joint_limits(own)]
    terms += stay_near(own, upright, weight=0.3, weight_of={"hips": 100.0, "spine": 20.0})
    for side, sign in (("left", 1.0), ("right", -1.0)):
        wrist, inwards = f"{side}_wrist", np.array([-sign, 0.0, 0.0])
        place = (sign * 0.24, 0.94, 0.36)
        terms.append(reach(wrist, place, point_in_joint=_GRIPS[side], weight=20.0))
        terms.append(Term(Direction(wrist, _THUMB), inwards, inwards, 10.0))
    held = StepSolver(CompiledTerms(own, terms), StepOptions(60)).step(upright).q
    start = start_configuration(scene, {"a": held})
    at = forward(skeleton, start)
    turn = at.rotation("a.left_wrist")
    second = at.point("a.right_wrist", _GRIPS["right"]) - at.position("a.left_wrist")
    frames = 240
    path = eased_path(
        [at.position("a.left_wrist"), (0.24, 1.25, 0.34), (0.24, 1.72, 0.20), (0.40, 1.2, 0.34),
         (0.24, 1.0, 0.32)], frames,
    )  # fmt: skip
    across = at.rotation("a.hips").T
    return Scenario(
        "bar",
        "Two hands lift a bar",
        scene,
        start,
        frames,
        targets=dragged({"a.left_wrist": path}),
        relations=(
            keep_relative("a.right_wrist", "a.left_wrist", turn.T @ second,
                          point_in_joint=_GRIPS["right"]),
            *(
                keep_direction(f"a.{side}_wrist", _THUMB, "a.hips",
                               across @ at.rotation(f"a.{side}_wrist") @ np.array(_THUMB))
                for side in ("left", "right")
            ),
        ),
        watched="a.right_wrist",
        return_fraction=0.04,
        figure_of_paper="section 3.2",
        extra=_draw_bar,
        hands="grip",
        view=(0.75, 0.2, 1.0),
        shown=(0.0, 0.17, 0.36, 0.5, 0.64, 0.78, 0.95),
    )  # fmt: skip


def push_up() -> Scenario:
    """A push-up: the chest is dragged up and down, then one hand aside; the other hand follows it.

    The feet are pinned; the relation between the hands is all that keeps the right hand.
    """
    from writhe.postures.builtin.pose_setting import PoseSetting
    from writhe.postures.builtin.poses_floor import FOURS
    from writhe.postures.builtin.posture_variants import PostureBuilder
    from writhe.solvers.posing.handles import pin_here

    human = figure("human")
    ground = SceneObject("floor", (half_space([0, 0, 0], [0, 1, 0]),))
    policy = ContactPolicy()
    for part in ("left_wrist", "right_wrist", "left_toe", "right_toe", "left_ankle", "right_ankle"):
        policy = policy.allow(f"a.{part}", "floor", 0.03)
    scene = Scene((Actor("a", human),), (ground,), policy)
    posed = next(pose for pose in FOURS if pose.name == "push-up")
    solved = PostureBuilder(PoseSetting(human)).authored(posed)
    if solved is None:
        raise WritheError("the push-up cannot be reached within joint limits")
    start = start_configuration(scene, {"a": solved.q})
    skeleton = scene.layout.skeleton
    at = forward(skeleton, start)
    chest, left = at.position("a.chest"), at.position("a.left_wrist")
    along = at.position("a.right_wrist") - left
    turn = at.rotation("a.left_wrist")
    frames = 300
    high, aside = chest + np.array([0.0, 0.2, 0.0]), np.array([0.10, 0.0, 0.0])
    chest_path = eased_path([chest, high, high, chest, high], frames)
    hand_path = eased_path([left, left, left + aside, left + aside, left + aside], frames)
    return Scenario(
        "push-up",
        "A push-up, the hands kept at a set distance",
        scene,
        start,
        frames,
        targets=dragged({"a.chest": chest_path, "a.left_wrist": hand_path}),
        pins=tuple(
            pin_here(skeleton, start, f"a.{side}_toe", orientation=True)
            for side in ("left", "right")
        ),
        relations=(
            keep_relative("a.right_wrist", "a.left_wrist", turn.T @ along),
            *(
                keep_direction("a.left_wrist", turn.T @ axis, "floor", axis)
                for axis in (along / np.linalg.norm(along), np.array([0.0, 1.0, 0.0]))
            ),
        ),
        root_free=True,
        watched="a.right_wrist",
        view=(1.0, 0.25, 0.3),
        figure_of_paper="section 3.2",
        panel=(260, 150),
        remark="With `published` the chest follows its target by 4 of 20 cm.",
    )


def _draw_bar(stage: Any, frames: Frames) -> None:
    """Draw the bar between the palms, with a disc at each end; it is not simulated."""
    left, right = (frames.point(f"a.{side}_wrist", grip) for side, grip in _GRIPS.items())
    along = (right - left) / np.linalg.norm(right - left)
    ends = left - 0.28 * along, right + 0.28 * along
    stage.add_capsule(*ends, 0.013, colour=_IRON)
    for end, sign in zip(ends, (1.0, -1.0), strict=True):
        disc = cylinder(end + sign * 0.02 * along, end + sign * 0.05 * along, 0.13)
        stage.add_mesh(*surface(disc, 0.02), colour=_IRON, smooth=False)
