"""`writhe bench peers`: the peers that people would use instead, on the same tasks.

The benchmark itself stands in the folder `benchmarks` of a checkout, beside the package: it brings
adapters for other software and is not part of the wheel.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from writhe.errors import WritheError
from writhe.evaluation import Progress

ROOT = Path(__file__).resolve().parents[3]


def run(progress: Progress, *, clips: Path | None = None, quick: bool = False) -> dict[str, Any]:
    """All methods that are installed, on all workloads; writes benchmarks/results."""
    if not (ROOT / "benchmarks" / "run.py").exists():
        raise WritheError("the peers' benchmark needs a checkout of writhe, not only the package")
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return importlib.import_module("benchmarks.run").run(progress, clips=clips, quick=quick)
