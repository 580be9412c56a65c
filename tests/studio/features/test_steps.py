"""*Step when out of reach*: feet step during a drag, their pins follow; off, they stay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from server_process import Server
from socket_client import SocketClient

from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limbs import ANKLES

SETTINGS: dict[str, Any] = {
    "postures": "basic",
    "naturalness": 1.0,
    "grip": 1.0,
    "steadiness": 1.0,
}
GOAL = (0.2, 1.2, 1.7)


@pytest.fixture
def client(server: Server) -> Iterator[SocketClient]:
    one = SocketClient(server.address, server.new_document())
    yield one
    one.close()


def feet(client: SocketClient) -> np.ndarray:
    frames = forward(figure("human").skeleton, client.pose().astype(float))
    return np.array([frames.position(ankle) for ankle in ANKLES])


def drag_away(client: SocketClient, messages: int) -> None:
    for sequence in range(messages):
        client.drag("left_wrist", GOAL, sequence, frames=2)
    client.command(type="release", actor=1)


def test_feet_step_during_a_drag_and_stay_pinned_there(client: SocketClient) -> None:
    began = feet(client)
    client.command(type="set_solver_settings", **SETTINGS, steps=True)
    drag_away(client, 25)  # released while a foot may be on its way
    stepped = feet(client)
    assert stepped[:, 2].max() > began[:, 2].max() + 0.3
    np.testing.assert_allclose(stepped[:, 1], began[:, 1], atol=3e-3)
    client.command(type="set_solver_settings", **SETTINGS, steps=False)
    drag_away(client, 10)
    np.testing.assert_allclose(feet(client), stepped, atol=2e-3)
    client.command(type="undo")
    client.command(type="undo")
    client.command(type="undo")
    np.testing.assert_allclose(feet(client), began, atol=1e-6)


def test_feet_stay_where_they_are_unless_steps_are_on(client: SocketClient) -> None:
    began = feet(client)
    drag_away(client, 25)
    np.testing.assert_allclose(feet(client), began, atol=2e-3)
