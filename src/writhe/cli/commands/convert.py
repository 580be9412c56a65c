"""`writhe convert`: convert between motion formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from writhe.cli.options import MOTION_FILES, Animation, Json
from writhe.cli.output import console, print_json
from writhe.io import load, load_figure, save
from writhe.io.files import CHARACTERS, GLTF, file_format


def convert(
    source: Annotated[Path, typer.Argument(help=f"A motion: {MOTION_FILES}.")],
    target: Annotated[Path, typer.Argument(help="The .bvh or glTF file to write.")],
    animation: Animation = None,
    metres_per_unit: Annotated[
        float | None, typer.Option(help="Length in metres of a unit in the BVH file read.")
    ] = None,
    output_unit: Annotated[
        float | None, typer.Option(help="Length in metres of a unit in the BVH file written.")
    ] = None,
    fps: Annotated[float | None, typer.Option(help="Resample to this rate.", min=0.01)] = None,
    model: Annotated[
        Path | None, typer.Option(help="SMPL model (.npz) for the rest pose of AMASS files.")
    ] = None,
    repair: Annotated[
        bool, typer.Option(help="Restore bones that a known converter drops.")
    ] = True,
    json: Json = False,
) -> None:
    """Convert a motion between file formats, given by the suffixes.

    From glTF to glTF (.glb, .gltf, .vrm) the character stays as it is, with meshes, materials and
    images; the animation is written again only if --fps changes it. Between glTF, FBX and USD,
    skeleton, skin and animation are converted.

    Example: `writhe convert walk.bvh walk.glb`
    """
    motion = load(
        source, metres_per_unit=metres_per_unit, repair=repair, model=model, animation=animation
    )
    if fps is not None:
        motion = motion.resample(fps)
    figure = None
    kinds = file_format(source), target.suffix.lower()
    if all(kind in CHARACTERS for kind in kinds) and not all(kind in GLTF for kind in kinds):
        figure = load_figure(source, animation=animation)  # glTF to glTF keeps the document itself
    save(motion, target, figure=figure, metres_per_unit=output_unit)
    console.print(f"{target}: {len(motion)} frames at {motion.fps:g} a second")
    if json:
        print_json({"file": str(target), "frames": len(motion), "fps": motion.fps})
