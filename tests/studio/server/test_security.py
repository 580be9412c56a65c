"""Unauthorised requests, hostile messages and uploads are rejected without side effects."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import random
import socket
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from server_process import Server
from socket_client import SocketClient
from starlette.types import Message
from websockets.exceptions import ConnectionClosed, InvalidStatus

from writhe import io
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.studio.protocol import PROTOCOL
from writhe.studio.server.security import COOKIE, AccessControl, is_loopback

UPLOADS = 400


def ask(
    server: Server, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[int, bytes, dict[str, str]]:
    """One request with a path sent exactly as given."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, named)
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer.status, data, {name.lower(): value for name, value in answer.getheaders()}


def test_every_answer_carries_a_strict_policy(server: Server) -> None:
    for path in ("/", "/api/documents", "/nothing"):
        _, _, headers = ask(server, "GET", path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        # WebAssembly decodes compressed meshes; no script from text, no inline script or style
        assert "'unsafe-eval'" not in policy and "unsafe-inline" not in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_other_sites_and_rebound_names_are_rejected(server: Server) -> None:
    assert ask(server, "GET", "/api/documents", Host="evil.example")[0] == 403
    assert ask(server, "POST", "/api/documents", b"{}", Origin="http://evil.example")[0] == 403
    own = f"http://127.0.0.1:{server.port}"
    assert ask(server, "POST", "/api/documents", b"{}", Origin=own)[0] == 201
    with pytest.raises((InvalidStatus, ConnectionClosed)):
        SocketClient(server.address, server.new_document(), origin="http://evil.example")
    SocketClient(server.address, server.new_document(), origin=own).close()


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..%2f..%2fserver.py",
        "/api/documents/..%2f..%2fetc%2fpasswd/thumbnail.png",
        "/api/documents/../../etc/thumbnail.png",
        "/api/documents/aaaaaaaaaaa;/export/1.bvh",
        "/api/documents/aaaaaaaaaaaa/export/1.%2e%2e%2fpasswd",
    ],
)
def test_no_path_reaches_the_disk(server: Server, path: str) -> None:
    status, data, _ = ask(server, "GET", path)
    assert status in (400, 404, 405)
    assert b"root:" not in data
    assert b"import" not in data


def test_a_token_is_required_off_loopback() -> None:
    async def inner(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    def status(query: bytes = b"", cookie: bytes = b"") -> tuple[int, dict[bytes, bytes]]:
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/",
            "query_string": query,
            "headers": [(b"host", b"studio.local:8765"), (b"cookie", cookie)],
        }

        async def receive() -> Message:
            return {"type": "http.request"}

        call = AccessControl(inner, "secret")(scope, receive, send)
        with ThreadPoolExecutor(1) as pool:  # the browser's driver has a loop in this thread
            pool.submit(asyncio.run, call).result()
        return sent[0]["status"], dict(sent[0]["headers"])

    assert status()[0] == 403
    assert status(b"token=wrong")[0] == 403
    given, headers = status(b"token=secret&document=1")
    assert given == 303
    assert headers[b"location"] == b"/?document=1"
    assert b"HttpOnly" in headers[b"set-cookie"]
    assert b"secret" in headers[b"set-cookie"]
    assert status(cookie=f"{COOKIE}=secret".encode())[0] == 200
    assert status(cookie=f"{COOKIE}=guess".encode())[0] == 403
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")


def test_uploads_are_bounded_and_only_parsed(server: Server) -> None:
    number = server.new_document()
    path = f"/api/documents/{number}/import?actor=1&name="
    huge = str(10**12)
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.sendall(
        f"POST {path}a.bvh HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Content-Length: {huge}\r\n\r\n".encode()
    )
    assert b"400" in connection.recv(1000)
    connection.close()
    for name, data in (
        ("a.exe", b"MZ"),
        ("../../a.bvh", b"HIERARCHY\nROOT"),
        ("a.glb", b"glTF\x02\x00\x00\x00\xff\xff\xff\xff"),
        ("a.npz", b"PK\x03\x04broken"),
        ("%00.bvh", b"\x00" * 1000),
    ):
        status, answer, _ = ask(server, "POST", path + name, data)
        assert status == 400
        assert tempfile.gettempdir() not in json.loads(answer)["error"]
    assert ask(server, "POST", "/api/documents", b'{"figure": "../x"}')[0] == 400
    assert ask(server, "POST", "/api/documents", b"[1]")[0] == 400


def _mutated(rng: random.Random, good: bytes) -> bytes:
    data = bytearray(good)
    for _ in range(rng.randint(1, 6)):
        match rng.randrange(4):
            case 0 if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
            case 1 if data:
                del data[rng.randrange(len(data)) :]
            case 2:
                data[rng.randrange(len(data) + 1) : 0] = rng.randbytes(rng.randint(1, 12))
            case _:
                data += rng.randbytes(rng.randint(0, 30))
    return bytes(data)


def _wild_value(rng: random.Random, depth: int = 0) -> Any:
    choices: list[Any] = [
        *(None, True, -1, 0, 2**63 - 1, -(2**63), 1e308, float("nan"), float("inf"), -0.0),
        *("", "human", "../../x", "\x00", "x" * 5000, b"", b"\x89PNG\r\n\x1a\n", b"\xff" * 300),
        *((0.0, 0.0, 0.0), [float("nan")] * 3, [1e30] * 3, (0, 0, 0, 0)),
    ]
    if depth < 2 and rng.random() < 0.3:
        return [_wild_value(rng, depth + 1) for _ in range(rng.randint(0, 4))]
    return rng.choice(choices)


def test_hostile_uploads_harm_nobody(server: Server, tmp_path: Path) -> None:
    """Broken motion, figure and scene files: each is refused or opened, none does harm."""
    human = figure("human")
    motion = Motion(human.skeleton, np.tile(human.skeleton.rest_configuration, (3, 1)), 30.0)
    scene = b'{"writhe_scene": 1, "objects": [{"name": "seat", "built_in": "chair"}]}'
    good: dict[str, bytes] = {"json": scene}
    for suffix in ("bvh", "glb"):
        io.save(motion, tmp_path / f"good.{suffix}", figure=human)
        good[suffix] = (tmp_path / f"good.{suffix}").read_bytes()
    rng = random.Random(11)
    number = server.new_document()
    assert server.process is not None
    before = _resident_kib(server.process.pid)
    statuses: list[int] = []
    for k in range(UPLOADS):
        suffix = rng.choice(["bvh", "glb", "json", "npz"])
        data = _mutated(rng, good.get(suffix, rng.randbytes(200)))
        form = "figure" if k % 3 == 0 else "motion"
        path = f"/api/documents/{number}/import?actor=1&as={form}&name=a.{suffix}"
        status, answer, _ = ask(server, "POST", path, data)
        statuses.append(status)
        assert tempfile.gettempdir().encode() not in answer
    assert set(statuses) <= {200, 400}
    assert statuses.count(400) > UPLOADS / 4
    assert server.process.poll() is None
    assert _resident_kib(server.process.pid) - before < 300_000
    after = SocketClient(server.address, number)
    assert after.command(type="rename", name="Still here")["name"] == "Still here"
    after.close()


_HOLD = {"joint": 3, "point_in_joint": (0, 0, 0), "position_in_world": (0.3, 1.0, 0.2)}
_GOOD: list[dict[str, Any]] = [
    {"type": "drag", "sequence": 1, "actor": 1, "handles": [_HOLD], "frames": 1},
    {"type": "seek", "time_s": 1.0},
    {"type": "compare_method", "actor": 1, "method": "plain"},
    {"type": "set_recording", "on": False},
    {"type": "thumbnail", "picture": b"\x89PNG\r\n\x1a\n"},
    {"type": "release", "request": "r" * 12, "actor": 1},
    {"type": "undo", "request": "u" * 12},
    {"type": "redo", "request": "v" * 12},
    {"type": "rename", "request": "n" * 12, "name": "x"},
    {"type": "set_pin", "request": "p" * 12, "actor": 1, "joint": 3, "hold": "both"},
    {"type": "choose_figure", "request": "f" * 12, "actor": 1, "figure": "human"},
    {"type": "set_key", "request": "k" * 12, "actor": 1, "time_s": 0.5},
    {"type": "move_keys", "request": "m" * 12, "keys": [1], "by_s": 0.5},
    {"type": "copy_keys", "request": "c" * 12, "keys": [1], "to_s": 0.5},
    {"type": "set_timeline", "request": "t" * 12, "duration_s": 2.0, "fps": 30.0},
    {"type": "open", "protocol": PROTOCOL, "document": "0" * 12},
    {"type": "add_object", "request": "a" * 12, "kind": "box", "position": (0.5, 0.2, 0.4)},
    {"type": "resize_object", "request": "s" * 12, "object": 1, "size": (0.2, 0.2, 0.2)},
    {
        "type": "place_object",
        "request": "l" * 12,
        "object": 1,
        "position": (1.0, 0.2, 0.4),
        "rotation": (1.0, 0.0, 0.0, 0.0),
    },
    {"type": "key_object", "request": "y" * 12, "object": 1, "time_s": 0.5},
    {"type": "move_actor", "request": "o" * 12, "actor": 1, "shift": (0, 0, 0), "turn_rad": 0.1},
    {"type": "check_motion", "request": "h" * 12},
    {"type": "cancel_job", "job": "h" * 12},
    {"type": "allow_contact", "request": "w" * 12, "one": {"actor": 1, "joint": 3}, "other": {}},
    {"type": "list_preset_poses"},
    {
        "type": "set_solver_settings",
        "request": "g" * 12,
        "postures": "basic",
        "naturalness": 1.0,
        "grip": 1.0,
        "steadiness": 1.0,
    },
]


def _hostile(rng: random.Random) -> bytes:
    if rng.random() < 0.1:
        return rng.randbytes(rng.randint(0, 200))
    message = dict(rng.choice(_GOOD))
    if rng.random() < 0.5:
        message[rng.choice(list(message))] = _wild_value(rng)
        if "handles" in message and rng.random() < 0.7:
            message["handles"] = [{**_HOLD, rng.choice(list(_HOLD)): _wild_value(rng)}]
            message["type"] = "drag"
        return msgspec.msgpack.encode(message)
    return _mutated(rng, msgspec.msgpack.encode(message))


def _resident_kib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def _read_what_has_come(client: SocketClient) -> None:
    """Read in the background, so that neither side blocks."""
    with contextlib.suppress(TimeoutError):
        while True:
            client.receive(timeout=0.005)


def test_hostile_messages_harm_nobody(server: Server) -> None:
    """10,000 malformed and hostile messages; another session keeps working all the while."""
    rng = random.Random(20261115)
    bystander = SocketClient(server.address, server.new_document())
    bystander.command(type="rename", name="Untouched")
    assert server.process is not None
    before = _resident_kib(server.process.pid)
    number = server.new_document()
    sent = 0
    while sent < 10_000:
        attacker = SocketClient(server.address, number)
        try:
            for _ in range(500):
                sent += 1
                attacker.socket.send(_hostile(rng))
                if sent % 50 == 0:
                    _read_what_has_come(attacker)
        except ConnectionClosed:
            pass  # disconnected: connect again
        finally:
            attacker.close()
        if sent % 2000 < 500:
            answer = bystander.drag("left_wrist", (0.4, 1.2, 0.3), sent)
            assert answer["pose"]["milliseconds"] >= 0
    assert server.process.poll() is None
    assert bystander.command(type="mirror_pose", actor=1)["name"] == "Untouched"
    bystander.close()
    after = SocketClient(server.address, number)  # the attacked document still opens
    assert len(after.state["actors"]) >= 1
    after.close()
    assert _resident_kib(server.process.pid) - before < 300_000


def test_a_flood_ends_only_its_own_session(server: Server) -> None:
    flooder = SocketClient(server.address, server.new_document())
    bystander = SocketClient(server.address, server.new_document())
    try:
        for i in range(5000):
            flooder.send(type="undo", request=f"{i:012d}")
    except ConnectionClosed:
        pass
    assert bystander.command(type="mirror_pose", actor=1)["undo"] == "Mirror pose"
    bystander.close()
    flooder.close()
