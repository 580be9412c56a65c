"""Clean a motion file: on its own character if it has one, else on the built-in human."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from writhe.cleaning.clean import Cleaned, clean
from writhe.cleaning.write_certified import write_certified
from writhe.collision import Certificate
from writhe.io import load, load_figure
from writhe.io.files import GLTF
from writhe.progress import Progress
from writhe.retargeting.motion_on_figure import on_figure
from writhe.skeleton import Figure, Motion
from writhe.skeleton.figures import figure as built_in


@dataclass(frozen=True)
class CleanedFile:
    """What was cleaned and written. `motion` is the source on `body`; `certificate` the file's."""

    body: Figure
    motion: Motion
    cleaned: Cleaned
    written: Motion
    certificate: Certificate


def clean_file(
    source: Path,
    output: Path,
    *,
    body: Figure | None = None,
    animation: str | None = None,
    progress: Progress | None = None,
) -> CleanedFile:
    """Clean the motion of a file and write it such that the written file is certified.

    body: the figure to clean it on; by default the character of a glTF file that has a skin, else
        the built-in human, to which the motion is retargeted.
    """
    clip = load(source, animation=animation)
    if body is None and source.suffix.lower() in GLTF:
        character = load_figure(source, animation=animation)
        body = character if character.skin is not None else None
    body = body or built_in("human")
    motion = on_figure(clip, body)
    cleaned = clean(body, motion, euler=output.suffix.lower() == ".bvh", progress=progress)
    written, certificate = write_certified(cleaned.motion, output, figure=body)
    return CleanedFile(body, motion, cleaned, written, certificate)
