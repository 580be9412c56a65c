"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

MOTION_FILES = ".bvh, .glb, .gltf, .vrm, .vrma, .fbx, .usd, .usda, .usdc, .usdz, .npz"

Animation = Annotated[
    str | None,
    typer.Option(
        "--animation",
        help="Animation of a glTF or FBX file, by name or number; `writhe info` lists them.",
        show_default=False,
    ),
]
