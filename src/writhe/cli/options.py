"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
SkipJointZones = Annotated[
    bool, typer.Option(help="Ignore shapes of adjacent parts that overlap deeply at rest.")
]
