"""Two keys connected without penetration, over the websocket."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from server_process import Server
from socket_client import SocketClient

from writhe.skeleton import forward
from writhe.skeleton.figures import figure


@pytest.fixture
def client(server: Server) -> Iterator[SocketClient]:
    one = SocketClient(server.address, server.new_document())
    yield one
    one.close()


def test_keys_are_connected_around_an_obstacle(client: SocketClient) -> None:
    client.command(type="set_key", actor=1, time_s=0.0)
    client.send(type="seek", time_s=1.0)
    for sequence in range(60):
        client.drag("left_wrist", (0.4, 1.4, 0.3), sequence, frames=2)
    client.command(type="release", actor=1)
    rows = client.motion
    middle = forward(figure("human").skeleton, rows[15] * 1.0).position("left_wrist")
    client.command(type="add_object", kind="ball", position=tuple(float(v) for v in middle))
    (ball,) = client.state["objects"]
    client.command(type="resize_object", object=ball["id"], size=(0.06, 0.06, 0.06))
    assert not client.task("motion_certificate", type="check_motion")["certified"]
    first, second = (key["id"] for key in client.state["keys"] if key["kind"] == "pose")
    found = client.task(
        "found_paths", type="connect", actor=1, first=first, second=second, planted=[]
    )
    assert found["paths"], found["reason"]
    way = found["paths"][0]
    assert len(way["energy"]) == way["frames"] >= 31
    client.command(type="use_path", job=found["job"], path=0)
    assert client.task("motion_certificate", type="check_motion")["certified"]
    client.command(type="undo")
    assert len([key for key in client.state["keys"] if key["kind"] == "pose"]) == 2


def test_one_key_alone_cannot_be_connected(client: SocketClient) -> None:
    client.command(type="set_key", actor=1, time_s=0.0)
    (key,) = (key["id"] for key in client.state["keys"])
    client.send(request="request-1", type="connect", actor=1, first=key, second=key, planted=[])
    assert "two different keys" in client.until("error")["text"]
