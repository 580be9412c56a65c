"""Build a wheel for this platform and Python with machine code of the kernels: `make wheel`.

The pure wheel, with the folder `_prebuilt` (`tools/build_kernels.py`) added, the tags of this
platform, and Numba pinned to the version whose machine code it carries.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from build_kernels import PACK, ROOT, package_hash

CACHE = ROOT / "build" / "kernels"  # kernels whose sources have not changed are not compiled again
DIST = ROOT / "dist"
UV = [sys.executable, "-m", "uv"]


def platform_tag() -> str:
    """The oldest system on which the machine code runs; it needs none but the C library."""
    machine = platform.machine().lower()
    if sys.platform == "darwin":
        return f"macosx_11_0_{machine}"
    if sys.platform == "win32":
        return f"win_{machine}"
    return f"manylinux_2_17_{machine}"


def kernels_fit() -> bool:
    """Whether the built kernels are those of the present sources."""
    try:
        made = json.loads((PACK / "manifest.json").read_bytes())
    except (OSError, ValueError):
        return False
    return made.get("package") == package_hash()


def add_kernels(pure: Path, into: Path) -> Path:
    """A copy of the wheel `pure` with the kernels, in the folder `into`."""
    with tempfile.TemporaryDirectory() as folder:
        _wheel("unpack", pure, "--dest", folder)
        (content,) = Path(folder).iterdir()
        shutil.copytree(PACK, content / "writhe" / "_prebuilt")
        (about,) = content.glob("*.dist-info")
        numba = json.loads((PACK / "manifest.json").read_bytes())["compilers"][0]
        metadata = about / "METADATA"
        pinned, count = re.subn(
            r"^(Requires-Dist: numba)[^;\n]*", rf"\1=={numba}", metadata.read_text(), flags=re.M
        )
        if count != 1:
            raise SystemExit("the metadata of the wheel does not name numba once")
        metadata.write_text(pinned)
        kind = about / "WHEEL"
        kind.write_text(kind.read_text().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false"))
        _wheel("pack", content, "--dest-dir", folder)
        (made,) = Path(folder).glob("*.whl")
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        tags = ("--python-tag", python, "--abi-tag", python, "--platform-tag", platform_tag())
        _wheel("tags", "--remove", *tags, made)
        (tagged,) = Path(folder).glob("*.whl")
        into.mkdir(exist_ok=True)
        return Path(shutil.copy(tagged, into))


def _wheel(*arguments: object) -> None:
    subprocess.run([*UV, "tool", "run", "-q", "wheel", *map(str, arguments)], check=True)


def main() -> None:
    """Build the kernels if they are missing, the pure wheel, and from both the platform wheel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=DIST)
    into = parser.parse_args().into
    if not kernels_fit():
        tool = str(ROOT / "tools" / "build_kernels.py")
        subprocess.run([sys.executable, tool, "--cache", str(CACHE)], check=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [*UV, "build", "-q", "--wheel", "--out-dir", folder, str(ROOT)],
            env={**os.environ, "WRITHE_PAGE_IS_BUILT": "1"},
            check=True,
        )
        (pure,) = Path(folder).glob("*.whl")
        made = add_kernels(pure, into)
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
