"""`writhe convert`: convert between motion formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from writhe.cli.options import MOTION_FILES, Animation
from writhe.cli.output import console, print_json
from writhe.io import load, save


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
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Convert a motion between file formats, given by the suffixes.

    From glTF to glTF (.glb, .gltf, .vrm) the character stays as it is, with meshes, materials and
    images; only the animation is written anew where --fps changes it.

    Example: `writhe convert walk.bvh walk.glb`
    """
    motion = load(
        source, metres_per_unit=metres_per_unit, repair=repair, model=model, animation=animation
    )
    if fps is not None:
        motion = motion.resample(fps)
    save(motion, target, metres_per_unit=output_unit)
    console.print(f"{target}: {len(motion)} frames at {motion.fps:g} a second")
    if json:
        print_json({"file": str(target), "frames": len(motion), "fps": motion.fps})
