"""How commands speak: JSON last on standard output, everything for people on standard error."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from rich.console import Console

console = Console(stderr=True)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"cannot write {type(value).__name__} as JSON")


def print_json(result: dict[str, Any]) -> None:
    """Print one JSON object on one line of standard output."""
    print(json.dumps(result, default=_plain, allow_nan=False), flush=True)
