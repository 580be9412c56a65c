"""Writing files without leaving partial ones: to a temporary file first, then renamed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from writhe.errors import WritheError


def replace_file(path: Path, write: Callable[[Path], Any]) -> None:
    """Call `write` with a temporary path beside `path`, then rename that file to `path`.

    If `write` raises, `path` is unchanged and nothing is left behind;
    errors of the file system are raised as they are.
    """
    # one name per process and thread: two may write the same file at once
    part = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        write(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_file(path: Path, write: Callable[[Path], Any]) -> None:
    """As `replace_file`, for files of the user: an error of the file system names the file."""
    try:
        replace_file(path, write)
    except OSError as error:
        raise WritheError(f"cannot write {path}: {error.strerror or error}") from None
