"""writhe outside Blender's process: started by a Python of choice, or running already."""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from . import wire

_NO_WRITHE = 3  # exit status of a Python without writhe
_START = f"""
import sys
try:
    from writhe.plugin.engine import main
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit({_NO_WRITHE})
main()
"""
_CONNECT_S = 5.0


class EngineError(Exception):
    """A request failed; the text is for the user."""


class Client:
    """Something that answers one request at a time, through two streams."""

    _name = "writhe's process"

    def _greet(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Wait for the greeting, which says who answers."""
        self._source, self._sink = source, sink
        self._lock = threading.Lock()
        hello = wire.receive(source)
        if "error" in hello:
            raise EngineError(hello["error"])
        self.about: dict[str, Any] = hello["answer"]
        if self.about.get("protocol") != wire.PROTOCOL:
            raise EngineError(
                f"writhe {self.about.get('version')} does not fit this extension (protocol"
                f" {self.about.get('protocol')}, here {wire.PROTOCOL}): install both of the same"
                " version"
            )

    def request(
        self,
        name: str,
        data: dict[str, Any],
        progress: Callable[[float | None, str], None] | None = None,
    ) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        with self._lock:
            try:
                wire.send(self._sink, {"request": name, "data": data})
                while True:
                    message = wire.receive(self._source)
                    if "progress" not in message:
                        break
                    if progress is not None:
                        progress(message["progress"], message["what"])
            except (EOFError, OSError, ValueError):
                raise EngineError(f"{self._name} has ended") from None
        if "error" in message:
            raise EngineError(message["error"])
        return message["answer"]

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        raise NotImplementedError

    def stop(self) -> None:
        """End it, also in the middle of a request."""
        raise NotImplementedError


class ProcessClient(Client):
    """writhe in a process that is started here."""

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
        executable = python or sys.executable
        try:
            self._process = subprocess.Popen(
                [executable, "-P", "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                **quiet,
            )
        except OSError as error:
            raise EngineError(f"{executable} cannot be started: {error}") from None
        try:
            self._greet(self._process.stdout, self._process.stdin)
        except (EOFError, ValueError):
            if self._process.wait() == _NO_WRITHE:
                raise EngineError(
                    f"{executable} has no writhe of this version: 'pip install writhe' there"
                ) from None
            raise EngineError("writhe's process ended at its start; see the console") from None
        except EngineError:
            self.stop()
            raise

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


class AttachedClient(Client):
    """A connection with a running `writhe serve`."""

    def __init__(self, address: str) -> None:
        """Connect; the address is HOST:PORT/KEY, as `writhe serve` prints it."""
        place, _, key = address.strip().partition("/")
        host, _, port = place.rpartition(":")
        if not (host and port.isdecimal() and key):
            raise EngineError(
                f"{address!r} is no address of a running writhe: give HOST:PORT/KEY as"
                " 'writhe serve' prints it"
            )
        self._name = f"the writhe at {place}"
        try:
            self._socket = socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S)
        except (OSError, OverflowError) as error:
            raise EngineError(
                f"no writhe runs at {place} ({error}): start it with 'writhe serve', or clear"
                " its address in the preferences of this extension"
            ) from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._socket.sendall(f"writhe {key}\n".encode())
            self._socket.settimeout(12.0 * _CONNECT_S)  # it may have to load writhe first
            self._greet(self._socket.makefile("rb"), self._socket.makefile("wb"))
            self._socket.settimeout(None)
        except (EOFError, OSError, ValueError):
            self.stop()
            raise EngineError(f"what answers at {place} is not writhe") from None
        except EngineError:
            self.stop()
            raise

    @property
    def alive(self) -> bool:
        """Whether the connection is open: nothing to read, or more than its end."""
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._socket, selectors.EVENT_READ)
                readable = selector.select(0)
            return not readable or bool(self._socket.recv(1, socket.MSG_PEEK))
        except (OSError, ValueError):  # closed
            return False

    def stop(self) -> None:
        """Close the connection, which ends its work."""
        for end in (lambda: self._socket.shutdown(socket.SHUT_RDWR), self._socket.close):
            try:
                end()
            except OSError:
                pass
