"""`writhe info`: the contents of a motion file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from rich.markup import escape
from rich.table import Table

from writhe.cli.options import MOTION_FILES, Animation, Json, argument, option
from writhe.cli.output import console, print_json
from writhe.io.summary import summarise
from writhe.recognition import Recognition, RigKind, corrected, recognise
from writhe.recognition.roles import FINGERS, MIDLINE, SIDED
from writhe.skeleton.limbs import SIDES


def info(
    file: Annotated[Path, argument(f"A motion or a character: {MOTION_FILES}.")],
    animation: Animation = None,
    metres_per_unit: Annotated[
        float | None, option("Length in metres of the file's unit, if it cannot be guessed.")
    ] = None,
    json: Json = False,
) -> None:
    """Show a file: joints, frames, rate, unit, and which joint has which role.

    Example: `writhe info walk.bvh`
    """
    motion = summarise(file, metres_per_unit=metres_per_unit, animation=animation)
    skeleton = motion.skeleton
    match = recognise(skeleton, corrected(skeleton, motion.source.get("roles")))
    contents: dict[str, Any] = motion.source.get("contents", {"animations": []})
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
        "is_person": match.is_person,
        "confidence": match.confidence,
        "roles": match.roles,
        "role_confidence": match.role_confidence,
        "roles_missing": list(match.missing),
        "joint_uses": {joint: str(kind) for joint, kind in match.kinds.items()},
        "limbs": [list(chain) for chain in match.limbs],
        "repairs": sorted(motion.source.get("repairs", {})),
        "joint_names": list(skeleton.names),
        "animation": motion.source.get("animation"),
        **contents,
    }
    table = Table(show_header=False, box=None, title=str(file), title_justify="left")
    kinds_text = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
    table.add_row("joints", f"{len(skeleton)} ({kinds_text}), {len(skeleton.tips)} tips")
    table.add_row("degrees of freedom", str(skeleton.dof_count))
    table.add_row("frames", f"{motion.frames} at {motion.fps:g} a second")
    table.add_row("duration", f"{motion.duration_s:.2f} s")
    table.add_row("unit", f"{result['metres_per_unit']:.6g} m ({result['unit_from']})")
    if "meshes" in contents:
        table.add_row("contents", _counts(contents))
    for clip in contents["animations"]:
        name = f"{clip['name']!r}{' (shown)' if clip['name'] == result['animation'] else ''}"
        morphs = ", moves morph targets" if clip["morphs"] else ""
        table.add_row("animation", escape(f"{name}: {clip['duration_s']:.2f} s{morphs}"))
    if result["repairs"]:
        table.add_row("restored bones", ", ".join(sorted(motion.source["repairs"])))
    console.print(table)
    console.print(roles_table(match))
    if json:
        print_json(result)


def _counts(contents: dict[str, Any]) -> str:
    """The meshes, skins and so on of a character, in words."""
    words = ("meshes", "skins", "morph_targets", "materials", "images")
    text = ", ".join(f"{contents[word]} {word.replace('_', ' ')}" for word in words)
    return text + (f", VRM {contents['vrm']}" if contents["vrm"] else "")


def roles_table(found: Recognition) -> Table:
    """The roles that were found with their joints, and what was not found."""
    if found.is_person:
        title = f"a person, {100 * found.confidence:.0f} % sure (names: {found.family})"
    else:
        title = "not recognised as a person"
    table = Table(box=None, title=title, title_justify="left", pad_edge=False, min_width=60)
    for column in ("role", "left", "right"):
        table.add_column(column)
    for role in MIDLINE:
        if role in found.roles:
            table.add_row(role, escape(found.roles[role]))
    for part in SIDED:
        sides = [escape(found.roles.get(f"{side}_{part}", "-")) for side in SIDES]
        if sides != ["-", "-"]:
            table.add_row(part, *sides)
    for finger in FINGERS:
        chains = [
            [found.roles[r] for n in (1, 2, 3) if (r := f"{side}_{finger}_{n}") in found.roles]
            for side in SIDES
        ]
        if any(chains):
            table.add_row(finger, *(escape(", ".join(c)) or "-" for c in chains))
    if found.roles and found.missing:
        table.add_row("not found", ", ".join(found.missing))
    for kind in RigKind:
        joints = [joint for joint, k in found.kinds.items() if k is kind]
        if joints and kind not in (RigKind.BODY, RigKind.FINGER):
            shown = ", ".join(joints[:6]) + (f" and {len(joints) - 6} more" if joints[6:] else "")
            table.add_row(str(kind), escape(shown))
    if not found.is_person:
        for chain in found.limbs[:12]:
            table.add_row("limb", escape(f"{chain[0]} ... {chain[-1]}"), f"{len(chain)} joints")
    return table
