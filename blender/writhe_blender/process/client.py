"""writhe in a process of its own, started by a Python of choice."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import wire

_SERVE = Path(__file__).with_name("serve.py")


class EngineError(Exception):
    """A request failed; the text is for the user."""


class Client:
    """A process that answers one request at a time."""

    def __init__(self, python: str = "", search_path: list[str] | None = None) -> None:
        """Start the process.

        python: its executable, by default this one's, which then gets `search_path` as well.
        """
        environment = dict(os.environ)
        if search_path is not None:
            environment["PYTHONPATH"] = os.pathsep.join(search_path)
        else:
            for name in ("PYTHONPATH", "PYTHONHOME"):
                environment.pop(name, None)
        quiet = {"creationflags": 0x08000000} if sys.platform == "win32" else {}  # no window
        try:
            self._process = subprocess.Popen(
                [python or sys.executable, str(_SERVE)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                **quiet,
            )
        except OSError as error:
            raise EngineError(f"{python or sys.executable} cannot be started: {error}") from None
        self._lock = threading.Lock()
        try:
            hello = wire.receive(self._process.stdout)
        except EOFError:
            raise EngineError("writhe's process ended at its start; see the console") from None
        if "error" in hello:
            raise EngineError(hello["error"])
        self.about: dict[str, str] = hello["answer"]

    def request(
        self,
        name: str,
        data: dict[str, Any],
        progress: Callable[[float | None, str], None] | None = None,
    ) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        with self._lock:
            try:
                wire.send(self._process.stdin, {"request": name, "data": data})
                while True:
                    message = wire.receive(self._process.stdout)
                    if "progress" not in message:
                        break
                    if progress is not None:
                        progress(message["progress"], message["what"])
            except (EOFError, OSError, ValueError):
                raise EngineError("writhe's process has ended") from None
        if "error" in message:
            raise EngineError(message["error"])
        return message["answer"]

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the process, also in the middle of a request."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                stream.close()
            except OSError:
                pass
