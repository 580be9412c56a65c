"""Pictures of scenes: actors and objects at chosen frames, side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats
from writhe.collision import Shape, violating_parts
from writhe.collision.mesh_pieces.surfaces import surface
from writhe.collision.shapes import Core
from writhe.hands.added_fingers import scene_with_fingers, set_hands
from writhe.render.drawn_figure import lowest_drawn, outline, side_colours
from writhe.render.frame_choice import frames_by_motion
from writhe.render.look import BODIES, COLLIDING, OBJECT, Colour
from writhe.render.movies import write_movie
from writhe.render.picture_stage import STANDING_M, THREE_QUARTER, PictureStage
from writhe.render.strips import panels_in_rows
from writhe.scene import Actor, Scene
from writhe.skeleton import Frames, forward
from writhe.skeleton.configuration_paths import path_rows

Extra = Callable[[PictureStage, Floats], None]  # adds geometry to the picture at a configuration
# the dragged joints of a frame, by their names in the scene, and where they are dragged to
Handles = Callable[[int], Sequence[tuple[str, ArrayLike]]]
_OVERLAP_M = 0.002
_SAMPLES = 6  # of a step between two frames, in search of overlaps
_DIPS_M = 0.005  # depth below the ground of a scene without a floor that is drawn as it is
_COARSE_M = 0.05  # edge length of drawn solids
MOVIE_FPS = 12.0


def scene_strip(scene: Scene, q: Floats, path: str | Path, **look: Any) -> Path:
    """Render a film strip of scene configurations (frames, nq) to a file; see `strip_image`."""
    from PIL import Image

    Image.fromarray(strip_image(scene, q, **look)).save(Path(path), optimize=True)
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
    scene: Scene,
    q: Floats,
    *,
    count: int = 6,
    frames: Sequence[int] | None = None,
    columns: int | None = None,
    more: Sequence[tuple[int, ArrayLike]] = (),
    **look: Any,
) -> Any:
    """`count` frames (`frames_by_motion`, or `frames`) in a row, as bytes (height, width, 3).

    With `columns`, in rows of so many frames. `more`: further panels, of a frame from another
    direction each.

    Parts that overlap by 2 mm or more beyond their allowance, in the frame or on the way to it from
    the one before, are painted red. `look`: `size` of a panel, `view`, the framed box or points
    `around` (by default all bodies and objects that are shown), `show` ("skin" or "capsules"),
    `colours` by names of actors, their joints and objects, `sides` (left and right limbs in two
    colours), `hidden` actors and objects, `extra` that adds geometry, `handles` (frame -> dragged
    joints and where to), `ground`, and `hands`: the built-in humans are drawn with fingers, in this
    hand pose, or with "closed" around what their hands are near.
    """
    chosen = frames or frames_by_motion(scene.layout.skeleton, [q], count)
    panels = list(_panels(scene, q, chosen, **look))
    for frame, view in more:
        there: dict[str, Any] = {**look, "view": view}
        panels += _panels(scene, q, [frame], **there)
    return panels_in_rows(panels, columns)


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
    sides: bool = False,
    hidden: Sequence[str] = (),
    extra: Extra | None = None,
    handles: Handles | None = None,
    ground: bool = True,
    hands: str = "",
) -> Iterator[Any]:
    chosen = np.array(frames)
    posed = forward(scene.layout.skeleton, q[chosen])
    red = painted_parts(scene, q, frames)
    framed = _outlines(scene, posed, hidden) if around is None else np.asarray(around, float)
    lowest = float(framed[:, 1].min())
    low = 0.0 if lowest < 0.35 else lowest
    if low == 0.0:
        low = _under_soles(scene, posed)
        if not any(s.core is Core.HALF_SPACE for item in scene.objects for s in item.shapes):
            deepest = _lowest(scene, posed, hidden)
            low = deepest if deepest < low - _DIPS_M else low  # the ground cuts nothing off
    drawn = scene_with_fingers(scene) if hands else scene
    if sides:
        colours = {**_limb_colours(drawn), **(colours or {})}
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
            if handles is not None:
                for joint, target in handles(int(frame)):
                    stage.add_handle(one.position(joint), target)
            yield stage.image(around=framed, view=view, ground_height_m=low)


def add_scene(
    stage: PictureStage,
    scene: Scene,
    frames: Frames,
    *,
    show: str = "skin",
    highlight: Collection[str] = (),
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
        of = f"{actor.name}."
        joints = {n.removeprefix(of): c for n, c in given.items() if n.startswith(of)}
        stage.add_figure(
            actor.figure, part, show=show, colour=colour, by_joint=joints, highlight=red
        )
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


def scene_outline(scene: Scene, q: Floats, hidden: Sequence[str] = ()) -> Floats:
    """(n, 3) points around the shown actors and objects at configurations (frames, nq)."""
    return _outlines(scene, forward(scene.layout.skeleton, q), hidden)


def _outlines(scene: Scene, posed: Frames, hidden: Sequence[str]) -> Floats:
    """(n, 3) points around the shown actors and objects in all frames."""
    out: list[Floats] = []
    for i in range(len(posed.positions)):
        frames = Frames(posed.skeleton, posed.positions[i], posed.rotations[i])
        shown = [actor for actor in scene.actors if actor.name not in hidden]
        out += [outline(actor.figure, _own_frames(frames, actor)) for actor in shown]
        for obj in scene.objects:
            if obj.name in hidden:
                continue
            for shape in obj.shapes:
                if shape.core is not Core.HALF_SPACE:
                    at = shape.points_in_joint @ frames.rotation(obj.name).T
                    at = at + frames.position(obj.name)
                    out += [at + s * shape.radius_m * axis for s in (1, -1) for axis in np.eye(3)]
    return np.concatenate(out)


def painted_parts(scene: Scene, q: Floats, frames: Sequence[int]) -> list[set[str]]:
    """The names of the parts that a strip of these frames paints red, by frame."""
    return [_overlapping(scene, q[max(f - 1, 0) : f + 1]) for f in frames]


def _overlapping(scene: Scene, step: Floats) -> set[str]:
    """The parts that overlap along a step (1 or 2 rows, nq), which may jump over a thin part."""
    rows = path_rows(scene.layout.skeleton, step, np.linspace(0.0, len(step) - 1.0, _SAMPLES)[1:])
    found = violating_parts(scene.layout.table, rows, _OVERLAP_M)
    return {part for parts in found for part in parts}


def _lowest(scene: Scene, posed: Frames, hidden: Sequence[str]) -> float:
    """The height of the lowest drawn point of all shown actors in all frames."""
    shown = [actor for actor in scene.actors if actor.name not in hidden]
    heights: list[float] = []
    for positions, rotations in zip(posed.positions, posed.rotations, strict=True):
        one = Frames(posed.skeleton, positions, rotations)
        heights += [lowest_drawn(actor.figure, _own_frames(one, actor)) for actor in shown]
    return min(heights)


def _under_soles(scene: Scene, posed: Frames) -> float:
    """The height of the ground under the actors of the first frame, if they stand near 0.

    Soles may be a little below 0, where there is no floor, or above, since the skin lies within the
    collision shapes.
    """
    first = Frames(posed.skeleton, posed.positions[0], posed.rotations[0])
    soles = [lowest_drawn(actor.figure, _own_frames(first, actor)) for actor in scene.actors]
    near = [height for height in soles if height < STANDING_M]
    return min(near, default=0.0)


def _limb_colours(scene: Scene) -> dict[str, Colour]:
    """The colours of left and right limbs, by names of joints in the scene."""
    return {
        f"{actor.name}.{joint}": colour
        for number, actor in enumerate(scene.actors)
        for joint, colour in side_colours(actor.figure, second=number > 0).items()
    }


def _own_frames(frames: Frames, actor: Actor) -> Frames:
    """The frames of an actor's own skeleton."""
    own = [frames.skeleton.index(f"{actor.name}.{n}") for n in actor.figure.skeleton.names]
    return Frames(actor.figure.skeleton, frames.positions[own], frames.rotations[own])
