"""The studio server under load: round trips of one session, then many sessions at once.

The server runs in a process of its own, as in normal use; the clients share one other process and
send the same messages as the page.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from websockets.asyncio.client import connect

from writhe.errors import WritheError
from writhe.progress import Progress
from writhe.research.evaluation import studio_page

PROTOCOL = 3
SESSIONS, SECONDS, ROUND_TRIPS = 20, 6.0, 600
FRAME_S = 1 / 60


def run(progress: Progress) -> dict[str, Any]:
    """Median and 95th percentile of a drag's round trip; lowest rate of many sessions."""
    with tempfile.TemporaryDirectory(prefix="writhe-bench-") as folder:
        progress(None, "the start of the server")
        server, address = start(Path(folder))
        try:
            progress(None, "round trips of one session")
            alone = asyncio.run(_one(address))
            progress(None, f"{SESSIONS} sessions at once")
            counts = asyncio.run(_many(address))
            progress(None, "the page in a browser")
            page = studio_page.measure(address)
        finally:
            server.terminate()
            server.wait(10)
    return {
        "round_trip_ms_median": round(float(np.median(alone)), 3),
        "round_trip_ms_p95": round(float(np.percentile(alone, 95)), 3),
        "sessions": SESSIONS,
        "answers_per_second_min": round(min(counts) / SECONDS, 1),
        **page,
    }


def start(
    folder: Path, python: str = sys.executable, environment: dict[str, str] | None = None
) -> tuple[subprocess.Popen[bytes], str]:
    """Start a server with its documents in `folder`; also its address."""
    log = folder / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [
                *(python, "-c", "from writhe.cli import main; main()", "studio"),
                *("--port", "0", "--documents", str(folder / "documents"), "--no-browser"),
            ],
            stdout=out,
            stderr=out,
            env={**os.environ, "COLUMNS": "200", **(environment or {})},
        )
    while server.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+/", log.read_text())
        if found:
            return server, found[0]
        time.sleep(0.02)
    raise WritheError(f"the studio's server did not start: {log.read_text()[-500:]}")


class _Client:
    """A session that drags the left hand around in a circle."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._sequence = 0
        self._hand = 0

    async def send(self, **message: Any) -> None:
        await self._socket.send(msgspec.msgpack.encode(message))

    async def until(self, kind: str) -> dict[str, Any]:
        while True:
            message = msgspec.msgpack.decode(await self._socket.recv())
            if message["type"] == "figure":
                names = [joint["name"] for joint in message["joints"]]
                self._hand = names.index("left_wrist")
            if message["type"] == kind:
                return message
            if message["type"] == "error":
                raise WritheError(message["text"])

    async def drag(self) -> float:
        """Milliseconds from sending one drag to its answer."""
        self._sequence += 1
        angle = 0.05 * self._sequence
        position = (0.4, 1.15 + 0.15 * math.sin(angle), 0.25 + 0.1 * math.cos(angle))
        hold = {
            "joint": self._hand,
            "point_in_joint": (0.0, 0.0, 0.0),
            "position_in_world": position,
        }
        start = time.perf_counter()
        await self.send(type="drag", sequence=self._sequence, actor=1, handles=[hold], frames=1)
        await self.until("drag_result")
        return 1e3 * (time.perf_counter() - start)


async def open_session(address: str) -> tuple[_Client, Any]:
    """A session with a new document whose first drag was answered, and its socket."""
    request = urllib.request.Request(address + "api/documents", b"{}", method="POST")
    number = json.load(await asyncio.to_thread(urllib.request.urlopen, request))["id"]
    socket = await connect(address.replace("http", "ws", 1) + "socket", max_size=2**26)
    client = _Client(socket)
    await client.send(type="open", protocol=PROTOCOL, document=number)
    await client.until("state")
    await client.drag()  # the poser is created at the first drag
    return client, socket


async def _one(address: str) -> list[float]:
    """Round trips of a session that drags at 60 frames a second."""
    client, socket = await open_session(address)
    times: list[float] = []
    for _ in range(ROUND_TRIPS):
        taken = await client.drag()
        times.append(taken)
        await asyncio.sleep(max(0.0, FRAME_S - taken / 1e3))
    await socket.close()
    return times


async def _many(address: str) -> list[int]:
    """Number of answers of each of many concurrent sessions that drag at 60 frames a second."""
    opened = [await open_session(address) for _ in range(SESSIONS)]

    async def work(client: _Client) -> int:
        count = 0
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            taken = await client.drag()
            count += 1
            await asyncio.sleep(max(0.0, FRAME_S - taken / 1e3))
        return count

    counts = await asyncio.gather(*(work(client) for client, _ in opened))
    await asyncio.gather(*(socket.close() for _, socket in opened))
    return list(counts)
