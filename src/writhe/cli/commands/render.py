"""`writhe render`: pictures, film strips and movies of clips and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from writhe.cli.options import Animation, Json, argument, option
from writhe.cli.output import console, print_json
from writhe.cli.progress import progress_bar
from writhe.errors import WritheError
from writhe.skeleton import Figure, Motion
from writhe.skeleton.figures import figure, figure_names


def render(
    subject: Annotated[str, argument("A motion file, or a figure: human, hand, ...")],
    output: Annotated[Path, option("A .png, .jpg, .gif, .mp4, .webm or .zip.", "--output", "-o")],
    animation: Animation = None,
    strip: Annotated[int, option("Number of frames side by side in one picture.", min=0)] = 0,
    frame: Annotated[int, option("The frame to show in a picture.")] = 0,
    size: Annotated[int, option("Height in pixels.", min=64, max=4096)] = 720,
    show: Annotated[str, option("skin, capsules or both.")] = "skin",
    collisions: Annotated[bool, option("Paint colliding parts red.")] = True,
    json: Json = False,
) -> None:
    """Render a clip or a figure to a picture, a film strip or a movie, off-screen.

    A clip without a skin is shown on the built-in human.

    Example: `writhe render walk.bvh -o walk.png --strip 8`
    """
    from writhe.render import film_strip, movie, render_pose

    body, motion = _subject(subject, animation)
    red = _colliding(body, motion) if collisions else None
    suffix = output.suffix.lower()
    if suffix in (".gif", ".mp4", ".webm", ".zip"):
        with progress_bar("Drawing") as progress:
            movie(
                body,
                motion,
                output,
                size=(size, size),
                show=show,
                highlights=red,
                progress=progress,
            )
    elif suffix not in (".png", ".jpg", ".jpeg"):
        raise WritheError(
            f"{output}: the suffix must be .png or .jpg for pictures, .gif, .mp4 or .webm for"
            " movies, .zip for a sequence of pictures"
        )
    elif strip > 0:
        panel = (round(size * 2 / 3), size)
        film_strip(body, motion, output, count=strip, size=panel, show=show, highlights=red)
    else:
        if not 0 <= frame < len(motion):
            raise WritheError(f"{subject} has frames 0 to {len(motion) - 1}, not {frame}")
        here = () if red is None else red[frame]
        render_pose(body, motion.q[frame], output, size=(size, size), show=show, highlight=here)
    console.print(f"{output}: {body.name}, {len(motion)} frames")
    if json:
        print_json({"output": str(output), "figure": body.name, "frames": len(motion)})


def _colliding(body: Figure, motion: Motion) -> tuple[tuple[str, ...], ...] | None:
    """The penetrating parts of every frame; None for a body without shapes."""
    if not body.capsules:
        return None
    from writhe.collision import CollisionTable, violating_parts

    return violating_parts(CollisionTable.of_figure(body), motion.q)


def _subject(subject: str, animation: str | None) -> tuple[Figure, Motion]:
    """The figure to draw and its motion: from a file, or the rest pose of a built-in figure."""
    if subject in figure_names():
        body = figure(subject)
        return body, Motion(
            body.skeleton, body.skeleton.rest_configuration[None], fps=30.0, name=subject
        )
    from writhe.io import load, load_figure
    from writhe.retargeting.motion_on_figure import on_figure

    motion = load(subject, animation=animation)
    character = load_figure(subject, animation=animation)
    if character.skin is not None:
        return character, motion
    human = figure("human")
    return human, on_figure(motion, human)
