"""A client without a browser: messages over the websocket as dictionaries."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from typing import Any

import msgspec
import numpy as np
from websockets.sync.client import ClientConnection, connect

from writhe.studio.protocol import PROTOCOL


class SocketClient:
    """A connection that works on one document."""

    def __init__(self, address: str, document: str, **options: Any) -> None:
        self.document = document
        place = address.replace("http", "ws", 1) + "socket"
        self._open = ExitStack()
        self.socket: ClientConnection = self._open.enter_context(
            connect(place, max_size=2**26, **options)
        )
        self.send(type="open", protocol=PROTOCOL, document=document)
        self.seen: dict[str, dict[str, Any]] = {}
        self.motion = np.zeros((0, 0), dtype="<f4")  # (frames, nq) of the actor sent last
        self.linking = np.zeros((0, 0), dtype="<f4")  # (frames, pairs)
        self.state = self.until("state")

    def send(self, **message: Any) -> None:
        self.socket.send(msgspec.msgpack.encode(message))

    def receive(self, timeout: float = 180.0) -> dict[str, Any]:
        data = self.socket.recv(timeout)
        assert isinstance(data, bytes)
        message: dict[str, Any] = msgspec.msgpack.decode(data)
        self.seen[message["type"]] = message
        if message["type"] == "motion":
            sent = len(message["q"]) // (4 * max(1, message["size"]))
            self.motion = _spliced(self.motion, message, "q", sent)
            self.linking = _spliced(self.linking, message, "linking", sent)
        return message

    def until(self, kind: str) -> dict[str, Any]:
        """The next message of a kind; a problem is an error."""
        while True:
            message = self.receive()
            if message["type"] == kind:
                return message
            if message["type"] == "error":
                raise RuntimeError(message["text"])

    def command(self, request: str = "", **message: Any) -> dict[str, Any]:
        """Send a command and wait until it is acknowledged; the state after it."""
        request = request or secrets.token_hex(8)
        self.send(request=request, **message)
        while True:
            self.state = self.until("state")
            if self.state["request"] == request:
                return self.state

    def task(self, kind: str, **message: Any) -> dict[str, Any]:
        """Start something long; the message of a kind that comes of it."""
        self.send(request=secrets.token_hex(8), **message)
        return self.until(kind)

    def joint(self, name: str) -> int:
        return [j["name"] for j in self.seen["figure"]["joints"]].index(name)

    def drag(
        self, joint: str, place: tuple[float, float, float], sequence: int = 1, frames: int = 1
    ) -> dict[str, Any]:
        hold = {
            "joint": self.joint(joint),
            "point_in_joint": (0.0, 0.0, 0.0),
            "position_in_world": place,
        }
        self.send(type="drag", sequence=sequence, actor=1, handles=[hold], frames=frames)
        return self.until("drag_result")

    def pose(self) -> np.ndarray:
        return np.frombuffer(self.state["actors"][0]["q"], dtype="<f4")

    def close(self) -> None:
        self._open.close()


def _spliced(before: np.ndarray, message: dict[str, Any], name: str, sent: int) -> np.ndarray:
    """The rows before, with those of a motion message in their places."""
    rows = np.frombuffer(message[name], "<f4").reshape(sent, -1) if sent else before[:0]
    out = np.zeros((message["frames"], rows.shape[1]), dtype="<f4")
    if before.shape[1] == out.shape[1]:
        kept = min(len(before), len(out))
        out[:kept] = before[:kept]
    out[message["first"] : message["first"] + sent] = rows
    return out
