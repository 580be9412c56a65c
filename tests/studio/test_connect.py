"""Two keys connected without penetration, over the wire."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from server_process import Server
from socket_client import Wire

from writhe.skeleton import forward
from writhe.skeleton.figures import figure


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    one = Wire(server.address, server.new_document())
    yield one
    one.close()


def test_keys_are_connected_around_what_stands_between(wire: Wire) -> None:
    wire.command(type="set_key", actor=1, time_s=0.0)
    wire.send(type="seek", time_s=1.0)
    for sequence in range(60):
        wire.drag("left_wrist", (0.4, 1.4, 0.3), sequence, frames=2)
    wire.command(type="release", actor=1)
    rows = np.frombuffer(wire.seen["motion"]["q"], "<f4").reshape(31, -1)
    middle = forward(figure("human").skeleton, rows[15] * 1.0).position("left_wrist")
    wire.command(type="add_thing", kind="ball", position=tuple(float(v) for v in middle))
    (ball,) = wire.state["things"]
    wire.command(type="resize_thing", thing=ball["id"], size=(0.06, 0.06, 0.06))
    assert not wire.task("motion_certificate", type="check_motion")["certified"]
    first, second = (key["id"] for key in wire.state["keys"] if key["kind"] == "pose")
    found = wire.task("ways", type="connect", actor=1, first=first, second=second, planted=[])
    assert found["ways"], found["reason"]
    way = found["ways"][0]
    assert len(way["energy"]) == way["frames"] >= 31
    wire.command(type="use_way", job=found["job"], way=0)
    assert wire.task("motion_certificate", type="check_motion")["certified"]
    wire.command(type="undo")
    assert len([key for key in wire.state["keys"] if key["kind"] == "pose"]) == 2


def test_one_key_alone_cannot_be_connected(wire: Wire) -> None:
    wire.command(type="set_key", actor=1, time_s=0.0)
    (key,) = (key["id"] for key in wire.state["keys"])
    wire.send(request="request-1", type="connect", actor=1, first=key, second=key, planted=[])
    assert "two different keys" in wire.until("problem")["text"]
