"""`writhe bench peers`: other software on the same tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from writhe.progress import Progress
from writhe.research.peers import run as peers


def run(progress: Progress, *, clips: Path | None = None, quick: bool = False) -> dict[str, Any]:
    """All methods that are installed, on all workloads; writes `out/peers`."""
    return peers.run(progress, clips=clips, quick=quick)
