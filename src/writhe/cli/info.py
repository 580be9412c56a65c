"""`writhe info`: the contents of a motion file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from writhe.cli.output import console, print_json
from writhe.io.summary import summarise
from writhe.recognition.names import match_roles


def info(
    file: Annotated[Path, typer.Argument(help="A .bvh, .glb or .npz file.")],
    metres_per_unit: Annotated[
        float | None,
        typer.Option(help="Length in metres of the file's unit, if it cannot be guessed."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show a motion file: joints, degrees of freedom, frames, rate, unit, names.

    Example: `writhe info walk.bvh`
    """
    motion = summarise(file, metres_per_unit=metres_per_unit)
    skeleton = motion.skeleton
    match = match_roles(skeleton.names)
    kinds = Counter(joint.kind.name.lower() for joint in skeleton.joints)
    result = {
        "file": str(file),
        "format": motion.source.get("format", ""),
        "joints": len(skeleton),
        "kinds": dict(sorted(kinds.items())),
        "tips": len(skeleton.tips),
        "dof": skeleton.dof_count,
        "frames": motion.frames,
        "fps": motion.fps,
        "duration_s": motion.duration_s,
        "metres_per_unit": motion.source.get("metres_per_unit", 1.0),
        "unit_from": motion.source.get("unit_from", ""),
        "family": match.family if match.is_person else None,
        "roles": match.roles,
        "roles_missing": list(match.missing),
        "repairs": sorted(motion.source.get("repairs", {})),
        "joint_names": list(skeleton.names),
    }
    table = Table(show_header=False, box=None, title=str(file), title_justify="left")
    kinds_text = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
    table.add_row("joints", f"{len(skeleton)} ({kinds_text}), {len(skeleton.tips)} tips")
    table.add_row("degrees of freedom", str(skeleton.dof_count))
    table.add_row("frames", f"{motion.frames} at {motion.fps:g} a second")
    table.add_row("duration", f"{motion.duration_s:.2f} s")
    table.add_row("unit", f"{result['metres_per_unit']:.6g} m ({result['unit_from']})")
    if match.is_person:
        table.add_row("names", f"{match.family}, {len(match.roles)} roles")
    else:
        table.add_row("names", "not recognised as a human skeleton")
    if match.missing and match.is_person:
        table.add_row("roles not found", ", ".join(match.missing))
    if result["repairs"]:
        table.add_row("restored bones", ", ".join(sorted(motion.source["repairs"])))
    console.print(table)
    if json:
        print_json(result)
