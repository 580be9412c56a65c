"""`writhe info`: the contents of a motion file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from writhe.cli.options import MOTION_FILES, Animation
from writhe.cli.output import console, print_json
from writhe.io import load, match_roles


def info(
    file: Annotated[Path, typer.Argument(help=f"A motion or a character: {MOTION_FILES}.")],
    animation: Animation = None,
    metres_per_unit: Annotated[
        float | None,
        typer.Option(help="Length in metres of the file's unit, if it cannot be guessed."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show a motion file: joints, degrees of freedom, frames, rate, unit, names.

    Example: `writhe info walk.bvh`
    """
    motion = load(file, metres_per_unit=metres_per_unit, animation=animation)
    skeleton = motion.skeleton
    match = match_roles(skeleton.names)
    contents = motion.source.get("contents", {"animations": []})
    kinds = Counter(joint.kind.name.lower() for joint in skeleton.joints)
    result = {
        "file": str(file),
        "format": motion.source.get("format", ""),
        "joints": len(skeleton),
        "kinds": dict(sorted(kinds.items())),
        "tips": len(skeleton.tips),
        "dof": skeleton.dof_count,
        "frames": len(motion),
        "fps": motion.fps,
        "duration_s": motion.duration_s,
        "metres_per_unit": motion.source.get("metres_per_unit", 1.0),
        "unit_from": motion.source.get("unit_from", ""),
        "family": match.family if match.is_person else None,
        "roles": match.roles,
        "roles_missing": list(match.missing),
        "repairs": sorted(motion.source.get("repairs", {})),
        "joint_names": list(skeleton.names),
        "animation": motion.source.get("animation"),
        **contents,
    }
    table = Table(show_header=False, box=None, title=str(file), title_justify="left")
    kinds_text = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
    table.add_row("joints", f"{len(skeleton)} ({kinds_text}), {len(skeleton.tips)} tips")
    table.add_row("degrees of freedom", str(skeleton.dof_count))
    table.add_row("frames", f"{len(motion)} at {motion.fps:g} a second")
    table.add_row("duration", f"{motion.duration_s:.2f} s")
    table.add_row("unit", f"{result['metres_per_unit']:.6g} m ({result['unit_from']})")
    if match.is_person:
        table.add_row("names", f"{match.family}, {len(match.roles)} roles")
    else:
        table.add_row("names", "not recognised as a human skeleton")
    if match.missing and match.is_person:
        table.add_row("roles not found", ", ".join(match.missing))
    if "meshes" in contents:
        table.add_row("contents", _counts(contents))
    for clip in contents["animations"]:
        name = f"{clip['name']!r}{' (shown)' if clip['name'] == result['animation'] else ''}"
        morphs = ", moves morph targets" if clip["morphs"] else ""
        table.add_row("animation", f"{name}: {clip['duration_s']:.2f} s{morphs}")
    if result["repairs"]:
        table.add_row("restored bones", ", ".join(sorted(motion.source["repairs"])))
    console.print(table)
    if json:
        print_json(result)


def _counts(contents: dict[str, Any]) -> str:
    """The meshes, skins and so on of a character, in words."""
    words = ("meshes", "skins", "morph_targets", "materials", "images")
    text = ", ".join(f"{contents[word]} {word.replace('_', ' ')}" for word in words)
    return text + (f", VRM {contents['vrm']}" if contents["vrm"] else "")
