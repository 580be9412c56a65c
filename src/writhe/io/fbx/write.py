"""Writes FBX files with Blender, which runs in an environment of its own."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from writhe.errors import WritheError
from writhe.files import write_file
from writhe.io.stored_body import SIDECAR, body_note
from writhe.skeleton import Figure, Motion

if TYPE_CHECKING:
    from writhe.io.gltf.write import Prop

ENVIRONMENT = "WRITHE_BLENDER"
TIMEOUT_S = 600.0
_HOW = (
    "FBX files are written by Blender. Install Blender, or its Python package into an environment "
    "of its own (python3.11 -m venv blender-env; blender-env/bin/pip install bpy), and set "
    f"{ENVIRONMENT} to the program (blender, or blender-env/bin/python)"
)


_LACKS = "No module named "  # what Python says of a package that is missing


def _why(command: list[str], said: list[str], code: int) -> str:
    """In words, why Blender could not write a file, from what it printed."""
    missing = [line.split(_LACKS, 1)[1].strip(" '\"") for line in said if _LACKS in line]
    program = command[0]
    if missing and missing[-1].partition(".")[0] == "bpy":
        return f"{program} has no bpy, the Python package of Blender. {_HOW}"
    if missing:
        package = missing[-1].partition(".")[0]
        return (
            f"the Python of {program} lacks the package {package}, which Blender needs to read"
            f" glTF. Install it there (Debian and Ubuntu: apt install python3-{package}), or get"
            " Blender 4.5 or newer from blender.org, which brings it along, and set"
            f" {ENVIRONMENT} to the program"
        )
    # Blender adds a line with its own location after that of the exception
    last = [line for line in said if "Error: " in line][-1:] or said[-1:]
    return f"{last[0] if last else f'it ended with code {code}'}. {_HOW}"


def blender_command() -> list[str]:
    """The command that runs a Python program inside Blender."""
    chosen = os.environ.get(ENVIRONMENT)
    if chosen:
        program = shutil.which(chosen)
        if program is None:
            raise WritheError(f"{ENVIRONMENT}={chosen}: there is no such program. {_HOW}")
        if "python" in Path(program).name.lower():
            return [program]
        return [program, "--background", "--factory-startup", "--python"]
    if importlib.util.find_spec("bpy") is not None:
        return [sys.executable]
    program = shutil.which("blender")
    if program is None:
        raise WritheError(_HOW)
    return [program, "--background", "--factory-startup", "--python"]


def has_blender() -> bool:
    """Whether there is a Blender that can write FBX files."""
    try:
        blender_command()
    except WritheError:
        return False
    return True


def _keep_animation(path: Path, name: str) -> None:
    """Remove the other animations from a .glb file: Blender would write one of them."""
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + size])
    kept = [a for a in document.get("animations", []) if a.get("name") == name][-1:]
    if not kept:
        return
    document["animations"] = kept
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + size :]
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    path.write_bytes(head + text + rest)


def save_fbx(
    path: Path, motion: Motion, *, figure: Figure | None = None, props: Sequence[Prop] = ()
) -> None:
    """Write a motion, and the figure's meshes, to an FBX file: glTF first, then Blender."""
    from writhe.io.gltf.write import WrittenCharacter, write_gltf

    command = blender_command()
    script = Path(__file__).with_name("blender_export.py")
    with tempfile.TemporaryDirectory() as folder:
        between, output = Path(folder) / "between.glb", Path(folder) / "out.fbx"
        one = WrittenCharacter(motion.skeleton, motion, figure)
        written = write_gltf(between, [one], props=props, suffix=".glb")
        _keep_animation(between, written.animation)
        words = [*command, str(script)]
        if len(command) > 1:
            words.append("--")
        words += [str(between), str(output), repr(motion.fps), str(len(motion))]
        try:
            done = subprocess.run(words, capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            raise WritheError(f"{path}: Blender took longer than {TIMEOUT_S:g} s") from None
        if not output.is_file():
            said = done.stderr.decode(errors="replace").strip().splitlines()
            why = _why(command, said, done.returncode)
            raise WritheError(f"Blender could not write the FBX file: {why}")
        shutil.copyfile(output, path)


def write_body(path: Path, figure: Figure | None) -> None:
    """Write shapes, roles and limits beside an FBX file, which cannot hold them."""
    if figure is not None and figure.capsules:
        text = json.dumps(body_note(figure))
        write_file(
            path.with_name(path.name + SIDECAR),
            lambda part: part.write_text(text, encoding="utf-8"),
        )
