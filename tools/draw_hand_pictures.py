#!/usr/bin/env python
"""Draw the pictures of docs/hands.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from writhe import Actor, Scene, builtin_database, figure, forward, grip, hand_pose
from writhe.collision import CollisionTable, ball, box, capsule, cylinder
from writhe.hands import HAND_POSES
from writhe.render.picture_stage import PictureStage
from writhe.render.scenes import add_scene
from writhe.scene import ObjectKind, SceneObject
from writhe.studio.editing.starting_poses import starting_pose

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
TILE = (300, 260)


def row(pictures: list[np.ndarray], columns: int) -> Image.Image:
    """Pictures of one size side by side, in rows of `columns`."""
    lines = [np.hstack(pictures[i : i + columns]) for i in range(0, len(pictures), columns)]
    return Image.fromarray(np.vstack(lines))


def hand_poses() -> None:
    """The six hand poses, seen from the thumb's side."""
    body = figure("human_with_fingers")
    table = CollisionTable.of_figure(body)
    pictures: list[np.ndarray] = []
    for name in HAND_POSES:
        q = hand_pose(body, body.skeleton.rest_configuration, "right", name, table)
        frames = forward(body.skeleton, q)
        middle = frames.position("right_middle_1")
        with PictureStage(TILE, ground=False) as stage:
            stage.add_figure(body, frames)
            around = np.array([middle - 0.078, middle + 0.078])
            pictures.append(stage.image(around=around, view=(-0.75, 0.35, 1.0)))
    row(pictures, 3).save(IMAGES / "hand_poses.png")


GRIPPED = {
    "bar": (capsule((-0.4, 0, 0), (0.4, 0, 0), 0.016), (-0.25, 1.10, 0.40)),
    "cup": (cylinder((0, -0.05, 0), (0, 0.05, 0), 0.037), (-0.20, 1.15, 0.42)),
    "ball": (ball((0, 0, 0), 0.04), (-0.20, 1.20, 0.42)),
    "box": (box((0, 0, 0), (0.06, 0.10, 0.06)), (-0.20, 1.00, 0.42)),
}


def grips() -> None:
    """Four grips: the person above, the hand below."""
    body = figure("human_with_fingers")
    people: list[np.ndarray] = []
    hands: list[np.ndarray] = []
    for shape, position in GRIPPED.values():
        thing = SceneObject("thing", (shape,), ObjectKind.MOVED, np.array(position))
        scene = Scene((Actor("anna", body),), (thing,))
        q = scene.layout.rest()
        q[scene.layout.actor_q["anna"]] = starting_pose(body)
        found = grip(scene, "anna", "right", "thing", q, database=builtin_database("basic"))
        posed = forward(scene.layout.skeleton, found.q)
        for size, ground, pictures in (((300, 420), True, people), ((300, 300), False, hands)):
            with PictureStage(size, ground=ground) as stage:
                add_scene(stage, scene, posed)
                middle = posed.position("anna.right_middle_1")
                around = None if ground else np.array([middle - 0.085, middle + 0.085])
                view = (-0.8, 0.2, 1.0) if ground else (0.3, 0.25, 1.0)
                pictures.append(stage.image(around=around, view=view))
    whole = np.vstack([np.hstack(people), np.hstack(hands)])
    Image.fromarray(whole).save(IMAGES / "grips.png")


def main() -> None:
    hand_poses()
    grips()


if __name__ == "__main__":
    main()
