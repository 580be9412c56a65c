"""Pictures of scenes: actors and objects at chosen frames, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats
from writhe.collision import Shape, violating_parts
from writhe.collision.shapes import Core
from writhe.render.look import BODIES, COLLIDING, OBJECT
from writhe.render.stage import THREE_QUARTER, Stage
from writhe.scene import Scene
from writhe.skeleton import Frames, forward


def scene_strip(
    scene: Scene,
    q: Floats,
    path: str | Path,
    *,
    count: int = 6,
    size: tuple[int, int] = (260, 360),
    view: ArrayLike = THREE_QUARTER,
    show: str = "skin",
    around: Floats | None = None,
    frames: Sequence[int] | None = None,
) -> Path:
    """`count` evenly spaced frames (or `frames`) of scene configurations (frames, nq) in a row.

    Parts that overlap beyond their allowance by 2 mm or more are painted red.
    """
    from PIL import Image

    Image.fromarray(
        strip_image(
            scene, q, count=count, size=size, view=view, show=show, around=around, frames=frames
        )
    ).save(Path(path), optimize=True)
    return Path(path)


def strip_image(
    scene: Scene,
    q: Floats,
    *,
    count: int = 6,
    size: tuple[int, int] = (260, 360),
    view: ArrayLike = THREE_QUARTER,
    show: str = "skin",
    around: Floats | None = None,
    frames: Sequence[int] | None = None,
) -> Any:
    """The film strip as bytes (height, width, 3)."""
    chosen = (
        np.linspace(0, len(q) - 1, count).round().astype(int)
        if frames is None
        else np.array(frames)
    )
    posed = forward(scene.layout.skeleton, q[chosen])
    red = violating_parts(scene.layout.table, q[chosen], 0.002)
    box = _box(scene, posed) if around is None else np.asarray(around, float)
    panels: list[Any] = []
    with Stage(size) as stage:
        for i in range(len(chosen)):
            stage.clear()
            one = Frames(posed.skeleton, posed.positions[i], posed.rotations[i])
            add_scene(stage, scene, one, show=show, highlight=red[i])
            panels.append(stage.image(around=box, view=view, ground_height_m=_ground(box)))
    return np.concatenate(panels, axis=1)


def add_scene(
    stage: Stage, scene: Scene, frames: Frames, *, show: str = "skin", highlight: Sequence[str] = ()
) -> None:
    """Put every actor and object on the stage at the frames of the scene's layout."""
    for number, actor in enumerate(scene.actors):
        first = frames.skeleton.index(actor.name) + 1
        own = slice(first, first + len(actor.figure.skeleton))
        part = Frames(actor.figure.skeleton, frames.positions[own], frames.rotations[own])
        red = [n.split(".", 1)[1] for n in highlight if n.startswith(f"{actor.name}.")]
        colour = BODIES[number % len(BODIES)]
        stage.add_figure(actor.figure, part, show=show, colour=colour, highlight=red)
    for thing in scene.objects:
        position, rotation = frames.position(thing.name), frames.rotation(thing.name)
        colour = COLLIDING if thing.name in highlight else OBJECT
        for shape in thing.shapes:
            _add_shape(stage, shape, position, rotation, colour)


def _add_shape(
    stage: Stage, shape: Shape, position: Floats, rotation: Floats, colour: tuple[float, ...]
) -> None:
    points = shape.points_in_joint @ rotation.T + position
    tint = (colour[0], colour[1], colour[2])
    if shape.core is Core.SEGMENT:
        stage.add_capsule(points[0], points[1], shape.radius_m, colour=tint)
    elif shape.core is Core.CONVEX:
        from scipy.spatial import ConvexHull

        # the rounded solid: balls around the corners, coarse but true to its outline
        directions = _sphere_directions()
        cloud = (points[:, None] + shape.radius_m * directions[None]).reshape(-1, 3)
        found = ConvexHull(cloud)
        centre = cloud.mean(axis=0)
        triangles = found.simplices.copy()
        corners = cloud[triangles]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        inward = ((corners.mean(axis=1) - centre) * normal).sum(axis=1) < 0
        triangles[inward] = triangles[inward][:, ::-1]
        stage.add_mesh(cloud, triangles.astype(np.int64), colour=tint, smooth=False)


def _sphere_directions() -> Floats:
    signs = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]
    rows = np.array([s for s in signs if any(s)], dtype=float)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _box(scene: Scene, posed: Frames) -> Floats:
    """A box around the actors in all frames, with room for their flesh."""
    own: list[Floats] = []
    for actor in scene.actors:
        first = posed.skeleton.index(actor.name) + 1
        own.append(posed.positions[:, first : first + len(actor.figure.skeleton)].reshape(-1, 3))
    points = np.concatenate(own) if own else posed.positions.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.12 * float((high - low).max())
    return np.stack([low - room, high + room])


def _ground(box: Floats) -> float:
    return 0.0 if box[0, 1] < 0.35 else float(box[0, 1])
