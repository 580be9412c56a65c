"""Clearing of segments; certificates stored with documents and exported files."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from server_process import Server
from socket_client import SocketClient

from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.studio.document import Document, TrackKind
from writhe.studio.features.motion.certificate import saved_certificate


@pytest.fixture
def client(server: Server) -> Iterator[SocketClient]:
    """Arms folded one way at 0 s, the other way at 2 s: blending leads through the arms."""
    one = SocketClient(server.address, server.new_document())
    one.command(type="apply_preset_pose", actor=1, library="basic", name="arms folded")
    one.command(type="set_key", actor=1, time_s=0.0)
    one.send(type="seek", time_s=2.0)
    one.command(type="mirror_pose", actor=1)
    yield one
    one.close()


def checked(client: SocketClient) -> dict[str, Any]:
    return client.task("motion_certificate", type="check_motion")


def exported(server: Server, client: SocketClient, suffix: str) -> dict[str, Any]:
    address = f"{server.address}api/documents/{client.document}/export/1.{suffix}"
    with urllib.request.urlopen(address) as answer:
        return json.loads(answer.headers["x-certificate"])


def pose_keys(server: Server, client: SocketClient) -> list[tuple[float, bytes]]:
    """The keys of the only actor as they are saved."""
    with Document.open(server.documents / f"{client.document}.writhe") as document:
        track = document.track(1, TrackKind.POSE)
        assert track is not None
        return [(key.time_s, key.data) for key in document.keys(track.id)]


def test_pushing_out_never_changes_a_key(server: Server, client: SocketClient) -> None:
    """What cannot be pushed out between the keys is reported; the keyed poses stay."""
    keys = pose_keys(server, client)
    request = {"type": "clear_segment", "actor": 1, "start_s": 0.0, "end_s": 2.0, "how": "push_out"}
    client.send(request="request-out", **request)
    while (message := client.until("job"))["status"] == "running":
        pass
    assert pose_keys(server, client) == keys
    assert message["status"] == "done" or "Go around" in message["text"]


def test_a_segment_gets_a_detour_and_is_blended_again(server: Server, client: SocketClient) -> None:
    found = checked(client)
    assert not found["certified"]
    (segment,) = found["segments"]
    assert segment["verdict"] == "passes through" and segment["actors"] == [1]
    overlaps = found["overlaps"]
    assert all(one["actor"] == 1 and 0 < one["first"] <= one["last"] < 60 for one in overlaps)
    halfway = {
        part for one in overlaps if one["first"] <= 30 <= one["last"] for part in one["parts"]
    }
    assert {"left_elbow", "right_elbow"} <= halfway
    assert not exported(server, client, "glb")["certified"]
    client.task("clear_result", type="clear_segment", actor=1, start_s=0.0, end_s=2.0, how="detour")
    assert checked(client)["certified"]
    for suffix in ("glb", "bvh"):
        proven = exported(server, client, suffix)
        assert proven["certified"] and proven["frames"] == 61
        assert proven["interpolation"] == ("both" if suffix == "bvh" else "slerp")
    (track,) = client.command(type="rename", name="Folded")["actors"][0]["sampled_tracks"]
    assert (track["start_s"], track["end_s"]) == (0.0, 2.0)
    client.command(type="blend_again", track=track["id"])
    assert not checked(client)["certified"]
    client.command(type="undo")
    assert checked(client)["certified"]


def test_the_reason_for_no_path_uses_display_names(client: SocketClient) -> None:
    """Something stands where the second pose has a hand."""
    last = client.motion[-1]
    hand = forward(figure("human").skeleton, last * 1.0).position("left_wrist")
    client.command(type="add_object", kind="ball", position=tuple(float(v) for v in hand))
    (ball,) = client.state["objects"]
    client.command(type="resize_object", object=ball["id"], size=(0.05, 0.05, 0.05))
    client.send(
        request="request-round", type="clear_segment", actor=1, start_s=0.0, end_s=2.0, how="detour"
    )
    message = client.until("job")
    while message["status"] == "running":
        message = client.until("job")
    assert message["status"] == "failed"
    assert "In the pose at 0.00 s right forearm and Ball overlap" in message["text"]
    assert "actor1" not in message["text"]


def test_a_mirrored_pose_may_touch_as_the_first_did(server: Server) -> None:
    """A hand that rests on a thigh: the other hand may rest on the other thigh."""
    client = SocketClient(server.address, server.new_document())
    for sequence in range(40):
        client.drag("left_wrist", (0.13, 0.75, 0.26), sequence, frames=2)
    client.command(type="release", actor=1)
    client.command(type="declare_contact", actor=1, joint=client.joint("left_wrist"))
    client.command(type="mirror_pose", actor=1)
    contacts = client.state["features"]["contacts"]["contacts"]
    assert contacts == ["left thigh and left hand", "right thigh and right hand"]
    client.close()


def test_all_segments_are_cleared_as_one_command(server: Server, client: SocketClient) -> None:
    """The arms swap over and under: they get a detour, and both keys stay unchanged."""
    keys = pose_keys(server, client)
    found = client.task("clear_result", type="clear_all", preferred_actor=1)
    assert found["cleared"] == 1 and found["remaining"] == []
    assert checked(client)["certified"]
    (track,) = client.command(type="rename", name="Folded")["actors"][0]["sampled_tracks"]
    assert track["name"] == "Detour"
    assert pose_keys(server, client) == keys
    linking = client.linking
    assert linking[0].max() > 0.3 and linking[-1].min() < -0.3  # over has become under
    client.command(type="undo")
    client.command(type="undo")
    assert not checked(client)["certified"]


def test_a_motion_that_grazes_a_rod_is_pushed_out(server: Server) -> None:
    """The poses at both ends stay, and only the middle of the motion changes."""
    client = SocketClient(server.address, server.new_document())
    client.command(type="set_key", actor=1, time_s=0.0)
    client.send(type="seek", time_s=1.0)
    for sequence in range(60):
        client.drag("left_wrist", (0.45, 1.35, 0.25), sequence, frames=2)
    client.command(type="release", actor=1)
    before = client.motion
    middle = forward(figure("human").skeleton, before[15] * 1.0).position("left_wrist")
    place = tuple(float(v) for v in middle + np.array([0.0, 0.0, 0.075]))
    client.command(type="add_object", kind="ball", position=place)
    (ball,) = client.state["objects"]
    client.command(type="resize_object", object=ball["id"], size=(0.1, 0.1, 0.1))
    assert not checked(client)["certified"]
    client.task(
        "clear_result", type="clear_segment", actor=1, start_s=0.0, end_s=1.0, how="push_out"
    )
    assert checked(client)["certified"]
    after = client.motion
    np.testing.assert_allclose(after[[0, -1]], before[[0, -1]], atol=1e-5)
    assert 0.005 < np.abs(after - before).max() < 0.6
    client.close()


def test_a_pose_that_overlaps_is_never_certified(server: Server) -> None:
    """Neither as a document without motion, nor as one key, nor as an exported file."""
    client = SocketClient(server.address, server.new_document())
    try:
        hips = forward(figure("human").skeleton, client.pose().astype(float)).position("hips")
        client.command(
            type="add_object",
            kind="ball",
            position=tuple(float(v) for v in hips + np.array([0, 0, 0.2])),
        )
        for key in (False, True):
            if key:
                client.command(type="set_key", actor=1, time_s=0.0)
            found = checked(client)
            assert not found["certified"] and found["segments"] == []
            assert found["verdict"] in ("penetrating", "passes through")
            assert found["pose"]["verdict"] == found["verdict"]
            assert found["pose"]["clearance_m"] < -0.001
            assert found["pose"]["start_depth_m"] > 0.001
            for suffix in ("glb", "bvh"):
                file = exported(server, client, suffix)
                assert not file["certified"] and file["verdict"] == found["verdict"]
                assert file["frames"] == 1 and file["note"] == ""
    finally:
        client.close()


def test_a_certificate_is_saved_with_the_document(server: Server, client: SocketClient) -> None:
    found = checked(client)
    with Document.open(server.documents / f"{client.document}.writhe") as document:
        saved = saved_certificate(document)
    assert saved is not None and saved.certified is found["certified"]
    assert [one.verdict for one in saved.segments] == ["passes through"]


def test_the_better_way_to_fix_a_segment_is_kept_and_the_other_one_named(server: Server) -> None:
    """A hand that passes through a thin rod: both ways are possible, and their costs differ."""
    client = SocketClient(server.address, server.new_document())
    client.command(type="set_key", actor=1, time_s=0.0)
    wrist = forward(figure("human").skeleton, client.motion[0]).position("left_wrist")
    client.send(type="seek", time_s=1.0)
    client.command(type="apply_preset_pose", actor=1, library="basic", name="arms raised")
    halfway = forward(figure("human").skeleton, client.motion[15]).position("left_wrist")
    assert np.linalg.norm(halfway - wrist) > 0.2
    at = [float(v) for v in halfway]
    client.command(type="add_object", kind="ball", position=at)
    assert not checked(client)["certified"]
    found = client.task(
        "clear_result", type="clear_segment", actor=1, start_s=0.0, end_s=1.0, how="best"
    )
    (change,) = found["changes"]
    assert checked(client)["certified"]
    assert "Going around would" in change["text"] or "Pushing out would" in change["text"]
    client.close()
