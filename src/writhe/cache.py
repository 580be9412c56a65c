"""The cache folder of writhe; entries are named by a hash of the code that generates them."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from writhe import prebuilt
from writhe.files import replace_file
from writhe.user_folders import user_folder


def cache_root() -> Path:
    """The folder of all caches of writhe: $WRITHE_CACHE_DIR, or the user's cache folder."""
    chosen = os.environ.get("WRITHE_CACHE_DIR")
    return Path(chosen) if chosen else user_folder("cache")


def keep(path: Path, write: Callable[[Path], Any]) -> bool:
    """Write a file of the cache atomically; False if the folder cannot be written.

    In that case it is generated again at the next start.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, write)
    except OSError:
        return False
    return True


def cached_file(name: str) -> Path | None:
    """A file by its name in the cache folder, or in what the wheel carries; None if in neither."""
    path = cache_root() / name
    try:
        found = path.is_file()
    except OSError:  # no permission to read the folder
        found = False
    return path if found else prebuilt.file(name)


def write_file(path: Path, data: bytes) -> bool:
    """Write bytes to a file of the cache; see `keep`."""
    return keep(path, lambda part: part.write_bytes(data))


def code_hash(source: bytes) -> bytes:
    """A hash of Python source without its comments and docstrings, memoised on disk by content.

    Generated data is stored under this name, so that editing comments invalidates nothing.
    """
    digest = hashlib.sha256(source).hexdigest()[:32]
    known = prebuilt.source_hash(digest)
    if known is not None:
        return known
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
    write_file(memo, result)
    return result
