"""One process compiles a kernel; others that need it meanwhile wait for the result."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import IO

_POLL_S = 0.02


@contextlib.contextmanager
def claimed(path: Path) -> Generator[bool]:
    """Hold the lock file `path`; yields whether another process held it before.

    The operating system releases the lock when the process ends, even by a crash. If the folder
    cannot be written, nothing is locked: at worst, two processes compile the same kernel.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("wb")
    except OSError:
        yield False
        return
    with file:
        waited = False
        while not _lock(file):
            waited = True
            time.sleep(_POLL_S)
        try:
            yield waited
        finally:
            with contextlib.suppress(OSError):
                path.unlink()  # at worst, a process that opened it before compiles again


def _lock(file: IO[bytes]) -> bool:
    """Try to lock an open file; it is unlocked when it is closed."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True  # a file system without locks
    return True
