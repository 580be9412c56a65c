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
from writhe.render.drawn_figure import lowest_drawn, outline, side_colours
from writhe.render.frame_choice import frames_by_motion
from writhe.render.look import BACKGROUND, BODIES, OBJECT, Colour
from writhe.render.picture_stage import HANDLE_M, STANDING_M, THREE_QUARTER, PictureStage
from writhe.skeleton import Figure, Frames, forward

if TYPE_CHECKING:
    from PIL.Image import Image

_INK = (70, 62, 56)
_BAND = 24  # height of the label above a row, pixels


@dataclass(frozen=True)
class StripRow:
    """A motion shown in a row.

    `red`: parts to paint red, by frame; `targets` (frames, k, 3): where the joints `dragged` are
    dragged to.
    """

    label: str
    q: Floats
    red: Sequence[Sequence[str]]
    dragged: tuple[str, ...] = ()
    targets: Floats | None = None
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
    handle_m: float = HANDLE_M,
) -> Path:
    """Render rows of `count` frames (`frames_by_motion`) with one camera and solid meshes.

    Left and right limbs differ in colour; dragged joints and their targets are in every frame, as
    balls of the radius `handle_m` or a little less.
    """
    if len({len(row.q) for row in rows}) != 1:
        raise WritheError("the motions of a comparison must have the same number of frames")
    chosen = frames_by_motion(figure.skeleton, [row.q for row in rows], count)
    posed = [forward(figure.skeleton, row.q[chosen]) for row in rows]
    around = _framed(figure, posed, objects)
    low = [_lowest(figure, frames) for frames in posed]
    sides = side_colours(figure)
    strips: list[Any] = []
    with PictureStage(size) as stage:
        for row, frames, heights in zip(rows, posed, low, strict=True):
            # under the soles at the start, which may be a little below 0; without objects that
            # stand on it under all frames of a row, so that it cuts off no foot
            ground = min(heights[0] if objects else min(heights), STANDING_M)
            panels: list[Any] = []
            for i, frame in enumerate(chosen):
                stage.clear()
                one = Frames(frames.skeleton, frames.positions[i], frames.rotations[i])
                red = row.red[frame]
                stage.add_figure(figure, one, colour=row.colour, by_joint=sides, highlight=red)
                for vertices, triangles in objects:
                    stage.add_mesh(vertices, triangles, colour=OBJECT, smooth=False)
                if row.targets is not None:
                    for joint, target in zip(row.dragged, row.targets[frame], strict=True):
                        stage.add_handle(one.position(joint), target, handle_m)
                panels.append(stage.image(around=around, view=view, ground_height_m=ground))
            strips.append(np.concatenate(panels, axis=1))
    picture = label_rows(strips, [row.label for row in rows])
    target = Path(path)
    picture.save(target, optimize=True)
    return target


def panels_in_rows(panels: Sequence[Any], columns: int | None = None) -> Any:
    """Pictures of one size (height, width, 3) in one row, or in rows of `columns`, as one."""
    width = columns or len(panels)
    blank = np.full_like(panels[0], (255 * np.array(BACKGROUND)).astype(np.uint8))
    filled = [*panels, *[blank] * (-len(panels) % width)]
    rows = [filled[k : k + width] for k in range(0, len(filled), width)]
    return np.concatenate([np.concatenate(row, axis=1) for row in rows], axis=0)


def label_rows(rows: Sequence[Any], labels: Sequence[str]) -> Image:
    """Rows of a picture (height, width, 3) under each other, each below a band with its label."""
    from PIL import Image as Pictures
    from PIL import ImageDraw

    paper = (255 * np.array(BACKGROUND)).astype(np.uint8)
    band = np.tile(paper, (_BAND, rows[0].shape[1], 1))
    picture = Pictures.fromarray(
        np.concatenate([part for row in rows for part in (band, row)], axis=0)
    )
    draw = ImageDraw.Draw(picture)
    top = 0
    for row, label in zip(rows, labels, strict=True):
        draw.line([(0, top), (picture.width, top)], fill=tuple(int(230 * c) for c in BACKGROUND))
        draw.text((8, top + 3), label, fill=_INK, font_size=16)
        top += _BAND + len(row)
    return picture


def _lowest(figure: Figure, frames: Frames) -> list[float]:
    """The height of the lowest point of a figure in each of several postures."""
    return [
        lowest_drawn(figure, Frames(frames.skeleton, *posture))
        for posture in zip(frames.positions, frames.rotations, strict=True)
    ]


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
