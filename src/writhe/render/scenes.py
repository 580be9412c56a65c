"""Pictures of scenes: actors and objects at chosen frames, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats
from writhe.collision import Shape, violating_parts
from writhe.collision.mesh_pieces.surfaces import surface
from writhe.collision.shapes import Core
from writhe.hands.added_fingers import scene_with_fingers, set_hands
from writhe.render.look import BODIES, COLLIDING, OBJECT, Colour
from writhe.render.movies import write_movie
from writhe.render.picture_stage import THREE_QUARTER, PictureStage, outline
from writhe.scene import Actor, Scene
from writhe.skeleton import Frames, forward

Extra = Callable[[PictureStage, Floats], None]  # adds geometry to the picture at a configuration
_COARSE_M = 0.05  # edge length of drawn solids
MOVIE_FPS = 12.0


def scene_strip(scene: Scene, q: Floats, path: str | Path, **look: Any) -> Path:
    """Render a film strip of scene configurations (frames, nq) to a file; see `strip_image`."""
    from PIL import Image

    picture = Image.fromarray(strip_image(scene, q, **look))
    picture.quantize(200, dither=Image.Dither.NONE).save(Path(path), optimize=True)
    return Path(path)


def scene_movie(
    scene: Scene, q: Floats, path: str | Path, *, fps: float, seconds: float = 4.0, **look: Any
) -> Path:
    """Render a movie (`movies.MOVIES`) of scene configurations (frames, nq) at `fps`.

    Motions longer than `seconds` are sped up to keep the file small; `look` as in `strip_image`.
    """
    shown = min(len(q), max(2, round(MOVIE_FPS * min(seconds, len(q) / fps))))
    frames = np.linspace(0, len(q) - 1, shown).round().astype(int).tolist()
    return write_movie(Path(path), list(_panels(scene, q, frames, **look)), MOVIE_FPS)


def strip_image(
    scene: Scene, q: Floats, *, count: int = 6, frames: Sequence[int] | None = None, **look: Any
) -> Any:
    """`count` evenly spaced frames (or `frames`) in a row, as bytes (height, width, 3).

    Parts that overlap by 2 mm or more beyond their allowance are painted red. `look`: `size` of a
    panel, `view`, the framed box or points `around` (by default all bodies and objects that are
    shown), `show` ("skin" or "capsules"), `colours` and `hidden` by names of actors and objects,
    `extra` that adds geometry, `ground`, and `hands`: the built-in humans are drawn with fingers,
    in this hand pose, or with "closed" around what their hands are near.
    """
    evenly = np.unique(np.linspace(0, len(q) - 1, count).round().astype(int)).tolist()
    return np.concatenate(list(_panels(scene, q, frames or evenly, **look)), axis=1)


def _panels(
    scene: Scene,
    q: Floats,
    frames: Sequence[int],
    *,
    size: tuple[int, int] = (260, 360),
    view: ArrayLike = THREE_QUARTER,
    around: ArrayLike | None = None,
    show: str = "skin",
    colours: Mapping[str, Colour] | None = None,
    hidden: Sequence[str] = (),
    extra: Extra | None = None,
    ground: bool = True,
    hands: str = "",
) -> Iterator[Any]:
    chosen = np.array(frames)
    posed = forward(scene.layout.skeleton, q[chosen])
    red = violating_parts(scene.layout.table, q[chosen], 0.002)
    framed = _outlines(scene, posed, hidden) if around is None else np.asarray(around, float)
    lowest = float(framed[:, 1].min())
    low = 0.0 if lowest < 0.35 else lowest
    if around is None and scene.actors:  # without a floor, soles may be a little below 0
        first = Frames(posed.skeleton, posed.positions[0], posed.rotations[0])
        soles = [outline(a.figure, _own_frames(first, a))[:, 1].min() for a in scene.actors]
        low = min(low, float(min(soles)))
    drawn = scene_with_fingers(scene) if hands else scene
    with PictureStage(size, ground=ground) as stage:
        for i, frame in enumerate(chosen):
            stage.clear()
            one = Frames(posed.skeleton, posed.positions[i], posed.rotations[i])
            if hands:
                one = forward(drawn.layout.skeleton, set_hands(scene, drawn, q[frame], hands))
            add_scene(
                stage, drawn, one, show=show, highlight=red[i], colours=colours, hidden=hidden
            )
            if extra is not None:
                extra(stage, q[frame])
            yield stage.image(around=framed, view=view, ground_height_m=low)


def add_scene(
    stage: PictureStage,
    scene: Scene,
    frames: Frames,
    *,
    show: str = "skin",
    highlight: Sequence[str] = (),
    colours: Mapping[str, Colour] | None = None,
    hidden: Sequence[str] = (),
) -> None:
    """Add every actor and object at the frames of the scene's layout."""
    given = colours or {}
    for number, actor in enumerate(scene.actors):
        if actor.name in hidden:
            continue
        part = _own_frames(frames, actor)
        red = [n.split(".", 1)[1] for n in highlight if n.startswith(f"{actor.name}.")]
        colour = given.get(actor.name, BODIES[number % len(BODIES)])
        stage.add_figure(actor.figure, part, show=show, colour=colour, highlight=red)
    for item in scene.objects:
        if item.name in hidden:
            continue
        position, rotation = frames.position(item.name), frames.rotation(item.name)
        colour = COLLIDING if item.name in highlight else given.get(item.name, OBJECT)
        for shape in item.shapes:
            _add_shape(stage, shape, position, rotation, colour)


def _add_shape(
    stage: PictureStage, shape: Shape, position: Floats, rotation: Floats, colour: Colour
) -> None:
    if shape.core is Core.SEGMENT:
        a, b = shape.points_in_joint @ rotation.T + position
        stage.add_capsule(a, b, shape.radius_m, colour=colour)
    elif shape.core is Core.CONVEX:  # half-spaces are shown by the ground
        vertices, triangles = surface(shape, _COARSE_M)
        placed = vertices @ rotation.T + position
        stage.add_mesh(placed, triangles, colour=colour, smooth=False)


def _outlines(scene: Scene, posed: Frames, hidden: Sequence[str]) -> Floats:
    """(n, 3) points around the shown actors and objects in all frames."""
    out: list[Floats] = []
    for i in range(len(posed.positions)):
        frames = Frames(posed.skeleton, posed.positions[i], posed.rotations[i])
        shown = [actor for actor in scene.actors if actor.name not in hidden]
        out += [outline(actor.figure, _own_frames(frames, actor)) for actor in shown]
        for thing in scene.objects:
            if thing.name in hidden:
                continue
            for shape in thing.shapes:
                if shape.core is not Core.HALF_SPACE:
                    at = shape.points_in_joint @ frames.rotation(thing.name).T
                    at = at + frames.position(thing.name)
                    out += [at + s * shape.radius_m * axis for s in (1, -1) for axis in np.eye(3)]
    return np.concatenate(out)


def _own_frames(frames: Frames, actor: Actor) -> Frames:
    """The frames of an actor's own skeleton."""
    own = [frames.skeleton.index(f"{actor.name}.{n}") for n in actor.figure.skeleton.names]
    return Frames(actor.figure.skeleton, frames.positions[own], frames.rotations[own])
