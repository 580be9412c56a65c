"""`writhe retarget`: retarget a motion to another skeleton."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from writhe.cli.options import MOTION_FILES, Animation, Json, argument, option
from writhe.cli.output import console, print_json
from writhe.io import load, load_figure, save
from writhe.io.files import GLTF
from writhe.retargeting.retarget import retarget as retarget_motion
from writhe.skeleton.figures import figure, figure_names


def retarget(
    source: Annotated[Path, argument(f"A motion: {MOTION_FILES}.")],
    output: Annotated[Path, option("The .bvh or glTF file to write.", "--output", "-o")],
    to: Annotated[str, option("A built-in figure, or a file with the character.")] = "human",
    animation: Animation = None,
    keep_feet: Annotated[bool, option("Lock planted feet.")] = True,
    floor: Annotated[
        float | None, option("Height of the ground under the result, m. Default: as in the source.")
    ] = None,
    json: Json = False,
) -> None:
    """Retarget a motion to another skeleton by the roles of its joints.

    A character from a glTF file is written with everything in it; the motion is added to its
    animations.

    Example: `writhe retarget walk.bvh --to human -o walk.glb`
    """
    body = figure(to) if to in figure_names() else load_figure(to)
    motion = load(source, animation=animation)
    result = retarget_motion(motion, body, keep_feet=keep_feet, floor_m=floor)
    save(result, output, figure=body if output.suffix.lower() in GLTF else None)
    report = result.source["retarget"]
    console.print(f"{output}: {len(result)} frames on {body.name}, scale {report['scale']:.3f}")
    if keep_feet:
        console.print(
            f"planted feet slide {1000 * report['foot_slide_after_m']:.1f} mm at most "
            f"({1000 * report['foot_slide_before_m']:.1f} mm without locking); their soles are "
            f"{1000 * report['off_ground_after_m']:.1f} mm off the ground at most "
            f"({1000 * report['off_ground_before_m']:.1f} mm without)"
        )
    if json:
        print_json({"file": str(output), "frames": len(result), "fps": result.fps, **report})
