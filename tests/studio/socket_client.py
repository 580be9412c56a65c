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
        self.state = self.until("state")

    def send(self, **message: Any) -> None:
        self.socket.send(msgspec.msgpack.encode(message))

    def receive(self, timeout: float = 180.0) -> dict[str, Any]:
        data = self.socket.recv(timeout)
        assert isinstance(data, bytes)
        message: dict[str, Any] = msgspec.msgpack.decode(data)
        self.seen[message["type"]] = message
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
