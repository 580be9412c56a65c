"""Starts the server: address, access token, browser."""

from __future__ import annotations

import secrets
import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from writhe.errors import WritheError
from writhe.studio.editing.posers import Posers
from writhe.studio.files.document_folder import DocumentFolder
from writhe.studio.files.shared_files import SharedFiles
from writhe.studio.server.app import build_app
from writhe.studio.server.preparation import Preparation
from writhe.studio.server.security import is_loopback


def serve(
    host: str,
    port: int,
    documents: Path,
    *,
    database: Path | None,
    pairs: Path | None,
    browser: bool,
    announce: Callable[[str], None],
    preparation: Preparation,
) -> None:
    """Serve until interrupted; port 0 takes any free port."""
    token = None if is_loopback(host) else secrets.token_urlsafe(24)
    listener = _listen(host, port)
    taken = int(listener.getsockname()[1])
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{taken}/" + (f"?token={token}" if token else "")
    config = uvicorn.Config(
        build_app(
            DocumentFolder(documents),
            token,
            Posers(database, SharedFiles(documents), pairs),
            preparation=preparation,
        ),
        log_level="warning",
        ws_max_size=2**20,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=60.0,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    server = uvicorn.Server(config)
    announce(address)
    if browser:
        threading.Thread(target=_open_browser, args=(address, server), daemon=True).start()
    preparation.start()
    server.run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise WritheError(
            f"cannot listen on {host}:{port} ({error.strerror}); choose another with --port"
        ) from error
    listener.listen(128)
    listener.set_inheritable(True)
    return listener


def _open_browser(address: str, server: uvicorn.Server) -> None:
    while not server.started:
        time.sleep(0.05)
    webbrowser.open(address)
