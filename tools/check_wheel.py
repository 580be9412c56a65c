"""Check an installed wheel: drag and certify with an empty cache, without compiling anything.

Run it with the Python of an environment in which only the wheel is installed.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
from pathlib import Path


class _Compiled(logging.Handler):
    """Collects the kernels that are compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Note one kernel."""
        self.names.append(record.getMessage())


def main() -> None:
    """Exit with 1 if anything was compiled."""
    compiled = _Compiled()
    log = logging.getLogger("writhe.kernels")
    log.setLevel(logging.DEBUG)
    log.addHandler(compiled)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WRITHE_CACHE_DIR"] = str(Path(folder) / "cache")
        import numpy as np

        import writhe
        from writhe.scene import certify_file
        from writhe.studio.server import preparation_steps as steps

        steps.body()
        steps.postures()
        steps.posing()
        steps.diagnostics()
        print(f"ready to drag after {time.perf_counter() - began:.2f} s")
        skeleton = writhe.figure("human").skeleton
        q = np.repeat(skeleton.rest_configuration[None], 10, axis=0)
        clip = Path(folder) / "clip.bvh"
        writhe.save(writhe.Motion(skeleton, q, 30.0), clip)
        certify_file(clip)
    print(f"{time.perf_counter() - began:.2f} s in all, {len(compiled.names)} kernels compiled")
    print("\n".join(compiled.names))
    sys.exit(1 if compiled.names else 0)


if __name__ == "__main__":
    main()
