"""`writhe roles`: show and correct which joint has which role."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from writhe.cli.commands.info import roles_table
from writhe.cli.options import Json, argument, option
from writhe.cli.output import console, print_json
from writhe.errors import WritheError
from writhe.io.summary import summarise
from writhe.recognition import recognise
from writhe.recognition.corrections import (
    corrected,
    forget_roles,
    read_roles,
    remember_roles,
)

EPILOG = "A role without a joint (`--set left_toe=`) says that the skeleton has no such joint."


def roles(
    file: Annotated[Path, argument("A file with a skeleton.")],
    assignments: Annotated[
        list[str] | None,
        option("role=joint; may be given several times.", "--set", metavar="ROLE=JOINT"),
    ] = None,
    from_file: Annotated[
        Path | None, option("Remember the roles of this JSON file.", "--from")
    ] = None,
    forget: Annotated[bool, option("Forget earlier corrections.")] = False,
    json: Json = False,
) -> None:
    """Show the roles of a skeleton's joints, and remember corrections.

    Corrections apply to every file with the same skeleton, in all commands and in the studio.

    Example: `writhe roles avatar.glb --set left_elbow=Bone.012`
    """
    contents = summarise(file)
    skeleton = contents.skeleton
    if forget:
        known = forget_roles(skeleton)
        console.print("corrections forgotten" if known else "there were no corrections")
    given = {} if from_file is None else read_roles(from_file)
    for word in assignments or []:
        role, equals, joint = word.partition("=")
        if not equals:
            raise WritheError(f"--set {word}: write it as role=joint, for example left_elbow=Arm2")
        given[role.strip()] = joint.strip() or None
    if given:
        recognise(skeleton, given)  # raises for wrong roles before anything is stored
        path = remember_roles(skeleton, given)
        console.print(f"{len(given)} corrections remembered in {path}")
    found = recognise(skeleton, corrected(skeleton, contents.source.get("roles")))
    console.print(roles_table(found))
    if json:
        print_json(
            {
                "file": str(file),
                "roles": found.roles,
                "confidence": found.confidence,
                "role_confidence": found.role_confidence,
                "roles_missing": list(found.missing),
                "kinds": {joint: str(kind) for joint, kind in found.kinds.items()},
            }
        )
