"""Pictures of one figure: a pose, a film strip, a movie."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import ndimage

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.progress import Progress
from writhe.render.drawn_figure import lowest_drawn, outline
from writhe.render.frame_choice import frames_by_time
from writhe.render.look import BODIES, Colour
from writhe.render.movies import check_movie_name, write_movie
from writhe.render.picture_stage import THREE_QUARTER, PictureStage
from writhe.render.strips import panels_in_rows
from writhe.skeleton import Figure, Frames, Motion, forward

Highlights = Sequence[Sequence[str]]  # names of the parts to paint red, by frame

_TRAVEL_M = 2.0  # the camera follows motions that travel farther than this


def render_pose(
    figure: Figure,
    q: ArrayLike,
    path: str | Path,
    *,
    size: tuple[int, int] = (900, 900),
    show: str = "skin",
    highlight: Sequence[str] = (),
    colour: Colour = BODIES[0],
    view: ArrayLike = THREE_QUARTER,
) -> Path:
    """Render one pose to a file; `highlight` names parts to paint red."""
    with PictureStage(size) as stage:
        stage.add_figure(
            figure, forward(figure.skeleton, q), show=show, colour=colour, highlight=highlight
        )
        return stage.save(path, view=view)


def film_strip(
    figure: Figure,
    motion: Motion,
    path: str | Path,
    *,
    count: int = 8,
    size: tuple[int, int] = (280, 420),
    frames: Sequence[int] | None = None,
    columns: int | None = None,
    show: str = "skin",
    highlights: Highlights | None = None,
    by_joint: Mapping[str, Colour] | None = None,
    view: ArrayLike = THREE_QUARTER,
    ground: bool = True,
    extra: Callable[[PictureStage, Frames], None] | None = None,
) -> Path:
    """Render `count` evenly spaced frames (or `frames`) side by side, each of `size` pixels.

    With `columns`, in rows of so many frames. All have one scale, at which every body fits; the
    camera follows the body. `by_joint`: colours of single joints (`side_colours` tells left from
    right). `extra` adds geometry, such as what a hand holds.
    """
    from PIL import Image

    _check(figure, motion, highlights)
    chosen = list(frames or frames_by_time(len(motion), count))
    posed = forward(figure.skeleton, motion.q[chosen])
    boxes = [_box(figure, posed, i) for i in range(len(chosen))]
    drawn = show == "skin" and figure.skin is not None
    floor = min(
        lowest_drawn(figure, _one(posed, i)) if drawn else float(b[0, 1])
        for i, b in enumerate(boxes)
    )
    middles = np.array([[b[:, 0].mean(), 0.0, b[:, 2].mean()] for b in boxes])
    bodies = [_outline(figure, posed, i) - middles[i] for i in range(len(chosen))]
    panels: list[Any] = []
    with PictureStage(size, ground=ground) as stage:
        if extra is not None:
            for i in range(len(chosen)):
                stage.clear()
                extra(stage, _one(posed, i))
                bodies.append(stage.points() - middles[i])
        framed = np.concatenate(bodies)
        for i, frame in enumerate(chosen):
            stage.clear()
            red = highlights[frame] if highlights is not None else ()
            stage.add_figure(figure, _one(posed, i), show=show, by_joint=by_joint, highlight=red)
            if extra is not None:
                extra(stage, _one(posed, i))
            around = framed + middles[i]
            panels.append(stage.image(around=around, view=view, ground_height_m=_floor(floor)))
    target = Path(path)
    Image.fromarray(panels_in_rows(panels, columns)).save(target, optimize=True)
    return target


def before_after(
    figure: Figure, before: Motion, after: Motion, path: str | Path, *, count: int = 8
) -> Path:
    """Render film strips of two versions of a motion, stacked, colliding parts red."""
    import tempfile

    from PIL import Image

    from writhe.collision import CollisionTable, violating_parts

    table = CollisionTable.of_figure(figure)
    rows: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, motion in enumerate((before, after)):
            strip = Path(folder) / f"{number}.png"
            red = violating_parts(table, motion.q)
            film_strip(figure, motion, strip, count=count, highlights=red)
            rows.append(np.asarray(Image.open(strip)))
    target = Path(path)
    Image.fromarray(np.concatenate(rows, axis=0)).save(target, optimize=True)
    return target


def movie(
    figure: Figure,
    motion: Motion,
    path: str | Path,
    *,
    fps: float | None = None,
    size: tuple[int, int] = (480, 480),
    show: str = "skin",
    highlights: Highlights | None = None,
    view: ArrayLike = THREE_QUARTER,
    progress: Progress | None = None,
) -> Path:
    """Render a motion to a GIF or MP4 (by suffix) at `fps` (default 15 for GIF, 30 for MP4)."""
    target = Path(path)
    check_movie_name(target)
    _check(figure, motion, highlights)
    rate = min(fps or (15.0 if target.suffix.lower() == ".gif" else 30.0), motion.fps)
    count = max(1, int(motion.duration_s * rate + 1e-9) + 1)
    times = np.arange(count) / rate
    frames = forward(figure.skeleton, motion.at(times))
    boxes = np.array([_box(figure, frames, i) for i in range(count)])
    centres, half = _camera_path(boxes, rate)
    floor = _floor(float(boxes[:, 0, 1].min()))
    images: list[Any] = []
    with PictureStage(size) as stage:
        for i in range(count):
            stage.clear()
            nearest = min(round(float(times[i]) * motion.fps), len(motion) - 1)
            red = highlights[nearest] if highlights is not None else ()
            stage.add_figure(figure, _one(frames, i), show=show, highlight=red)
            around = np.stack([centres[i] - half, centres[i] + half])
            images.append(stage.image(around=around, view=view, ground_height_m=floor))
            if progress:
                progress((i + 1) / count)
    return write_movie(target, images, rate)


def _check(figure: Figure, motion: Motion, highlights: Highlights | None) -> None:
    if motion.skeleton.names != figure.skeleton.names:
        raise WritheError(
            f"the motion {motion.name!r} has another skeleton than {figure.name!r}: retarget it"
        )
    if highlights is not None and len(highlights) != len(motion):
        raise WritheError(
            f"highlights must have one entry per frame: {len(motion)}, not {len(highlights)}"
        )


def _one(frames: Frames, index: int) -> Frames:
    return Frames(frames.skeleton, frames.positions[index], frames.rotations[index])


def _box(figure: Figure, frames: Frames, index: int) -> Floats:
    """(2, 3) bounding box of the figure's capsules (or joints) in one frame."""
    one = _one(frames, index)
    if not figure.capsules:
        points = one.positions
        return np.stack([points.min(axis=0) - 0.1, points.max(axis=0) + 0.1])
    ends = [
        (one.point(c.joint, p), c.radius_m)
        for c in figure.capsules
        for p in (c.start_in_joint, c.end_in_joint)
    ]
    points, radii = np.array([e[0] for e in ends]), np.array([e[1] for e in ends])[:, None]
    return np.stack([(points - radii).min(axis=0), (points + radii).max(axis=0)])


def _outline(figure: Figure, frames: Frames, index: int) -> Floats:
    """(n, 3) points around the body in one frame, for framing it."""
    one = _one(frames, index)
    return outline(figure, one) if figure.capsules else one.positions


def _camera_path(boxes: Floats, rate: float) -> tuple[Floats, Floats]:
    """Centres (n, 3) and one half-size (3) of the framed boxes."""
    low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    middle = boxes.mean(axis=1)
    half = np.max((boxes[:, 1] - boxes[:, 0]) / 2, axis=0)
    if float(np.ptp(middle[:, [0, 2]], axis=0).max()) < _TRAVEL_M:
        return np.tile((low + high) / 2, (len(boxes), 1)), (high - low) / 2
    window = max(1, int(rate))
    centres = cast(Floats, ndimage.uniform_filter1d(middle, window, axis=0, mode="nearest"))
    centres[:, 1] = (low[1] + high[1]) / 2
    half = half + np.abs(middle - centres).max(axis=0)
    half[1] = (high[1] - low[1]) / 2
    return centres, half


def _floor(lowest_m: float) -> float:
    """Ground height of a motion: its lowest point, or 0 if it stays well above."""
    return lowest_m if lowest_m < 0.35 else 0.0
