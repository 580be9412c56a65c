"""The server over its websocket: drags, commands, several sessions, files."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from server_process import Server
from socket_client import SocketClient

from writhe import io
from writhe.arrays import vector3
from writhe.collision import CollisionTable, certify
from writhe.io.gltf.container import Glb
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure
from writhe.studio.editing.scene.contact_defaults import POLICY


@pytest.fixture
def client(server: Server) -> Iterator[SocketClient]:
    one = SocketClient(server.address, server.new_document())
    yield one
    one.close()


def test_a_drag_moves_the_hand_there_and_release_keeps_it(client: SocketClient) -> None:
    goal = (0.35, 1.25, 0.35)
    for sequence in range(60):
        answer = client.drag("left_wrist", goal, sequence)
        if answer["settled"]:
            break
    assert answer["sequence"] == sequence
    assert answer["pose"]["touching"] == []
    assert answer["pose"]["pass_throughs"] == 0
    assert len(answer["pose"]["linking"]) == 10
    client.command(type="release", actor=1)
    assert client.state["undo"] == "Pose"
    hand = forward(figure("human").skeleton, client.pose().astype(float)).position("left_wrist")
    assert np.linalg.norm(hand - goal) < 0.02


def test_feet_stay_pinned_in_a_drag(client: SocketClient) -> None:
    skeleton = figure("human").skeleton
    before = forward(skeleton, client.pose().astype(float))
    for sequence in range(40):
        answer = client.drag("hips", (0.03, 0.8, 0.02), sequence, frames=2)
    after = forward(skeleton, np.frombuffer(answer["pose"]["q"], dtype="<f4").astype(float))
    assert after.position("hips")[1] < before.position("hips")[1] - 0.1
    for foot in ("left_ankle", "right_ankle"):
        assert np.linalg.norm(after.position(foot) - before.position(foot)) < 0.01


def test_of_waiting_drags_the_newest_wins(client: SocketClient) -> None:
    hold = {"joint": client.joint("left_wrist"), "point_in_joint": (0, 0, 0)}
    count = 300
    for sequence in range(count):
        place = (0.4, 1.0 + 0.001 * sequence, 0.2)
        client.send(
            type="drag", sequence=sequence, actor=1, handles=[{**hold, "position_in_world": place}]
        )
    answers = [client.until("drag_result")["sequence"]]
    while answers[-1] != count - 1:
        answers.append(client.until("drag_result")["sequence"])
    assert len(answers) < count  # stale ones were dropped
    assert answers == sorted(answers)


def test_a_repeated_command_is_carried_out_once(client: SocketClient) -> None:
    for _ in range(3):
        client.command(request="same-request", type="add_actor", figure="human")
    assert len(client.state["actors"]) == 2


def test_undo_takes_back_pins_and_methods(client: SocketClient) -> None:
    client.command(type="set_pin", actor=1, joint=client.joint("left_wrist"), hold="both")
    client.command(type="choose_method", actor=1, method="plain")
    assert len(client.state["actors"][0]["pins"]) == 3
    client.command(type="undo")
    client.command(type="undo")
    assert len(client.state["actors"][0]["pins"]) == 2
    assert client.state["actors"][0]["method"] == "default"
    assert client.command(type="redo")["redo"] == "Choose method"


def test_errors_are_reported_and_the_session_continues(client: SocketClient) -> None:
    commands: tuple[dict[str, Any], ...] = (
        {"type": "choose_method", "actor": 1, "method": "magic"},
        {"type": "set_pin", "actor": 1, "joint": 999, "hold": "both"},
        {"type": "mirror_pose", "actor": 77},
        {"type": "apply_pose", "actor": 1, "pose": 5},
        {"type": "save_pose", "actor": 1, "name": "x", "picture": b"<svg/>"},
    )
    for bad in commands:
        with pytest.raises(RuntimeError):
            client.command(**bad)
    assert client.command(type="mirror_pose", actor=1)["undo"] == "Mirror pose"


def test_a_value_out_of_range_is_refused_in_words_and_answered(client: SocketClient) -> None:
    """The page waits for the answer to each of its commands, which it knows by the request."""
    client.command(type="add_object", kind="box")
    client.send(type="resize_object", request="too-large-box", object=1, size=(1.0, 4511.0, 1.0))
    while (answer := client.receive())["type"] != "error":
        pass
    assert answer["request"] == "too-large-box"
    assert answer["text"] == "size must be at most 20"
    assert len(client.until("state")["objects"]) == 1  # what still holds


def test_two_pages_on_one_document_see_each_other(server: Server) -> None:
    number = server.new_document()
    one, two = SocketClient(server.address, number), SocketClient(server.address, number)
    one.command(type="rename", name="Shared")
    assert two.until("state")["name"] == "Shared"
    other = SocketClient(server.address, server.new_document())
    assert other.command(type="mirror_pose", actor=1)["name"] == "Untitled"
    for client in (one, two, other):
        client.close()


def test_keys_play_and_export_certified(
    server: Server, client: SocketClient, tmp_path: Path
) -> None:
    client.command(type="set_key", actor=1, time_s=0.0)
    client.send(type="seek", time_s=1.0)
    for sequence in range(40):
        client.drag("left_wrist", (0.4, 1.4, 0.3), sequence)
    client.command(type="release", actor=1)  # an actor with keys is keyed as it is posed
    assert [key["time_s"] for key in client.state["keys"]] == [0.0, 1.0]
    assert client.seen["motion"]["frames"] == 31
    number = client.document
    human = figure("human")
    for suffix in ("bvh", "glb"):
        with urllib.request.urlopen(
            f"{server.address}api/documents/{number}/export/1.{suffix}"
        ) as answer:
            path = tmp_path / f"motion.{suffix}"
            path.write_bytes(answer.read())
        motion = io.load(path)
        assert len(motion) == 31
        hand = motion.frames().position("left_wrist")[-1]
        np.testing.assert_allclose(hand, (0.4, 1.4, 0.3), atol=0.03)
        body = Figure("read back", motion.skeleton, capsules=human.capsules)
        table = CollisionTable.of_figure(body, POLICY)
        assert certify(table, motion.q, motion.fps).certified


def test_the_chair_is_exported_with_who_sits_on_it(
    server: Server, client: SocketClient, tmp_path: Path
) -> None:
    client.command(type="choose_scene", scene="chair")
    client.command(type="set_key", actor=1, time_s=0.0)
    client.command(type="set_key", actor=1, time_s=0.5)
    address = f"{server.address}api/documents/{client.document}/export/1.glb"
    with urllib.request.urlopen(address) as answer:
        (tmp_path / "seated.glb").write_bytes(answer.read())
    nodes = {node["name"]: node for node in Glb(tmp_path / "seated.glb").items("nodes")}
    (chair,) = (node for name, node in nodes.items() if name.lower().startswith("chair"))
    assert chair["translation"] == pytest.approx(client.state["objects"][0]["position"], abs=1e-6)
    assert io.load(tmp_path / "seated.glb").skeleton.names == figure("human").skeleton.names


def test_a_chair_stops_the_body(client: SocketClient) -> None:
    client.command(type="choose_scene", scene="chair")
    assert [item["kind"] for item in client.state["objects"]] == ["chair"]
    assert len(client.state["objects"][0]["solids"]) > 5
    for sequence in range(80):  # through the seat and the floor
        answer = client.drag("hips", (0.0, 0.1, -0.42), sequence, frames=2)
    assert answer["pose"]["clearance_m"] > -0.0011
    assert answer["pose"]["touching"] == []
    client.command(type="release", actor=1)
    hips = forward(figure("human").skeleton, client.pose().astype(float)).position("hips")
    assert hips[1] > 0.3
    client.command(type="undo")
    assert client.command(type="undo")["objects"] == []


def test_actors_do_not_pass_through_each_other(client: SocketClient) -> None:
    client.command(type="add_actor", figure="human")
    for sequence in range(60):  # towards the other's chest, 1.4 m to the left
        answer = client.drag("hips", (1.4, 0.95, 0.0), sequence, frames=2)
    assert answer["pose"]["clearance_m"] > -0.0011


def test_a_declared_contact_is_kept_and_undone(client: SocketClient) -> None:
    joint = client.joint("left_wrist")
    for sequence in range(30):
        client.drag("left_wrist", (0.75, 1.35, 0.2), sequence, frames=2)
    client.command(type="release", actor=1)
    with pytest.raises(RuntimeError, match="closer first"):
        client.command(type="declare_contact", actor=1, joint=joint)
    for sequence in range(60):
        client.drag("left_wrist", (0.13, 0.75, 0.26), sequence, frames=2)
    client.command(type="release", actor=1)
    hand = forward(figure("human").skeleton, client.pose().astype(float)).position("left_wrist")
    client.command(type="declare_contact", actor=1, joint=joint)
    rested = forward(figure("human").skeleton, client.pose().astype(float)).position("left_wrist")
    assert rested[2] < hand[2] - 0.02  # it has gone back onto the thigh
    assert client.state["features"]["contacts"]["contacts"] == ["left thigh and left hand"]
    assert client.drag("left_wrist", vector3(rested), 1)["pose"]["clearance_m"] < 0.01
    client.command(type="release", actor=1)
    client.command(type="undo")
    assert len(client.state["contacts"]) == 1
    assert "left_wrist" in client.state["contacts"][0]
    assert client.command(type="undo")["contacts"] == []


def test_recording_a_drag_makes_a_clip(client: SocketClient) -> None:
    client.send(type="set_recording", on=True)
    for sequence in range(30):
        client.drag("left_wrist", (0.4, 1.0 + 0.01 * sequence, 0.3), sequence)
        time.sleep(0.01)
    client.command(type="release", actor=1)
    assert client.state["actors"][0]["clip"] == "Recorded drag"
    assert client.seen["motion"]["frames"] >= 8


def test_opening_a_motion(server: Server, client: SocketClient, tmp_path: Path) -> None:
    client.command(type="set_key", actor=1, time_s=0.0)
    client.send(type="seek", time_s=2.0)
    client.command(type="mirror_pose", actor=1)
    address = f"{server.address}api/documents/{client.document}"
    with urllib.request.urlopen(f"{address}/export/1.bvh") as answer:
        data = answer.read()
    fresh = SocketClient(server.address, server.new_document())
    place = f"{server.address}api/documents/{fresh.document}/import"
    request = urllib.request.Request(f"{place}?actor=1&name=walk.bvh", data, method="POST")
    with urllib.request.urlopen(request) as answer:
        assert "61 frames" in json.load(answer)["text"]
    state = fresh.until("state")
    assert state["actors"][0]["clip"] == "walk"
    assert fresh.seen["motion"]["frames"] == 61
    request = urllib.request.Request(f"{place}?actor=1&name=own.bvh&as=figure", data, method="POST")
    with urllib.request.urlopen(request) as answer:
        assert "21 joints" in json.load(answer)["text"]
    assert fresh.until("state")["actors"][0]["figure"] == "own"
    answer = fresh.drag("left_wrist", (0.3, 1.2, 0.3))
    assert answer["pose"]["milliseconds"] >= 0
    fresh.close()


def test_a_box_can_be_placed_keyed_and_stops_the_hand(client: SocketClient) -> None:
    client.command(type="add_object", kind="box", position=(0.45, 1.1, 0.4))
    (box,) = client.state["objects"]
    client.command(type="resize_object", object=box["id"], size=(0.3, 0.3, 0.3))
    for sequence in range(60):  # into its middle
        answer = client.drag("left_wrist", (0.45, 1.1, 0.4), sequence, frames=2)
    assert answer["pose"]["clearance_m"] > -0.0011
    client.command(type="release", actor=1)
    client.command(type="key_object", object=box["id"], time_s=0.0)
    client.send(type="seek", time_s=1.0)
    client.command(
        type="place_object", object=box["id"], position=(2.0, 1.1, 0.4), rotation=(1, 0, 0, 0)
    )
    assert [(key["kind"], key["time_s"]) for key in client.state["keys"]] == [
        ("place", 0.0),
        ("place", 1.0),
    ]
    for sequence in range(60):  # now it is out of the way
        answer = client.drag("left_wrist", (0.4, 1.1, 0.35), sequence, frames=2)
    client.command(type="release", actor=1)
    hand = forward(figure("human").skeleton, client.pose().astype(float)).position("left_wrist")
    assert np.linalg.norm(hand - (0.4, 1.1, 0.35)) < 0.02


def test_in_betweens_that_pass_through_are_found(client: SocketClient) -> None:
    still = client.task("motion_certificate", type="check_motion")
    assert still["segments"] == [] and still["frames"] == 1
    assert still["certified"] and still["pose"]["verdict"] == still["verdict"] == "certified"
    client.command(type="set_key", actor=1, time_s=0.0)
    client.send(type="seek", time_s=1.0)
    for sequence in range(60):
        client.drag("left_wrist", (0.4, 1.4, 0.3), sequence, frames=2)
    client.command(type="release", actor=1)
    found = client.task("motion_certificate", type="check_motion")
    assert found["certified"]
    assert [segment["verdict"] for segment in found["segments"]] == ["certified"]
    # a post between the first pose and the second
    start = figure("human").skeleton
    hands = [forward(start, client.motion[f] * 1.0) for f in (0, 15, 30)]
    middle = hands[1].position("left_wrist")
    client.command(type="add_object", kind="ball", position=tuple(float(v) for v in middle))
    (ball,) = client.state["objects"]
    client.command(type="resize_object", object=ball["id"], size=(0.06, 0.06, 0.06))
    found = client.task("motion_certificate", type="check_motion")
    assert not found["certified"]
    (segment,) = found["segments"]
    assert segment["verdict"] == "passes through"
    assert "Ball" in (segment["a"], segment["b"])
    assert segment["at_s"] == pytest.approx(0.5, abs=0.2)


def test_preset_poses_are_placed_at_their_object_and_are_clear(client: SocketClient) -> None:
    client.send(type="list_preset_poses")
    found = client.until("preset_poses")["groups"]
    assert all(pose["body"] for group in found for pose in group["poses"])
    groups = {g["library"]: [pose["name"] for pose in g["poses"]] for g in found}
    assert "sit, arms folded" in groups["chair"]
    assert not any(">" in name or "~" in name for names in groups.values() for name in names)
    client.command(type="add_object", kind="chair", position=(2.0, 0.0, 1.0))
    turned = (0.5**0.5, 0.0, 0.5**0.5, 0.0)  # facing +x
    client.command(type="place_object", object=1, position=(2.0, 0.0, 1.0), rotation=turned)
    client.command(type="apply_preset_pose", actor=1, library="chair", name="sit, arms folded")
    frames = forward(figure("human").skeleton, client.pose().astype(float))
    hips, knee = frames.position("hips"), frames.position("left_knee")
    np.testing.assert_allclose(hips[[0, 2]], (2.0, 1.0), atol=0.12)
    assert knee[0] > hips[0] + 0.3  # looks the way the chair does
    x, y, z = (float(v) for v in frames.position("head"))
    answer = client.drag("head", (x, y, z + 0.05))
    assert answer["pose"]["touching"] == []
    assert client.command(type="undo")["undo"] == "Place object"
