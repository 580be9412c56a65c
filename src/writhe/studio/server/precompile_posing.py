"""Compiles the kernels and loads the data that posing needs, before the page opens.

The first run on a machine takes a few minutes (compiled kernels are cached on disk), later runs a
few seconds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from writhe.collision import ball, certify
from writhe.postures.builtin import builtin_database
from writhe.progress import Progress
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.skeleton.figures import figure
from writhe.solvers.half_space import CollisionResponse
from writhe.solvers.posing import Pin, Target, method_names
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.studio.editing.contact_defaults import clearance
from writhe.studio.editing.posers import Posers
from writhe.studio.editing.preset_poses import LIBRARIES, preset_names, preset_pose
from writhe.studio.editing.starting_poses import mirrored, starting_pins, starting_pose
from writhe.studio.view.diagnostics import Diagnostics
from writhe.studio.view.silhouettes import silhouette


def _body() -> None:
    human = figure("human")
    mirrored(human, starting_pose(human))


def _postures() -> None:
    builtin_database()


def _posing() -> None:
    human = figure("human")
    q = starting_pose(human)
    pins = [
        Pin(p.joint, p.position_in_world, orientation_in_world=p.orientation_in_world)
        for p in starting_pins(human, q)
    ]
    posers = Posers()
    target = Target("left_wrist", (0.4, 1.0, 0.2))
    turned = Target("left_wrist", (0.4, 1.0, 0.2), orientation_in_world=(1.0, 0.0, 0.0, 0.0))
    for method in method_names():
        poser = posers.make(method, human)
        poser.step(q, [target], pins)
        poser.step(q, [turned], pins)


def _diagnostics() -> None:
    human = figure("human")
    q = starting_pose(human)
    clearance(human, q)
    in_scene = ActorInScene.alone(human)
    Diagnostics(human, in_scene).measure(q)
    certify(in_scene.table, np.stack([q, q]), fps=30.0)


def _preset_poses() -> None:
    for library in LIBRARIES:
        for name in preset_names(library):
            silhouette(library, preset_pose(library, name)[1])


def _pushing() -> None:
    human = figure("human")
    pushed = SceneObject("ball", (ball((0.0, 0.0, 0.0), 0.1),), kind=ObjectKind.MOVED)
    scene = Scene((Actor("human", human),), (pushed,))
    q = scene.layout.rest()
    q[scene.layout.actor_q["human"]] = starting_pose(human)
    near = np.array([0.0, 1.2, 0.25, 1.0, 0.0, 0.0, 0.0])
    q[scene.layout.object_q["ball"]] = near
    CollisionResponse(scene).step(q, objects={"ball": near - [0, 0, 0.05, 0, 0, 0, 0]})


_STAGES: dict[str, Callable[[], None]] = {
    "the body": _body,
    "postures (half a minute the first time)": _postures,
    "posing (two minutes the first time)": _posing,
    "collisions, linking and certificates": _diagnostics,
    "preset poses": _preset_poses,
    "moved objects": _pushing,
}


def prepare(progress: Progress) -> None:
    """Run all stages; `progress` is called before each."""
    for done, (name, stage) in enumerate(_STAGES.items()):
        progress(done / len(_STAGES), name)
        stage()
