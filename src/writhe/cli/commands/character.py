"""`writhe character`: what a character file gives for posing: roles, limits, masses, shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from rich.table import Table

from writhe.cli.options import Json, argument, option
from writhe.cli.output import console, print_json
from writhe.io.files import load_figure
from writhe.io.stored_body import forget_body, remember_body


def character(
    file: Annotated[Path, argument("A character or motion file.")],
    shapes: Annotated[
        Path | None, option("A JSON file that corrects the fitted shapes (exclude, radius).")
    ] = None,
    picture: Annotated[
        Path | None, option("Write a picture of the collision shapes over the skin.")
    ] = None,
    remember: Annotated[
        bool, option("Use these shapes for every file with the same skeleton and skin.")
    ] = False,
    forget: Annotated[bool, option("Fit the shapes again from now on.")] = False,
    json: Json = False,
) -> None:
    """Show how a character is posed: roles, joint limits, mass, collision shapes.

    Example: `writhe character figure.glb --picture shapes.png`
    """
    if forget:
        forget_body(load_figure(file).skeleton)
    figure = load_figure(file, shapes=shapes)
    if remember:
        remember_body(figure)
    skeleton = figure.skeleton
    per_joint: dict[str, int] = {}
    for capsule in figure.capsules:
        per_joint[capsule.joint] = per_joint.get(capsule.joint, 0) + 1
    result: dict[str, Any] = {
        "file": str(file),
        "joints": len(skeleton),
        "roles": dict(figure.roles),
        "limits": sum(joint.limits is not None for joint in skeleton.joints),
        "mass_kg": round(float(skeleton.mass.sum()), 2),
        "capsules": per_joint,
        "shapes": None,
    }
    table = Table(show_header=False, box=None, title=str(file), title_justify="left")
    table.add_row("joints", f"{len(skeleton)}, {len(figure.roles)} with a role")
    table.add_row("joint limits", f"{result['limits']} joints")
    table.add_row("mass", f"{result['mass_kg']} kg")
    table.add_row("capsules", f"{len(figure.capsules)} on {len(per_joint)} joints")
    if figure.skin is not None and figure.capsules:
        from writhe.skeleton.shape_fitting.skin_coverage import surface_coverage

        cover = surface_coverage(figure)
        gaps = {
            "mean_gap_mm": round(1e3 * cover.mean_gap_m, 2),
            "p99_gap_mm": round(1e3 * cover.gap_99_m, 2),
            "outside_mm": round(1e3 * cover.worst_outside_m, 2),
            "joint_zone_percent": round(100 * cover.zone_area_share, 1),
        }
        result["shapes"] = gaps
        table.add_row(
            "gap to the skin",
            f"{gaps['mean_gap_mm']} mm mean, {gaps['p99_gap_mm']} mm at 99 %, skin outside by"
            f" {gaps['outside_mm']} mm at most",
        )
    if picture is not None:
        from writhe.render.shape_pictures import render_shapes

        table.add_row("picture", str(render_shapes(figure, picture)))
    console.print(table)
    if json:
        print_json(result)
