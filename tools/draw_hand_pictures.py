#!/usr/bin/env python
"""Draw the pictures of docs/hands.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from writhe import figure, forward, hand_pose
from writhe.collision import CollisionTable
from writhe.hands import HAND_POSES
from writhe.render.picture_stage import PictureStage

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


def main() -> None:
    hand_poses()


if __name__ == "__main__":
    main()
