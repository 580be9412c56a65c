"""A server that runs writhe for other programs, with a separate process for each connection.

A program sends the key in one line and then exchanges messages (`wire`) with its process. Closing
the connection ends the process; this cancels long computations. One process is started in advance,
so that a new connection need not wait. Only programs on the same machine can connect.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from writhe.errors import WritheError
from writhe.plugin import wire
from writhe.user_folders import settings_folder

_HOST = "127.0.0.1"  # the connection is not encrypted: this machine only
_KEY_S = 10.0  # to send the key
_LONGEST_LINE = 200
_PART = 2**16


def stored_key(*, renew: bool = False) -> str:
    """The key of this user, made at the first call; only the user can read its file."""
    path = settings_folder("serve") / "key"
    if not renew:
        with contextlib.suppress(OSError):
            found = path.read_text().strip()
            if found:
                return found
    key = secrets.token_urlsafe(24)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # its permissions are those of the new file
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(key)
    return key


class Server:
    """Listens on this machine; `address` is what programs attach to: HOST:PORT/KEY."""

    def __init__(self, port: int, key: str) -> None:
        """Listen; port 0 takes any free one."""
        try:
            self._listener = socket.create_server((_HOST, port))
        except OSError as error:
            why = os.strerror(error.errno or 0)
            raise WritheError(
                f"cannot listen on port {port} ({why}): choose another with --port"
            ) from error
        self.address = f"{_HOST}:{self._listener.getsockname()[1]}/{key}"
        self._key = key.encode()
        self._engines: set[subprocess.Popen[bytes]] = set()
        self._choosing = threading.Lock()
        self._reserve = self._start()

    def run(self, connected: Callable[[], None] = lambda: None) -> None:
        """Accept connections until `stop`; `connected` is called for each that has the key."""
        while True:
            try:
                program, _ = self._listener.accept()
            except OSError:  # closed by `stop`
                return
            threading.Thread(target=self._answer, args=(program, connected), daemon=True).start()

    def stop(self) -> None:
        """Close the address and end all processes."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes `accept`
        self._listener.close()
        for engine in list(self._engines):
            engine.kill()
            engine.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        engine = subprocess.Popen(
            [sys.executable, "-P", "-m", "writhe.plugin.engine"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._engines.add(engine)
        return engine

    def _take(self) -> subprocess.Popen[bytes]:
        """The process started in advance, for one connection; starts the next one."""
        with self._choosing:
            taken = self._reserve
            if taken.poll() is not None:  # ended while it waited
                self._engines.discard(taken)
                taken = self._start()
            self._reserve = self._start()
        return taken

    def _answer(self, program: socket.socket, connected: Callable[[], None]) -> None:
        """Check the key, then pass bytes to a process and back until one of the two ends."""
        with program:
            program.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                if not secrets.compare_digest(_line(program), b"writhe " + self._key):
                    with program.makefile("wb") as sink:
                        wire.send(sink, {"error": "the key is wrong: take the address that"
                                                  " 'writhe serve' prints"})  # fmt: skip
                    return
                program.settimeout(None)
            except OSError:
                return
            connected()
            engine = self._take()
            back = threading.Thread(target=_answers, args=(engine, program), daemon=True)
            back.start()
            try:
                _requests(program, engine)
            finally:
                engine.kill()
                engine.wait()
                self._engines.discard(engine)
                back.join()


def _line(program: socket.socket) -> bytes:
    """The first line, byte by byte: what follows belongs to the process."""
    out, end = bytearray(), time.monotonic() + _KEY_S
    while len(out) < _LONGEST_LINE:
        program.settimeout(max(end - time.monotonic(), 1e-3))
        byte = program.recv(1)
        if byte in (b"", b"\n"):
            break
        out += byte
    return bytes(out)


def _requests(program: socket.socket, engine: subprocess.Popen[bytes]) -> None:
    """Pass what the program sends to the process, until it closes the connection."""
    assert engine.stdin is not None
    with contextlib.suppress(OSError):
        while part := program.recv(_PART):
            engine.stdin.write(part)
            engine.stdin.flush()


def _answers(engine: subprocess.Popen[bytes], program: socket.socket) -> None:
    """Pass what the process says to the program, until it ends."""
    assert engine.stdout is not None
    with contextlib.suppress(OSError):
        while part := os.read(engine.stdout.fileno(), _PART):
            program.sendall(part)
        program.shutdown(socket.SHUT_RDWR)
