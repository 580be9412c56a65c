"""Stacked film strips: the same frames of several methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.render.look import BACKGROUND, BODIES, OBJECT, Colour
from writhe.render.picture_stage import THREE_QUARTER, PictureStage, outline
from writhe.skeleton import Figure, Frames, forward

if TYPE_CHECKING:
    from PIL.Image import Image

MARK: Colour = (0.25, 0.62, 0.30)  # colour of drag targets
_INK = (70, 62, 56)


@dataclass(frozen=True)
class StripRow:
    """A motion shown in a row.

    `red`: parts to paint red, by frame; `marks` (frames, k, 3): positions of the drag targets.
    """

    label: str
    q: Floats
    red: Sequence[Sequence[str]]
    marks: Floats | None = None
    colour: Colour = BODIES[0]


def comparison(
    figure: Figure,
    rows: Sequence[StripRow],
    path: str | Path,
    *,
    objects: Sequence[tuple[Floats, Ints]] = (),
    count: int = 6,
    size: tuple[int, int] = (230, 300),
    view: ArrayLike = THREE_QUARTER,
) -> Path:
    """Render rows of `count` evenly spaced frames with one camera and solid objects (meshes)."""
    from PIL import Image as Pictures

    if len({len(row.q) for row in rows}) != 1:
        raise WritheError("the motions of a comparison must have the same number of frames")
    chosen = np.unique(np.linspace(0, len(rows[0].q) - 1, max(count, 1)).round().astype(int))
    posed = [forward(figure.skeleton, row.q[chosen]) for row in rows]
    around = _framed(figure, posed, objects)
    # under the soles at the start, which may be a little below 0
    begin = Frames(posed[0].skeleton, posed[0].positions[0], posed[0].rotations[0])
    ground = min(float(outline(figure, begin)[:, 1].min()), 0.0)
    strips: list[Any] = []
    with PictureStage(size) as stage:
        for row, frames in zip(rows, posed, strict=True):
            panels: list[Any] = []
            for i, frame in enumerate(chosen):
                stage.clear()
                one = Frames(frames.skeleton, frames.positions[i], frames.rotations[i])
                red = row.red[int(frame)]
                stage.add_figure(figure, one, colour=row.colour, highlight=red)
                for vertices, triangles in objects:
                    stage.add_mesh(vertices, triangles, colour=OBJECT, smooth=False)
                if row.marks is not None:
                    for mark in row.marks[int(frame)]:
                        stage.add_sphere(mark, 0.035, colour=MARK)
                panels.append(stage.image(around=around, view=view, ground_height_m=ground))
            strips.append(np.concatenate(panels, axis=1))
    picture = Pictures.fromarray(np.concatenate(strips, axis=0))
    label_rows(picture, [row.label for row in rows])
    target = Path(path)
    picture.save(target, optimize=True)
    return target


def label_rows(picture: Image, labels: Sequence[str]) -> None:
    """Write a label into each of the equally high rows of a picture, with lines between them."""
    from PIL import ImageDraw

    draw = ImageDraw.Draw(picture)
    height = picture.height // len(labels)
    for i, label in enumerate(labels):
        draw.text((8, i * height + 6), label, fill=_INK, font_size=16)
        if i:
            pale = tuple(int(230 * c) for c in BACKGROUND)
            draw.line([(0, i * height), (picture.width, i * height)], fill=pale)


def _framed(
    figure: Figure, posed: Sequence[Frames], objects: Sequence[tuple[Floats, Ints]]
) -> Floats:
    """(n, 3) framed points: all bodies, and objects."""
    bodies = [
        outline(figure, Frames(f.skeleton, f.positions[i], f.rotations[i]))
        for f in posed
        for i in range(len(f.positions))
    ]
    return np.concatenate([*bodies, *(vertices for vertices, _ in objects)])
