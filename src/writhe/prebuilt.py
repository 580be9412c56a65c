"""The precompiled data in a wheel: machine code of the kernels, posture libraries and skins.

The folder `_prebuilt` beside this file is made by `make kernels` and put into platform wheels. It
holds `manifest.json`, `kernels.bin` (compiled kernels one after another) and files named as in the
user's cache. If it is missing, damaged, stale or for another platform, it is ignored and kernels
are compiled on demand, as in a checkout.

`$WRITHE_PREBUILT` names another folder; `0` ignores any pack.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
import zlib
from functools import cache
from pathlib import Path
from typing import Any

FORMAT = 1
"""Version of the pack and of the stored kernels."""


def python_tag() -> str:
    """The Python implementation and version, as in names of bytecode files ("cpython-311")."""
    abi = getattr(sys, "abiflags", "")
    return f"{sys.implementation.cache_tag}{abi}"


def platform_tag() -> str:
    """Operating system and processor ("linux-x86_64")."""
    system = sysconfig.get_platform()
    return "-".join(["macosx", system.rsplit("-", 1)[-1]]) if "macosx" in system else system


@cache
def folder() -> Path | None:
    """The folder of the pack; None if there is none that can be used here."""
    chosen = os.environ.get("WRITHE_PREBUILT", "")
    if chosen == "0":
        return None
    found = Path(chosen) if chosen else Path(__file__).parent / "_prebuilt"
    return found if (found / "manifest.json").is_file() else None


@cache
def manifest() -> dict[str, Any]:
    """The contents of manifest.json; empty if there is no pack for this Python and platform."""
    here = folder()
    if here is None:
        return {}
    try:
        read = json.loads((here / "manifest.json").read_bytes())
        made_for = (read["format"], read["python"], read["platform"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return read if made_for == (FORMAT, python_tag(), platform_tag()) else {}


def source_hash(digest: str) -> bytes | None:
    """The hash of the code of a source file (`writhe.cache.code_hash`) by that of its bytes."""
    found = manifest().get("sources", {}).get(digest)
    return None if found is None else bytes.fromhex(found)


def file(name: str) -> Path | None:
    """A ready-made file by its name in the cache folder, such as "library/basic-12ab.npz"."""
    here = folder()
    if here is None or name not in manifest().get("files", ()):
        return None
    return here / name


def kernel(name: str) -> bytes | None:
    """A stored kernel by its name; None if it is not in the pack or damaged."""
    place = manifest().get("kernels", {}).get(name)
    here = folder()
    if place is None or here is None:
        return None
    try:
        start, length, checksum = place
        with (here / "kernels.bin").open("rb") as stored:
            stored.seek(start)
            data = stored.read(length)
    except (OSError, TypeError, ValueError):
        return None
    return data if zlib.crc32(data) == checksum else None
