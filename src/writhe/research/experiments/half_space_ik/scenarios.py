"""The paper's manipulations as scripted targets at 60 frames a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, vector3
from writhe.collision import Shape, ball, box, capsule, cylinder, half_space, split_mesh
from writhe.easing import smoothstep
from writhe.research.evaluation.drags import standing
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.skeleton import Figure, Frames, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.solvers.posing.handles import Pin, Target
from writhe.terms import Term, keep_direction, keep_relative

FPS = 60.0


@dataclass(frozen=True)
class Scenario:
    """A scene, its start configuration, and the dragged points and object poses of every frame."""

    name: str
    title: str
    scene: Scene
    start: Floats
    frames: int
    targets: Callable[[int], list[Target]] = field(default=lambda _: [])
    objects: Callable[[int], dict[str, Floats]] = field(default=lambda _: {})
    pins: tuple[Pin, ...] = ()
    relations: tuple[Term, ...] = ()
    root_free: bool = False
    return_fraction: float = (
        0.0  # share by which a step returns to the start pose, when parts are dragged
    )
    view: tuple[float, float, float] = (0.62, 0.26, 1.0)
    watched: str = "a.chest"  # the joint whose path is plotted
    figure_of_paper: str = ""
    extra: Callable[[Any, Frames], None] | None = None  # draws additional geometry


def _path(points: Sequence[ArrayLike], frames: int) -> Floats:
    """(frames, 3) through the waypoints, eased in and out at each."""
    way = [np.asarray(p, float) for p in points]
    legs = len(way) - 1
    out = np.empty((frames, 3))
    for k in range(frames):
        t = (k + 1) / frames * legs
        leg = min(int(t), legs - 1)
        out[k] = way[leg] + smoothstep(t - leg) * (way[leg + 1] - way[leg])
    return out


def _pose(position: Floats, rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0)) -> Floats:
    return np.concatenate([position, np.asarray(rotation, float)])


def _start(scene: Scene, poses: dict[str, Floats]) -> Floats:
    q = scene.layout.rest()
    for name, own in poses.items():
        q[scene.layout.actor_q[name]] = own
    return q


def _moved(name: str, shape: Shape | tuple[Shape, ...], at: Floats) -> SceneObject:
    shapes = shape if isinstance(shape, tuple) else (shape,)
    return SceneObject(name, shapes, ObjectKind.MOVED, position_m=at)


def _object_scenario(
    name: str,
    title: str,
    shape: Shape | tuple[Shape, ...],
    points: Sequence[ArrayLike],
    frames: int,
    *,
    pose: Floats | None = None,
    body: Figure | None = None,
    **more: Any,
) -> Scenario:
    """An object moved along waypoints into one character."""
    human = body or figure("human")
    path = _path(points, frames)
    moved_object = _moved("object", shape, np.asarray(points[0], float))
    scene = Scene((Actor("a", human),), (moved_object,))
    start = _start(scene, {"a": standing(human) if pose is None else pose})
    made = Scenario(
        name,
        title,
        scene,
        start,
        frames,
        objects=lambda k: {"object": _pose(path[min(k, frames - 1)])},
    )
    return replace(made, **more)


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
    start = _start(scene, {"a": standing(human)})
    at = forward(scene.layout.skeleton, start)
    frames = 300
    left = _path(
        [at.position("a.left_wrist"), (0.34, 1.12, 0.40), (0.12, 1.30, 0.42), (0.30, 1.60, 0.36),
         (0.38, 1.0, 0.2)], frames,
    )  # fmt: skip
    right = _path(
        [at.position("a.right_wrist"), (-0.38, 1.1, 0.35), (-0.3, 1.4, 0.38), (-0.02, 1.05, 0.4),
         (-0.35, 1.0, 0.2)], frames,
    )  # fmt: skip
    return Scenario(
        "four-obstacles",
        "Hands dragged among four obstacles",
        scene,
        start,
        frames,
        targets=lambda k: [
            Target("a.left_wrist", vector3(left[min(k, frames - 1)])),
            Target("a.right_wrist", vector3(right[min(k, frames - 1)])),
        ],
        watched="a.left_wrist",
        return_fraction=0.04,
        figure_of_paper="figure 1",
    )


def sphere() -> Scenario:
    """Figure 5: a ball moved against the right hand."""
    return _object_scenario(
        "sphere", "A ball moved against the right hand", ball([0, 0, 0], 0.10),
        [(-0.75, 0.85, 0.45), (-0.38, 0.80, 0.10), (-0.40, 0.95, -0.12), (-0.8, 1.0, -0.4)], 200,
        watched="a.right_wrist", figure_of_paper="figure 5",
    )  # fmt: skip


def cylinder_through() -> Scenario:
    """Figure 6: a cylinder moved through the character."""
    return _object_scenario(
        "cylinder", "A cylinder moved through the character",
        cylinder([-0.35, 0, 0], [0.35, 0, 0], 0.07),
        [(-0.1, 1.42, 0.6), (-0.1, 1.38, 0.12), (0.0, 1.55, 0.10), (0.0, 1.75, 0.5)], 240,
        watched="a.chest", figure_of_paper="figure 6",
    )  # fmt: skip


def back_push() -> Scenario:
    """Figures 3, 7 and 8: a ball pushed into the back and moved along it."""
    return _object_scenario(
        "back", "A ball pushed into the back", ball([0, 0, 0], 0.12),
        [(0.25, 1.30, -0.70), (0.12, 1.32, -0.14), (-0.15, 1.36, -0.12), (-0.35, 1.2, -0.6)], 240,
        watched="a.head", view=(0.9, 0.3, -0.75), figure_of_paper="figures 7 and 8",
    )  # fmt: skip


def _one_leg(human: Figure) -> Floats:
    """Standing on the right leg, the left knee raised."""
    skeleton = human.skeleton
    step = np.zeros(skeleton.dof_count)
    step[skeleton.v_slice("left_hip").start] = -1.5
    step[skeleton.v_slice("left_knee")] = 1.3
    return integrate(skeleton, standing(human), step)


def _holding(held: bool) -> Scenario:
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
    made = _object_scenario(
        "holding" if held else "not-holding",
        "The left hand holds the leg" if held else "The same without the relative constraint",
        ball([0, 0, 0], 0.11),
        [(0.5, 0.75, 0.9), (0.16, 0.72, 0.44), (0.05, 0.85, 0.42), (0.2, 0.8, 0.9)],
        frames,
        pose=pose,
        watched="a.left_wrist",
        figure_of_paper="figure 4",
    )
    if not held:
        return made
    at = forward(made.scene.layout.skeleton, made.start)
    local = at.rotation("a.left_knee").T @ (
        at.position("a.left_wrist") - at.position("a.left_knee")
    )
    return replace(made, relations=(keep_relative("a.left_wrist", "a.left_knee", local),))


_GRIP = (0.0, -0.09, 0.02)  # where the palm is, in the frame of a wrist


def bar() -> Scenario:
    """Two hands lift a bar: one is dragged, the other keeps its position on the bar."""
    from writhe.solvers.levenberg_marquardt import StepOptions, StepSolver
    from writhe.terms import CompiledTerms, joint_limits, reach, stay_near

    human = figure("human")
    scene = Scene((Actor("a", human),))
    skeleton = scene.layout.skeleton
    own = human.skeleton
    upright = standing(human)
    terms = [
        *(
            reach(f"{side}_wrist", (sign * 0.24, 0.98, 0.36), weight=20.0)
            for side, sign in (("left", 1.0), ("right", -1.0))
        ),
        *joint_limits(own),
        *stay_near(own, upright, weight=0.3, weight_of={"hips": 100.0, "spine": 20.0}),
    ]
    held = StepSolver(CompiledTerms(own, terms), StepOptions(60)).step(upright).q
    start = _start(scene, {"a": held})
    at = forward(skeleton, start)
    turn = at.rotation("a.left_wrist")
    along = at.position("a.right_wrist") - at.position("a.left_wrist")
    frames = 240
    path = _path(
        [at.position("a.left_wrist"), (0.24, 1.25, 0.42), (0.24, 1.72, 0.20), (0.40, 1.2, 0.38),
         (0.24, 1.0, 0.36)], frames,
    )  # fmt: skip
    return Scenario(
        "bar",
        "Two hands lift a bar",
        scene,
        start,
        frames,
        targets=lambda k: [Target("a.left_wrist", vector3(path[min(k, frames - 1)]))],
        relations=(
            keep_relative("a.right_wrist", "a.left_wrist", turn.T @ along),
            keep_direction("a.left_wrist", turn.T @ (along / np.linalg.norm(along)), "a.hips",
                           at.rotation("a.hips").T @ (along / np.linalg.norm(along))),
        ),
        watched="a.right_wrist",
        return_fraction=0.04,
        figure_of_paper="section 3.2",
        extra=_draw_bar,
    )  # fmt: skip


def _draw_bar(stage: Any, frames: Frames) -> None:
    """Draw the bar between the palms; it is not simulated."""
    left, right = (frames.point(f"a.{side}_wrist", _GRIP) for side in ("left", "right"))
    beyond = 0.25 * (right - left)
    stage.add_capsule(left - beyond, right + beyond, 0.014)


def hand() -> Scenario:
    """The hand model: a ball and fingers."""
    body = figure("hand")
    return _object_scenario(
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
    start = _start(scene, {"a": standing(human), "b": standing(human)})
    at = forward(scene.layout.skeleton, start)
    frames = 220
    path = _path(
        [at.position("a.left_wrist"), (0.3, 1.35, 0.35), (0.05, 1.35, 0.55), (-0.2, 1.35, 0.5),
         (0.3, 1.0, 0.25)], frames,
    )  # fmt: skip
    return Scenario(
        "two-characters",
        "One character's hand pushes another character",
        scene,
        start,
        frames,
        targets=lambda k: [Target("a.left_wrist", vector3(path[min(k, frames - 1)]))],
        watched="b.head",
        view=(1.0, 0.25, 0.1),
        return_fraction=0.04,
        figure_of_paper="future work",
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
    start = _start(scene, {"a": pose})
    at = forward(skeleton, start)
    frames = 240
    path = _path(
        [at.position("a.right_wrist"), (-0.3, 0.5, 0.4), (-0.2, -0.1, 0.45), (0.1, 0.0, 0.5),
         (-0.3, 0.9, 0.3)], frames,
    )  # fmt: skip
    return Scenario(
        "floor",
        "A hand dragged below the floor",
        scene,
        start,
        frames,
        targets=lambda k: [Target("a.right_wrist", vector3(path[min(k, frames - 1)]))],
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
    return _object_scenario(
        "table", "A table pushed into the character", split_mesh(vertices, triangles),
        [(0.1, 0.0, 1.0), (0.05, 0.0, 0.36), (-0.05, 0.0, 0.30), (0.1, 0.0, 1.0)], 200,
        watched="a.hips", root_free=True, figure_of_paper="any triangle mesh",
        view=(0.9, 0.35, -0.6),
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


def fast() -> Scenario:
    """Continuous detection: a small ball at 8 m/s against the arm, 13 cm a frame."""
    return _object_scenario(
        "fast", "A small ball at 8 m/s", ball([0, 0, 0], 0.03),
        [(-0.31, 1.1, 1.6), (-0.31, 1.1, -0.4)], 24,
        watched="a.right_elbow", figure_of_paper="continuous detection",
    )  # fmt: skip


SCENARIOS: dict[str, Callable[[], Scenario]] = {
    "four-obstacles": four_obstacles,
    "sphere": sphere,
    "cylinder": cylinder_through,
    "back": back_push,
    "holding": lambda: _holding(True),
    "not-holding": lambda: _holding(False),
    "bar": bar,
    "hand": hand,
    "two-characters": two_characters,
    "floor": floor,
    "table": table,
    "fast": fast,
}
