"""Output of commands: JSON on standard output, messages for people on standard error."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console

from writhe.arrays import as_plain_data

console = Console(stderr=True)


def print_json(result: dict[str, Any]) -> None:
    """Print one JSON object on one line of standard output."""
    print(json.dumps(result, default=as_plain_data, allow_nan=False), flush=True)
