"""Clean a motion file; write a motion such that its file is certified as readers interpolate it.

A clip is cleaned on the character of its file if there is one, else on the built-in human.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from writhe.cleaning.clean import Cleaned, clean
from writhe.cleaning.file_interpolations import DENSER
from writhe.collision import Certificate
from writhe.io import load, load_figure, save
from writhe.io.bvh.rotation_orders import steady_orders
from writhe.io.files import GLTF
from writhe.progress import Progress
from writhe.retargeting.motion_on_figure import on_figure
from writhe.scene import certify_file
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


def write_certified(
    motion: Motion, path: Path, *, figure: Figure | None = None
) -> tuple[Motion, Certificate]:
    """Write a .bvh or .glb file; returns the motion as written and the certificate of the file.

    A .bvh stores Euler angles at one frame rate, which readers interpolate linearly. Where this
    collides between frames although the motion does not, joints near gimbal lock are written with
    another order of rotations; if that is not enough, with 2, 4 or 8 times as many frames. A file
    that none of these certifies keeps its frames and its orders.

    figure: the body whose shapes are certified; one that was read from a file is written to glTF
        with everything in it, while the built-in ones are written as bones.
    """
    own = figure if figure is not None and figure.source is not None else None

    def write(one: Motion, orders: Mapping[str, str] | None = None) -> Certificate:
        save(one, path, figure=own, rotation_orders=orders)
        return certify_file(path, figure=figure).certificate

    certificate = write(motion)
    if certificate.certified or certificate.interpolation == "slerp":
        return motion, certificate
    if not certify_file(path, figure=figure, interpolation="slerp").certificate.certified:
        return motion, certificate
    for times in (1, *DENSER):
        dense = motion if times == 1 else motion.resample(times * motion.fps)
        found = write(dense, steady_orders(dense))
        if found.certified:
            return dense, found
    write(motion)
    return motion, certificate
