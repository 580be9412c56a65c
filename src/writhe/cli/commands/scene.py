"""`writhe scene`: scene files from meshes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from writhe.cli.options import Json, argument, option
from writhe.cli.output import console, print_json

app = typer.Typer(
    no_args_is_help=True, epilog="Example: writhe scene strands stool.obj -o room.json"
)


@app.callback()
def _group() -> None:
    """Scene files from meshes."""


@app.command()
def strands(
    mesh: Annotated[Path, argument("A mesh: .obj or .glb.")],
    output: Annotated[Path, option("The scene file to write.", "--output", "-o")],
    name: Annotated[str | None, option("Name of the object (default: the file's).")] = None,
    scale: Annotated[float, option("Metres per unit of the mesh (0.01 for centimetres).")] = 1.0,
    max_strands: Annotated[
        int, option("Largest number of strands; the longest are kept.", "--most", min=1)
    ] = 16,
    json: Json = False,
) -> None:
    """Propose solid shapes and strands along the outline of a mesh, as a scene file to edit.

    The scene contains the human, a floor and the object as plain JSON (docs/scenes.md), so that
    strands can be renamed, moved or removed by hand.

    Example: `writhe scene strands stool.obj -o room.json`
    """
    from writhe.collision import half_space
    from writhe.errors import WritheError
    from writhe.io.meshes import load_mesh
    from writhe.scene import Actor, Scene, SceneObject
    from writhe.scene.mesh_proposals import propose_for_mesh
    from writhe.skeleton.figures import figure

    if not 0 < scale < 1e6:
        raise WritheError(f"the scale must be positive, not {scale}")
    vertices, triangles = load_mesh(mesh)
    found = propose_for_mesh(vertices * scale, triangles, max_strands)
    label = name or mesh.stem.replace(".", "_")
    floor = SceneObject("floor", (half_space((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),))
    scene_object = SceneObject(label, found.shapes, strands=found.strands)
    Scene((Actor("human", figure("human")),), (floor, scene_object)).save(output)
    table = Table("strand", "points", "length (m)", title=f"{label}: {len(found.shapes)} shapes")
    lengths: dict[str, float] = {}
    for strand, points in found.strands.items():
        steps = points[1:] - points[:-1]
        lengths[strand] = float(((steps**2).sum(axis=1) ** 0.5).sum())
        table.add_row(strand, str(len(points)), f"{lengths[strand]:.2f}")
    console.print(table)
    if found.dropped:
        console.print(f"{found.dropped} shorter strands were dropped: raise --most to keep them")
    if json:
        print_json(
            {
                "output": str(output),
                "object": label,
                "shapes": len(found.shapes),
                "strands": lengths,
                "dropped": found.dropped,
            }
        )


@app.command("object")
def object_(
    mesh: Annotated[Path, argument("A mesh: .obj, .glb or .gltf.")],
    output: Annotated[Path, option("The scene file to write.", "--output", "-o")],
    name: Annotated[str | None, option("Name of the object (default: the file's).")] = None,
    scale: Annotated[
        float | None, option("Metres per unit of the mesh; by default chosen by its size.")
    ] = None,
    json: Json = False,
) -> None:
    """Split a mesh into convex pieces that cover it: an object to hold, as a scene file.

    Example: `writhe scene object cup.glb -o kitchen.json`
    """
    from writhe.collision import half_space
    from writhe.scene import Actor, Scene, SceneObject
    from writhe.scene.mesh_objects import object_from_mesh
    from writhe.skeleton.figures import figure

    found = object_from_mesh(mesh, name, scale=scale)
    floor = SceneObject("floor", (half_space((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),))
    Scene((Actor("human", figure("human_with_fingers")),), (floor, found)).save(output)
    console.print(f"{found.name}: {len(found.shapes)} convex pieces, in {output}")
    if json:
        print_json({"output": str(output), "object": found.name, "shapes": len(found.shapes)})
