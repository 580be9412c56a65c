"""A manipulation: a scene with scripted targets and object poses at 60 frames a second."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, vector3
from writhe.collision import Shape
from writhe.easing import smoothstep
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.skeleton import Figure, Frames
from writhe.skeleton.figures import figure
from writhe.solvers.posing.handles import Pin, Target
from writhe.terms import Term

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
    return_fraction: float = 0.0  # share by which a step of a drag returns to the start pose
    view: tuple[float, float, float] = (0.62, 0.26, 1.0)
    watched: str = "a.chest"  # the joint whose path is plotted
    figure_of_paper: str = ""
    extra: Callable[[Any, Frames], None] | None = None  # draws additional geometry
    hands: str = ""  # the pose in which hands are drawn, with fingers; without one they are flat
    panel: tuple[int, int] = (210, 270)  # size of a picture in a strip, pixels
    around: tuple[ArrayLike, ArrayLike] | None = None  # the box that a strip shows; all if None
    shown: tuple[float, ...] = (0.08, 0.22, 0.36, 0.5, 0.64, 0.78, 0.92)  # pictures, 0 to 1
    remark: str = ""  # what to look at in the strip


def eased_path(points: Sequence[ArrayLike], frames: int) -> Floats:
    """(frames, 3) through the waypoints, eased in and out at each."""
    waypoints = [np.asarray(p, float) for p in points]
    legs = len(waypoints) - 1
    out = np.empty((frames, 3))
    for k in range(frames):
        t = (k + 1) / frames * legs
        leg = min(int(t), legs - 1)
        out[k] = waypoints[leg] + smoothstep(t - leg) * (waypoints[leg + 1] - waypoints[leg])
    return out


def dragged(paths: Mapping[str, Floats]) -> Callable[[int], list[Target]]:
    """The targets of joints that follow paths (frames, 3), and stay where these end."""
    return lambda k: [
        Target(joint, vector3(path[min(k, len(path) - 1)])) for joint, path in paths.items()
    ]


def _pose(position: Floats, rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0)) -> Floats:
    return np.concatenate([position, np.asarray(rotation, float)])


def start_configuration(scene: Scene, poses: dict[str, Floats]) -> Floats:
    q = scene.layout.rest()
    for name, own in poses.items():
        q[scene.layout.actor_q[name]] = own
    return q


def moved_object(name: str, shape: Shape | tuple[Shape, ...], at: Floats) -> SceneObject:
    shapes = shape if isinstance(shape, tuple) else (shape,)
    return SceneObject(name, shapes, ObjectKind.MOVED, position_m=at)


def object_scenario(
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
    path = eased_path(points, frames)
    pushed = moved_object("object", shape, np.asarray(points[0], float))
    scene = Scene((Actor("a", human),), (pushed,))
    start = start_configuration(scene, {"a": standing(human) if pose is None else pose})
    made = Scenario(
        name,
        title,
        scene,
        start,
        frames,
        objects=lambda k: {"object": _pose(path[min(k, frames - 1)])},
    )
    return replace(made, **more)
