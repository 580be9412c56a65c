"""`writhe convert`: convert between motion formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from writhe.cli.clip_options import ClipOptions
from writhe.cli.options import MOTION_FILES, Animation, Json, argument, option
from writhe.cli.output import console, print_json
from writhe.io import load, load_figure, save
from writhe.io.files import CHARACTERS, GLTF, file_format


def convert(
    source: Annotated[Path, argument(f"A motion: {MOTION_FILES}.")],
    target: Annotated[Path, argument("The file to write: .bvh, glTF, .vrm, USD, .fbx.")],
    animation: Animation = None,
    metres_per_unit: Annotated[
        float | None, option("Length in metres of a unit in the BVH file read.")
    ] = None,
    up: Annotated[
        str | None, option("Axis that is up in the BVH file read: y or z; by default recognised.")
    ] = None,
    output_unit: Annotated[
        float | None, option("Length in metres of a unit in the BVH file written.")
    ] = None,
    fps: Annotated[float | None, option("Resample to this rate.", min=0.01)] = None,
    model: Annotated[
        Path | None, option("SMPL model (.npz) for the rest pose of AMASS files.")
    ] = None,
    repair: Annotated[bool, option("Restore bones that a known converter drops.")] = True,
    trim: Annotated[
        str | None, option("Keep START:END, in seconds; either may be left out.")
    ] = None,
    mirror: Annotated[bool, option("Swap left and right.", "--mirror")] = False,
    stretch: Annotated[
        float | None, option("New duration of the motion in seconds.", min=0.01)
    ] = None,
    loop: Annotated[int | None, option("Number of times to play it in a row.", min=2)] = None,
    layer: Annotated[Path | None, option("A motion to layer over it.")] = None,
    joints: Annotated[
        list[str] | None, option("Joint that the layer moves, with all below it; may be repeated.")
    ] = None,
    json: Json = False,
) -> None:
    """Convert a motion between file formats, given by the suffixes; trim, loop or mirror it.

    From glTF to glTF (.glb, .gltf, .vrm) the character stays as it is, with meshes, materials and
    images; the animation is written again only if an option changes it. Between glTF, FBX and USD,
    skeleton, skin and animation are converted.

    Example: `writhe convert walk.bvh walk.glb`

    Example: `writhe convert walk.bvh longer.bvh --trim 0.5:2 --loop 4 --layer wave.bvh --joints
    left_shoulder`
    """
    motion = load(
        source,
        metres_per_unit=metres_per_unit,
        repair=repair,
        model=model,
        animation=animation,
        up=up,
    )
    if fps is not None:
        motion = motion.resample(fps)
    motion = ClipOptions(trim, mirror, stretch, loop, layer, tuple(joints or ())).apply(motion)
    figure = None
    kinds = file_format(source), target.suffix.lower()
    if all(kind in CHARACTERS for kind in kinds) and not all(kind in GLTF for kind in kinds):
        figure = load_figure(source, animation=animation)  # glTF to glTF keeps the document itself
    save(motion, target, figure=figure, metres_per_unit=output_unit)
    console.print(f"{target}: {len(motion)} frames at {motion.fps:g} a second")
    if json:
        print_json({"file": str(target), "frames": len(motion), "fps": motion.fps})
