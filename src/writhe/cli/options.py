"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MOTION_FILES = ".bvh, .glb, .gltf, .vrm, .vrma, .fbx, .usd, .usda, .usdc, .usdz, .npz"

MotionFile = Annotated[
    Path, typer.Argument(help="A motion: .bvh, .glb, .gltf, .vrm, .npz.", show_default=False)
]
OutputFile = Annotated[
    Path,
    typer.Option("-o", "--output", help="The .bvh or glTF file to write.", show_default=False),
]
Animation = Annotated[
    str | None,
    typer.Option(
        "--animation",
        help="Animation of a glTF or FBX file, by name or number; `writhe info` lists them.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
SkipJointZones = Annotated[
    bool, typer.Option(help="Ignore shapes of adjacent parts that overlap deeply at rest.")
]
