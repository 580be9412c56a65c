"""The steps of the preparation: each compiles or loads what one part of the studio needs.

They run first in worker processes, which fill the cache, and then in the server, which loads from
it.
"""

from __future__ import annotations

import numpy as np

from writhe.animation.mirror import mirrored_pose
from writhe.collision import ball, certify
from writhe.database import PostureDatabase
from writhe.postures.builtin import builtin_database
from writhe.postures.preset_poses import LIBRARIES, preset_names, preset_pose
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure
from writhe.solvers.half_space import CollisionResponse
from writhe.solvers.posing import Pin, Poser, Target, make_poser, method_names
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.studio.editing.posers import Posers
from writhe.studio.editing.scene.contact_defaults import clearance
from writhe.studio.editing.starting_poses import starting_pins, starting_pose
from writhe.studio.view.diagnostics import Diagnostics
from writhe.studio.view.silhouettes import silhouette
from writhe.warmup import stages


def body() -> None:
    """The skin of the human and the pose that documents start with."""
    human = figure("human")
    mirrored_pose(human, starting_pose(human))


def postures() -> None:
    """The built-in posture library."""
    builtin_database()


def collisions() -> None:
    """The gate and the certificate, of two shapes."""
    stages.collision()


def posing() -> None:
    """A drag with the default method and three postures; `postures` makes the library meanwhile."""
    human = figure("human")
    few = np.repeat(human.skeleton.rest_configuration[None], 3, axis=0)
    _drag(human, make_poser("default", human, PostureDatabase.from_postures(human, few)))


def other_methods() -> None:
    """A drag with each of the other methods."""
    human = figure("human")
    for method in method_names():
        if method != "default":
            _drag(human, Posers().make(method, human))


def _drag(human: Figure, poser: Poser) -> None:
    q = starting_pose(human)
    pins = [
        Pin(p.joint, p.position_in_world, orientation_in_world=p.orientation_in_world)
        for p in starting_pins(human, q)
    ]
    target = Target("left_wrist", (0.4, 1.0, 0.2))
    turned = Target("left_wrist", (0.4, 1.0, 0.2), orientation_in_world=(1.0, 0.0, 0.0, 0.0))
    poser.step(q, [target], pins)
    poser.step(q, [turned], pins)


def diagnostics() -> None:
    """What is measured after every step of a drag."""
    human = figure("human")
    q = starting_pose(human)
    clearance(human, q)
    in_scene = ActorInScene.alone(human)
    Diagnostics(human, in_scene).measure(q)
    certify(in_scene.table, np.stack([q, q]), fps=30.0)


def preset_poses() -> None:
    """The pictures of the preset poses."""
    for library in LIBRARIES:
        for name in preset_names(library):
            silhouette(library, preset_pose(library, name)[1])


def pushing() -> None:
    """Objects that push bodies."""
    human = figure("human")
    pushed = SceneObject("ball", (ball((0.0, 0.0, 0.0), 0.1),), kind=ObjectKind.MOVED)
    scene = Scene((Actor("human", human),), (pushed,))
    q = scene.layout.rest()
    q[scene.layout.actor_q["human"]] = starting_pose(human)
    near = np.array([0.0, 1.2, 0.25, 1.0, 0.0, 0.0, 0.0])
    q[scene.layout.object_q["ball"]] = near
    CollisionResponse(scene).step(q, objects={"ball": near - [0, 0, 0.05, 0, 0, 0, 0]})
