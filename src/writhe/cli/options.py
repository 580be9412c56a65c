"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

MOTION_FILES = ".bvh, .glb, .gltf, .vrm, .vrma, .fbx, .usd, .usda, .usdc, .usdz, .npz"


def option(
    text: str,
    *flags: str,
    min: float | None = None,
    max: float | None = None,
    metavar: str | None = None,
    exists: bool = False,
) -> Any:
    """An option of a command with its help; `flags` where they are not made of the name."""
    return typer.Option(*flags, help=text, min=min, max=max, metavar=metavar, exists=exists)


def argument(text: str, *, metavar: str | None = None) -> Any:
    """A positional argument of a command with its help text."""
    return typer.Argument(help=text, metavar=metavar)


MotionFile = Annotated[Path, argument("A motion: .bvh, glTF, .vrm, .npz, .fbx, USD.")]
OutputFile = Annotated[Path, option("The .bvh or glTF file to write.", "-o", "--output")]
Animation = Annotated[
    str | None,
    option(
        "Animation of a glTF or FBX file, by name or number; `writhe info` lists them.",
        "--animation",
    ),
]
Strip = Annotated[Path | None, option("A film strip of before and after (.png).")]
Json = Annotated[bool, option("Print one JSON object.", "--json")]
SkipJointZones = Annotated[
    bool, option("Ignore shapes of adjacent parts that overlap deeply at rest.")
]
