"""Where writhe runs: in Blender's own process, or in one of another Python.

Drags run in Blender's process by default; long work always runs in a process of its own, so that
Blender stays responsive and the work can be cancelled.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .process.client import Client, EngineError

__all__ = ["Client", "EngineError", "drags", "problem", "stop", "worker"]

_session: Any = None
_drags: Client | None = None
_worker: Client | None = None
_python = ""  # of another Python; empty for Blender's own


def use_python(executable: str) -> None:
    """Run writhe with another Python; with an empty name, in Blender's."""
    global _python
    if executable != _python:
        stop()
        _python = executable


def problem() -> str:
    """Why writhe does not run here, with the remedy; empty if it does."""
    if _python:
        return ""
    try:
        import writhe.plugin  # noqa: F401
    except ImportError as error:
        version = ".".join(map(str, sys.version_info[:2]))
        return (
            f"writhe does not load in Blender's Python {version} ({error}). Install the extension"
            f" for this version of Blender, or 'pip install writhe' for any Python from 3.11 and"
            " choose that Python in the preferences of this extension"
        )
    return ""


class _InProcess:
    """writhe in Blender's own process."""

    def __init__(self) -> None:
        from writhe.plugin import Session

        self._session = Session()

    def request(
        self,
        name: str,
        data: dict[str, Any],
        progress: Callable[[float | None, str], None] | None = None,
    ) -> dict[str, Any]:
        """Answer a request."""
        from writhe.errors import WritheError

        try:
            return self._session.request(name, data, progress)
        except WritheError as error:
            raise EngineError(str(error)) from None


def drags():
    """The engine of drags and other short requests."""
    global _session, _drags
    why = problem()
    if why:
        raise EngineError(why)
    if not _python:
        if _session is None:
            _session = _InProcess()
        return _session
    if _drags is None or not _drags.alive:
        _drags = Client(_python)
    return _drags


def worker() -> Client:
    """The process for long work."""
    global _worker
    if _worker is None or not _worker.alive:
        why = problem()
        if why:
            raise EngineError(why)
        _worker = Client(_python) if _python else Client(search_path=[p for p in sys.path if p])
    return _worker


def stop_worker() -> None:
    """End long work."""
    global _worker
    if _worker is not None:
        _worker.stop()
        _worker = None


def stop() -> None:
    """End all processes and forget the session."""
    global _session, _drags
    stop_worker()
    if _drags is not None:
        _drags.stop()
    _drags = _session = None
