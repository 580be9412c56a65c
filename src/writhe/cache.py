"""The cache folder of writhe, and names in it that follow the code that made what is cached."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from writhe.files import replace_file


def cache_root() -> Path:
    """The folder of all caches of writhe: $WRITHE_CACHE_DIR, or the user's cache folder."""
    chosen = os.environ.get("WRITHE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local")))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")))
    return base / "writhe"


def keep(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file of the cache; a cache folder that cannot be written costs time, nothing else."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, write)


def code_hash(source: bytes) -> bytes:
    """A hash of Python source without its comments and docstrings, memoised on disk by content.

    What is generated from code is kept under this name, so rewording it generates nothing anew.
    """
    digest = hashlib.sha256(source).hexdigest()[:32]
    memo = cache_root() / "sources" / f"{digest}-{sys.version_info.major}{sys.version_info.minor}"
    try:
        return memo.read_bytes()
    except OSError:
        pass
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body[0] = ast.Pass()
    result = hashlib.sha256(ast.dump(tree).encode()).digest()
    keep(memo, lambda part: part.write_bytes(result))
    return result
