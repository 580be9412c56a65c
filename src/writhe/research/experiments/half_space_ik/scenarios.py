"""The paper's manipulations as scripted targets at 60 frames a second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import (
    ball,
    box,
    capsule,
    cylinder,
    half_space,
    split_mesh,
)
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.research.experiments.half_space_ik.relation_scenarios import bar, holding, push_up
from writhe.research.experiments.half_space_ik.scenario import (
    Scenario,
    dragged,
    eased_path,
    object_scenario,
    start_configuration,
)
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import Frames, forward
from writhe.skeleton.figures import figure


def four_obstacles() -> Scenario:
    """Example 1: hands dragged among four obstacles of different shape."""
    human = figure("human")
    obstacles = (
        SceneObject("ball", (ball([0.34, 1.12, 0.42], 0.08),)),
        SceneObject("box", (box([-0.34, 1.30, 0.40], [0.14, 0.16, 0.14]),)),
        SceneObject("cylinder", (cylinder([0.0, 0.85, 0.45], [0.0, 1.15, 0.45], 0.05),)),
        SceneObject("capsule", (capsule([0.1, 1.62, 0.38], [0.6, 1.62, 0.38], 0.035),)),
    )
    scene = Scene((Actor("a", human),), obstacles)
    start = start_configuration(scene, {"a": standing(human)})
    at = forward(scene.layout.skeleton, start)
    frames = 300
    left = eased_path(
        [at.position("a.left_wrist"), (0.34, 1.12, 0.40), (0.12, 1.30, 0.42), (0.30, 1.60, 0.36),
         (0.38, 1.0, 0.2)], frames,
    )  # fmt: skip
    right = eased_path(
        [at.position("a.right_wrist"), (-0.38, 1.1, 0.35), (-0.3, 1.4, 0.38), (-0.02, 1.05, 0.4),
         (-0.35, 1.0, 0.2)], frames,
    )  # fmt: skip
    return Scenario(
        "four-obstacles",
        "Hands dragged among four obstacles",
        scene,
        start,
        frames,
        targets=dragged({"a.left_wrist": left, "a.right_wrist": right}),
        watched="a.left_wrist",
        return_fraction=0.04,
        figure_of_paper="figure 1",
        view=(0.75, 0.3, 1.0),
    )


def sphere() -> Scenario:
    """Figure 5: a ball moved against the right hand."""
    return object_scenario(
        "sphere", "A ball moved against the right hand", ball([0, 0, 0], 0.10),
        [(-0.75, 0.85, 0.45), (-0.38, 0.80, 0.10), (-0.40, 0.95, -0.12), (-0.8, 1.0, -0.4)], 200,
        watched="a.right_wrist", figure_of_paper="figure 5", view=(-0.2, 0.15, 1.0),
        shown=(0.05, 0.25, 0.4, 0.5, 0.62, 0.75, 0.85),
    )  # fmt: skip


def cylinder_push() -> Scenario:
    """Figure 6: a cylinder pushed against the chest, then up past the face."""
    return object_scenario(
        "cylinder", "A cylinder pushed against the chest, then up past the face",
        cylinder([-0.35, 0, 0], [0.35, 0, 0], 0.07),
        [(-0.1, 1.42, 0.6), (-0.1, 1.38, 0.12), (0.0, 1.55, 0.10), (0.0, 1.75, 0.5)], 240,
        watched="a.chest", figure_of_paper="figure 6", view=(1.0, 0.2, 0.15),
        shown=(0.02, 0.2, 0.34, 0.5, 0.66, 0.8, 0.92),
    )  # fmt: skip


def back_push() -> Scenario:
    """Figures 3, 7 and 8: a ball pushed into the back and moved along it."""
    return object_scenario(
        "back", "A ball pushed into the back", ball([0, 0, 0], 0.12),
        [(0.25, 1.30, -0.70), (0.12, 1.32, -0.14), (-0.15, 1.36, -0.12), (-0.35, 1.2, -0.6)], 240,
        watched="a.head", view=(0.9, 0.3, -0.75), figure_of_paper="figures 7 and 8",
    )  # fmt: skip


def hand() -> Scenario:
    """The hand model: a ball and fingers."""
    body = figure("hand")
    return object_scenario(
        "hand", "A ball moved into the fingers of the hand", ball([0, 0, 0], 0.022),
        [(0.02, 0.12, 0.165), (0.02, 0.045, 0.165), (0.0, 0.12, 0.165), (-0.02, 0.05, 0.155),
         (-0.02, 0.12, 0.16)], 240,
        body=body, pose=body.skeleton.rest_configuration, watched="a.index_3",
        view=(0.9, 0.5, 0.8), figure_of_paper="figure 2, right",
    )  # fmt: skip


def two_characters() -> Scenario:
    """The paper's future work: one character's arm is dragged into another, who evades."""
    human = figure("human")
    scene = Scene(
        (
            Actor("a", human),
            Actor("b", human, np.array([0.0, 0.0, 0.75]), np.array([0.0, 0.0, 1.0, 0.0])),
        )
    )
    start = start_configuration(scene, {"a": standing(human), "b": standing(human)})
    at = forward(scene.layout.skeleton, start)
    frames = 220
    path = eased_path(
        [at.position("a.left_wrist"), (0.3, 1.35, 0.35), (0.05, 1.35, 0.55), (-0.2, 1.35, 0.5),
         (0.3, 1.0, 0.25)], frames,
    )  # fmt: skip
    return Scenario(
        "two-characters",
        "One character's hand pushes another character",
        scene,
        start,
        frames,
        targets=dragged({"a.left_wrist": path}),
        watched="b.head",
        view=(1.0, 0.25, 0.1),
        return_fraction=0.04,
        figure_of_paper="future work",
        remark="Only with `half-space` the other character yields, the head by up to 14 cm. With"
        " `default` and `penalty` it does not move: the dragged hand bends aside, and with"
        " `penalty` it stops 3 cm short of its target and is 18 cm from it at the end.",
    )


def floor() -> Scenario:
    """The floor as a half-space: a hand dragged below it, the root free, the feet pinned."""
    from writhe.solvers.posing.handles import pin_here

    human = figure("human")
    ground = SceneObject("floor", (half_space([0, 0, 0], [0, 1, 0]),))
    scene = Scene((Actor("a", human),), (ground,))
    pose = standing(human)
    skeleton = scene.layout.skeleton
    # the soles of the built-in human slightly overlap the ground at the start
    pose[1] += 0.022
    start = start_configuration(scene, {"a": pose})
    at = forward(skeleton, start)
    frames = 240
    path = eased_path(
        [at.position("a.right_wrist"), (-0.3, 0.5, 0.4), (-0.2, -0.1, 0.45), (0.1, 0.0, 0.5),
         (-0.3, 0.9, 0.3)], frames,
    )  # fmt: skip
    return Scenario(
        "floor",
        "A hand dragged below the floor",
        scene,
        start,
        frames,
        targets=dragged({"a.right_wrist": path}),
        pins=tuple(
            pin_here(skeleton, start, f"a.{side}_ankle", orientation=True)
            for side in ("left", "right")
        ),
        root_free=True,
        watched="a.right_wrist",
        return_fraction=0.04,
        figure_of_paper="the floor",
    )


def table() -> Scenario:
    """A whole table, split into convex pieces, pushed into the character."""
    vertices, triangles = _table_mesh()
    return object_scenario(
        "table", "A table pushed into the character", split_mesh(vertices, triangles),
        [(0.1, 0.0, 1.0), (0.05, 0.0, 0.36), (-0.05, 0.0, 0.30), (0.1, 0.0, 1.0)], 200,
        watched="a.hips", root_free=True, figure_of_paper="any triangle mesh",
        view=(1.0, 0.5, -0.6), panel=(250, 230), shown=(0.1, 0.25, 0.33, 0.5, 0.66, 0.75, 0.85),
        remark="The table pushes the character back by 11 cm, and is pulled away again.",
    )  # fmt: skip


def _table_mesh() -> tuple[Floats, Floats]:
    """One closed mesh: an upside-down U in profile, with a board on it."""
    profile = np.array(
        [(-0.5, 0.0), (-0.44, 0.0), (-0.44, 0.86), (0.44, 0.86), (0.44, 0.0), (0.5, 0.0),
         (0.5, 0.92), (-0.5, 0.92)]
    )  # fmt: skip
    ears = [(0, 1, 2), (0, 2, 7), (2, 3, 6), (2, 6, 7), (3, 4, 5), (3, 5, 6)]
    front = np.column_stack([profile, np.full(8, 0.3)])
    back = np.column_stack([profile, np.full(8, -0.3)])
    faces = [list(e) for e in ears] + [[a + 8, c + 8, b + 8] for a, b, c in ears]
    for i in range(8):
        j = (i + 1) % 8
        faces += [[i, i + 8, j], [j, i + 8, j + 8]]
    return np.concatenate([front, back]), np.array(faces)


_MUZZLE = (-0.31, 1.1, 1.6)
_SHOT_M = 0.125  # way of the ball in a frame, at the body


def _trail(stage: Any, frames: Frames) -> None:
    """Draw where the ball was in the frames before, smaller and smaller."""
    at = frames.position("object")
    for back in range(1, 6):
        behind = at + np.array([0.0, 0.0, back * _SHOT_M])
        if behind[2] < _MUZZLE[2]:
            stage.add_sphere(behind, 0.03 * 0.8**back, colour=(0.94, 0.86, 0.55))


def fast() -> Scenario:
    """Continuous detection: a small ball at 8 m/s against the arm, 13 cm a frame."""
    return object_scenario(
        "fast", "A small ball at 8 m/s", ball([0, 0, 0], 0.03),
        [_MUZZLE, (-0.31, 1.1, -0.4)], 24,
        watched="a.right_elbow", figure_of_paper="continuous detection",
        view=(-1.0, 0.3, 0.75), shown=(0.295, 0.364, 0.386, 0.41, 0.5), extra=_trail,
        around=((-0.45, 0.0, -0.3), (0.25, 1.75, 0.3)), panel=(230, 330),
        remark="The ball comes from the right; small balls: where it was in the frames before. With"
        " `half-space` it takes the forearm along. With `penalty` the forearm gives way by 6 cm and"
        " the ball cuts its outer side between two frames, in and out on one side: an overlap by"
        " the certificate's definition, not a pass-through. With `default` it goes through the"
        " forearm.",
    )  # fmt: skip


SCENARIOS: dict[str, Callable[[], Scenario]] = {
    "four-obstacles": four_obstacles,
    "sphere": sphere,
    "cylinder": cylinder_push,
    "back": back_push,
    "holding": lambda: holding(True),
    "not-holding": lambda: holding(False),
    "bar": bar,
    "push-up": push_up,
    "hand": hand,
    "two-characters": two_characters,
    "floor": floor,
    "table": table,
    "fast": fast,
}
