#!/usr/bin/env python3
"""Draw a contact sheet of the built-in library's key poses: many small pictures in one.

Example: draw_library_contact_sheet.py basic chair ladder -o docs/images/library.png --columns 16
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from writhe.collision.shapes import Core
from writhe.postures.builtin import KINDS, authored_poses
from writhe.postures.builtin.pose_setting import PoseSetting
from writhe.postures.builtin.posture_variants import PostureBuilder, SolvedPosture
from writhe.render import PictureStage
from writhe.skeleton import forward
from writhe.skeleton.figures import figure

BACK = (245, 241, 234)


def settled(setting: PoseSetting, kind: str, max_poses: int) -> list[SolvedPosture]:
    """At most `most` settled key poses, evenly chosen, without reaches and strides."""
    poses = [p for p in authored_poses(kind) if not p.name.startswith(("reach ", "walk", "run"))]
    chosen = np.unique(
        np.linspace(0, len(poses) - 1, min(max_poses, len(poses))).round().astype(int)
    )
    builder = PostureBuilder(setting)
    made = [builder.authored(poses[i]) for i in chosen]
    print(f"{kind}: {len(poses)} key poses, {len(chosen)} drawn, dropped: {builder.tally.dropped}")
    return [p for p in made if p is not None]


def add_object(stage: PictureStage, setting: PoseSetting) -> None:
    """Add the setting's chair or ladder."""
    if not setting.object_name:
        return
    for shape in setting.layout.scene.object(setting.object_name).shapes:
        points, r = shape.points_in_joint, shape.radius_m
        if shape.core is Core.SEGMENT:
            stage.add_capsule(points[0], points[1], r)
        else:
            low, high = points.min(axis=0) - r, points.max(axis=0) + r
            stage.add_box((high - low) / 2, (high + low) / 2)


def tile(
    stage: PictureStage,
    setting: PoseSetting,
    posture: SolvedPosture,
    size: tuple[int, int],
    label: bool,
) -> Image.Image:
    """A small picture of one posture; all have the same scale."""
    stage.clear()
    add_object(stage, setting)
    frames = forward(setting.figure.skeleton, posture.q)
    stage.add_figure(setting.figure, frames)
    middle = frames.positions.mean(axis=0)
    low, high = np.array([-0.36, 0.0, -0.36]), np.array([0.36, 1.9, 0.36])
    around = np.array([low, high]) + np.array([middle[0], 0.0, middle[2]])
    view = (1.0, 0.3, -0.9) if setting.object_name == "ladder" else (0.7, 0.28, 1.0)
    picture = Image.fromarray(stage.image(around=around, view=view, ground_height_m=0.0))
    if label:
        ImageDraw.Draw(picture).text((3, 2), posture.name, fill=(90, 80, 70))
    return picture.resize(size) if picture.size != size else picture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=["basic"], choices=KINDS)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--columns", type=int, default=12)
    parser.add_argument("--size", type=int, default=96, help="width of one picture in pixels")
    parser.add_argument(
        "--max-poses", type=int, default=1000, help="largest number of poses per kind"
    )
    parser.add_argument("--labels", action="store_true")
    options = parser.parse_args()
    size = (options.size, round(options.size * 1.16))
    human = figure("human")
    tiles: list[Image.Image] = []
    with PictureStage(size) as stage:
        for kind in options.kinds:
            setting = PoseSetting(human, "" if kind == "basic" else kind)
            tiles += [
                tile(stage, setting, posture, size, options.labels)
                for posture in settled(setting, kind, options.max_poses)
            ]
    rows = -(-len(tiles) // options.columns)
    sheet = Image.new("RGB", (options.columns * size[0], rows * size[1]), BACK)
    for i, picture in enumerate(tiles):
        sheet.paste(picture, ((i % options.columns) * size[0], (i // options.columns) * size[1]))
    sheet.quantize(64, dither=Image.Dither.NONE).save(options.output, optimize=True)
    print(f"{options.output}: {len(tiles)} pictures, {options.output.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
