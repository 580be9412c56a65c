"""Soft pins keep parts placed by drags; pins keep theirs exactly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from server_process import Server
from socket_client import SocketClient

from writhe.arrays import vector3
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.soft_pins import unbranched_limb

Place = tuple[float, float, float]
USUAL: dict[str, Any] = {"postures": "basic", "naturalness": 1.0, "grip": 1.0, "steadiness": 1.0}


@pytest.fixture
def client(server: Server) -> Iterator[SocketClient]:
    one = SocketClient(server.address, server.new_document())
    yield one
    one.close()


def put(client: SocketClient, joint: str, place: Place) -> None:
    """Drag a joint to a position and release it."""
    for sequence in range(80):
        if client.drag(joint, place, sequence, frames=2)["settled"]:
            break
    client.command(type="release", actor=1)


def where(client: SocketClient, joint: str) -> np.ndarray:
    return forward(figure("human").skeleton, client.pose().astype(float)).position(joint)


def test_a_placed_hand_stays_while_the_other_is_dragged(client: SocketClient) -> None:
    put(client, "right_wrist", (-0.3, 1.0, 0.3))
    placed = where(client, "right_wrist")
    put(client, "left_wrist", (0.45, 1.75, 0.3))
    assert np.linalg.norm(where(client, "left_wrist") - (0.45, 1.75, 0.3)) < 0.02
    assert np.linalg.norm(where(client, "right_wrist") - placed) < 0.02


def test_a_hand_follows_the_body_only_without_soft_pins(client: SocketClient) -> None:
    moved: dict[bool, float] = {}
    for stay in (True, False):
        client.command(type="reset_pose", actor=1)
        client.command(type="set_solver_settings", **USUAL, soft_pins=stay)
        put(client, "right_wrist", (-0.3, 1.0, 0.3))
        placed = where(client, "right_wrist")
        put(client, "head", (0.0, 1.4, 0.38))
        moved[stay] = float(np.linalg.norm(where(client, "right_wrist") - placed))
    assert moved[True] < 0.02
    assert moved[False] > 0.05


def test_a_body_that_was_set_down_stays_down_while_a_hand_reaches(client: SocketClient) -> None:
    heights: dict[bool, float] = {}
    for stay in (True, False):
        client.command(type="reset_pose", actor=1)
        client.command(type="set_solver_settings", **USUAL, soft_pins=stay)
        put(client, "hips", (0.0, 0.5, -0.15))
        put(client, "right_wrist", (-0.2, 0.75, 0.75))
        heights[stay] = float(where(client, "hips")[1])
    assert heights[True] < 0.57 < heights[False]


def test_applying_a_pose_clears_soft_pins(client: SocketClient) -> None:
    """After a preset pose a drag gives the same result with and without soft pins."""
    ends: list[np.ndarray] = []
    for stay in (True, False):
        client.command(type="reset_pose", actor=1)
        client.command(type="set_solver_settings", **USUAL, soft_pins=stay)
        put(client, "right_wrist", (-0.3, 1.0, 0.3))
        client.command(type="apply_preset_pose", actor=1, library="basic", name="stand")
        put(client, "left_wrist", (0.45, 1.75, 0.3))
        ends.append(where(client, "right_wrist"))
    assert np.linalg.norm(ends[0] - ends[1]) < 1e-3


def test_a_pinned_hand_that_is_dragged_stays_where_it_was_put(client: SocketClient) -> None:
    """The pin moves with it: the next drag of another part does not pull the hand back."""
    hand = client.joint("left_wrist")
    client.command(type="set_pin", actor=1, joint=hand, hold="position")
    put(client, "left_wrist", (0.4, 1.3, 0.3))
    (pin,) = [pin for pin in client.state["actors"][0]["pins"] if pin["joint"] == hand]
    np.testing.assert_allclose(pin["position"], where(client, "left_wrist"), atol=1e-5)
    x, y, z = (float(v) for v in where(client, "head"))
    put(client, "head", (x + 0.05, y - 0.03, z + 0.05))
    assert np.linalg.norm(where(client, "left_wrist") - (0.4, 1.3, 0.3)) < 0.02


def test_the_unbranched_limb_of_a_joint() -> None:
    skeleton = figure("human").skeleton
    assert {"left_clavicle", "left_elbow", "left_wrist"} <= unbranched_limb(skeleton, "left_elbow")
    assert "chest" not in unbranched_limb(skeleton, "left_elbow")
    assert unbranched_limb(skeleton, "chest") == {"chest"}


def test_a_drag_reports_the_part_nearest_to_the_hand(client: SocketClient) -> None:
    """The line connects the nearest points of hand and thigh; its length is the clearance."""
    for sequence in range(40):
        answer = client.drag("left_wrist", (0.15, 0.78, 0.27), sequence, frames=2)
    (line,) = answer["features"]["depth"]["lines"]
    assert line["other"] == "left thigh"
    length = float(np.linalg.norm(np.subtract(line["start"], line["end"])))
    assert line["clearance_m"] == pytest.approx(length, abs=1e-3)
    assert 0.005 < length < 0.2


def test_hands_that_meet_do_not_twist_the_body(client: SocketClient) -> None:
    """The right hand goes to where the left one was placed: the left one moves aside.

    The trunk turns about as little as without soft pins.
    """
    turned: list[float] = []
    for stay in (False, True):
        client.command(type="reset_pose", actor=1)
        client.command(type="set_solver_settings", **USUAL, soft_pins=stay)
        put(client, "hips", (0.0, 0.87, 0.0))
        put(client, "left_wrist", (0.14, 1.06, 0.16))
        put(client, "right_wrist", (0.12, 1.04, 0.2))
        across = [
            where(client, f"left_{j}") - where(client, f"right_{j}") for j in ("shoulder", "hip")
        ]
        one, other = (v[[0, 2]] / np.linalg.norm(v[[0, 2]]) for v in across)
        turned.append(float(np.degrees(np.arccos(one @ other))))
    free, staying = turned
    assert staying < free + 5.0


def test_the_limb_of_a_hand_with_fingers_is_the_whole_arm() -> None:
    skeleton = figure("human_with_fingers").skeleton
    wrists = frozenset({"left_wrist", "right_wrist"})
    for joint in ("left_wrist", "left_index_2"):
        found = unbranched_limb(skeleton, joint, wrists)
        assert {"left_clavicle", "left_elbow", "left_thumb_1"} <= found
        assert "chest" not in found


def test_a_placed_hand_with_fingers_stays_while_the_other_is_dragged(tmp_path: Path) -> None:
    """In a crouch, where the trunk has to turn for the second hand."""
    document = Document.create(tmp_path / "hands.writhe", "Hands")
    number = document.add_actor("human_with_fingers")
    editor, skeleton = Editor(document), figure("human_with_fingers").skeleton
    drags = (("hips", (0.0, 0.45, -0.14)), ("right_wrist", (-0.13, 0.16, 0.22)))
    for joint, place in (*drags, ("left_wrist", (0.05, 0.16, 0.24))):
        start = forward(skeleton, document.actor(number).configuration).position(joint)
        for k in range(60):
            at = start + min(1.0, (k + 1) / 40) * (np.array(place) - start)
            handle = protocol.DragHandle(skeleton.index(joint), (0.0, 0.0, 0.0), vector3(at))
            editor.drag(protocol.Drag(k, number, [handle], 2))
        editor.release(protocol.Release(joint, number))
        editor.refresh()
    frames = forward(skeleton, document.actor(number).configuration)
    assert np.linalg.norm(frames.position("left_wrist") - (0.05, 0.16, 0.24)) < 0.03
    assert np.linalg.norm(frames.position("right_wrist") - (-0.13, 0.16, 0.22)) < 0.15
