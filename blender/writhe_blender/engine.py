"""Where writhe runs: in Blender's own process, in one of another Python, or in a running writhe.

Drags run in Blender's process by default; long work always runs in a process of its own, so that
Blender stays responsive and the work can be cancelled.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .process.client import AttachedClient, Client, EngineError, ProcessClient

__all__ = ["EngineError", "drags", "problem", "stop", "use", "where", "worker"]

_session: Any = None
_drags: Client | None = None
_worker: Client | None = None
_python = ""  # of another Python; empty for Blender's own
_address = ""  # of a running writhe; empty if there is none to attach to


def use(python: str = "", address: str = "") -> None:
    """Attach to a running writhe at an address, or run writhe with a Python, or in Blender's."""
    global _python, _address
    if (python, address) != (_python, _address):
        stop()
        _python, _address = python, address


def where() -> str:
    """Where writhe runs, for the user."""
    if _address:
        return f"the running writhe at {_address.partition('/')[0]}"
    return _python or "Blender's own Python"


def problem() -> str:
    """Why writhe does not run here, with the remedy; empty if it does or runs elsewhere."""
    if _python or _address:
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
        from writhe import __version__
        from writhe.plugin import Session

        self.about = {"version": __version__, "python": sys.version.split()[0]}
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
    if not (_python or _address):
        if _session is None:
            _session = _InProcess()
        return _session
    if _drags is None or not _drags.alive:
        _drags = _outside()
    return _drags


def _outside() -> Client:
    """A new process of another Python, or a new connection."""
    return AttachedClient(_address) if _address else ProcessClient(_python)


def worker() -> Client:
    """The process for long work."""
    global _worker
    if _worker is None or not _worker.alive:
        why = problem()
        if why:
            raise EngineError(why)
        own = not (_python or _address)
        _worker = ProcessClient(search_path=[p for p in sys.path if p]) if own else _outside()
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
