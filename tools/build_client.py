"""Build hook of wheels and source archives: puts the studio's built page into the package.

A source archive carries the built page, so building a wheel from it needs no npm; an editable
install leaves it to `make studio`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ClientHook(BuildHookInterface[Any]):
    """Runs `npm ci` and the client's build where the page is not built yet."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page into src/writhe/studio/static."""
        if version == "editable":
            return
        root = Path(self.root)
        built = root / "src" / "writhe" / "studio" / "static" / "index.html"
        web = root / "web"
        from_archive = (root / "PKG-INFO").is_file()
        is_current = os.environ.get("WRITHE_PAGE_IS_BUILT") == "1"  # `make wheel` has seen to it
        if built.is_file() and (from_archive or is_current):
            return
        npm = shutil.which("npm")
        if npm is None:
            if built.is_file():
                return
            raise RuntimeError(
                "the studio's page is not built and there is no npm to build it with: install"
                " Node.js 20 or newer, or install writhe from a wheel"
            )
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=web, check=True)
        subprocess.run([npm, "run", "build"], cwd=web, check=True)
