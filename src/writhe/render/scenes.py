"""Pictures of whole scenes: every actor and object of a layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats
from writhe.collision import Shape
from writhe.collision.shapes import Core
from writhe.render.look import BODIES, OBJECT, Colour
from writhe.render.stage import THREE_QUARTER, Stage
from writhe.scene import Layout
from writhe.skeleton import Frames, forward

Extra = Callable[[Stage, Floats], None]  # draws more onto the stage, at a configuration


def draw_scene(
    stage: Stage,
    layout: Layout,
    q: Floats,
    *,
    colours: Mapping[str, Colour] | None = None,
    hidden: Sequence[str] = (),
    show: str = "skin",
) -> None:
    """Put every actor and object on the stage as they are at the scene's configuration q."""
    given, frames = colours or {}, forward(layout.skeleton, q)
    for k, actor in enumerate(layout.scene.actors):
        if actor.name in hidden:
            continue
        colour = given.get(actor.name, BODIES[k % len(BODIES)])
        # the actor's joints stand in the layout as in the figure, after its anchor
        first = layout.skeleton.index(actor.name) + 1
        rows = slice(first, first + len(actor.figure.skeleton))
        own = Frames(actor.figure.skeleton, frames.positions[rows], frames.rotations[rows])
        stage.add_figure(actor.figure, own, show=show, colour=colour)
    for thing in layout.scene.objects:
        if thing.name in hidden:
            continue
        j = layout.skeleton.index(thing.name)
        for shape in thing.shapes:
            points = shape.points_in_joint @ frames.rotations[j].T + frames.positions[j]
            _draw_shape(stage, shape, points, given.get(thing.name, OBJECT))


def scene_strip(
    layout: Layout,
    path_q: Floats,
    target: str | Path,
    *,
    frames: Sequence[int] | None = None,
    count: int = 7,
    size: tuple[int, int] = (300, 420),
    colours: Mapping[str, Colour] | None = None,
    hidden: Sequence[str] = (),
    view: ArrayLike = THREE_QUARTER,
    around: ArrayLike | None = None,
    extra: Extra | None = None,
    show: str = "skin",
    ground: bool = True,
) -> Path:
    """Frames of a scene's motion (frames, nq) side by side, seen by a camera that stands still."""
    from PIL import Image

    chosen = (
        np.unique(np.linspace(0, len(path_q) - 1, count).round().astype(int))
        if frames is None
        else np.asarray(frames)
    )
    panels: list[Any] = []
    with Stage(size, ground=ground) as stage:
        box = np.asarray(around, float) if around is not None else None
        if box is None:
            boxes: list[Floats] = []
            for frame in chosen:
                stage.clear()
                draw_scene(stage, layout, path_q[frame], hidden=hidden, show=show)
                boxes.append(stage.bounds())
            low, high = np.min([b[0] for b in boxes], axis=0), np.max([b[1] for b in boxes], axis=0)
            box = np.stack([low, high])
        for frame in chosen:
            stage.clear()
            draw_scene(stage, layout, path_q[frame], colours=colours, hidden=hidden, show=show)
            if extra is not None:
                extra(stage, path_q[frame])
            panels.append(stage.image(around=box, view=view))
    out = Path(target)
    picture = Image.fromarray(np.concatenate(panels, axis=1))
    picture.quantize(200, dither=Image.Dither.NONE).save(out, optimize=True)
    return out


def _draw_shape(stage: Stage, shape: Shape, points: Floats, colour: Colour) -> None:
    if shape.core is Core.SEGMENT:
        stage.add_capsule(points[0], points[1], shape.radius_m, colour=colour)
    elif shape.core is Core.CONVEX:
        from scipy.spatial import ConvexHull

        centre = points.mean(axis=0)
        away = points - centre
        away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
        grown = points + shape.radius_m * away
        hull = ConvexHull(grown)
        triangles = hull.simplices.copy()
        # outward, whichever way Qhull listed the corners
        corners = grown[triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        inward = (normals * (corners[:, 0] - centre)).sum(axis=1) < 0
        triangles[inward] = triangles[inward][:, ::-1]
        stage.add_mesh(grown, triangles.astype(np.int64), colour=colour, smooth=False)
