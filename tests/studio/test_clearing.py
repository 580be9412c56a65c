"""Stretches that pass through, made clear; what is proven kept with the document and its files."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator

import numpy as np
import pytest
from server_process import Server
from socket_client import Wire

from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.studio.document import Document, TrackKind
from writhe.studio.features.certificate import saved_certificate


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    """Arms folded one way at 0 s, the other way at 2 s: blending leads through the arms."""
    one = Wire(server.address, server.new_document())
    one.command(type="apply_ready_pose", actor=1, library="basic", name="arms folded")
    one.command(type="set_key", actor=1, time_s=0.0)
    one.send(type="seek", time_s=2.0)
    one.command(type="mirror_pose", actor=1)
    yield one
    one.close()


def checked(wire: Wire) -> dict[str, object]:
    return wire.task("motion_certificate", type="check_motion")


def exported(server: Server, wire: Wire, suffix: str) -> dict[str, object]:
    address = f"{server.address}api/documents/{wire.document}/export/1.{suffix}"
    with urllib.request.urlopen(address) as answer:
        return json.loads(answer.headers["x-certificate"])


def pose_keys(server: Server, wire: Wire) -> list[tuple[float, bytes]]:
    """The keys of the only actor as they are saved."""
    with Document.open(server.documents / f"{wire.document}.writhe") as document:
        track = document.track(1, TrackKind.POSE)
        assert track is not None
        return [(key.time_s, key.data) for key in document.keys(track.id)]


def test_pushing_out_never_changes_a_key(server: Server, wire: Wire) -> None:
    """What cannot be pushed out between the keys is told, not mended by another pose."""
    keys = pose_keys(server, wire)
    request = {"type": "clear_stretch", "actor": 1, "start_s": 0.0, "end_s": 2.0, "how": "out"}
    wire.send(request="request-out", **request)
    while (message := wire.until("job"))["status"] == "running":
        pass
    assert pose_keys(server, wire) == keys
    assert message["status"] == "done" or "Go round" in message["text"]


def test_a_stretch_goes_round_and_is_blended_again(server: Server, wire: Wire) -> None:
    found = checked(wire)
    assert not found["certified"]
    (stretch,) = found["stretches"]
    assert stretch["verdict"] == "passes through" and stretch["actors"] == [1]
    overlaps = found["overlaps"]
    assert all(one["actor"] == 1 and 0 < one["first"] <= one["last"] < 60 for one in overlaps)
    halfway = {
        part for one in overlaps if one["first"] <= 30 <= one["last"] for part in one["parts"]
    }
    assert {"left_elbow", "right_elbow"} <= halfway
    assert not exported(server, wire, "glb")["certified"]
    wire.task("cleared", type="clear_stretch", actor=1, start_s=0.0, end_s=2.0, how="round")
    assert checked(wire)["certified"]
    for suffix in ("glb", "bvh"):
        proven = exported(server, wire, suffix)
        assert proven["certified"] and proven["frames"] == 61
        assert proven["interpolation"] == ("both" if suffix == "bvh" else "slerp")
    (way,) = wire.command(type="rename", name="Folded")["actors"][0]["ways"]
    assert (way["start_s"], way["end_s"]) == (0.0, 2.0)
    wire.command(type="blend_again", way=way["id"])
    assert not checked(wire)["certified"]
    wire.command(type="undo")
    assert checked(wire)["certified"]


def test_why_there_is_no_way_is_said_in_plain_words(wire: Wire) -> None:
    """Something stands where the second pose has a hand."""
    last = np.frombuffer(wire.seen["motion"]["q"], "<f4").reshape(61, -1)[-1]
    hand = forward(figure("human").skeleton, last * 1.0).position("left_wrist")
    wire.command(type="add_thing", kind="ball", position=tuple(float(v) for v in hand))
    (ball,) = wire.state["things"]
    wire.command(type="resize_thing", thing=ball["id"], size=(0.05, 0.05, 0.05))
    wire.send(
        request="request-round", type="clear_stretch", actor=1, start_s=0.0, end_s=2.0, how="round"
    )
    message = wire.until("job")
    while message["status"] == "running":
        message = wire.until("job")
    assert message["status"] == "failed"
    assert "In the pose at 0.00 s itself right forearm and Ball overlap" in message["text"]
    assert "actor1" not in message["text"]


def test_a_mirrored_pose_may_touch_as_the_first_did(server: Server) -> None:
    """A hand that rests on a thigh: the other hand may rest on the other thigh."""
    wire = Wire(server.address, server.new_document())
    for sequence in range(40):
        wire.drag("left_wrist", (0.13, 0.75, 0.26), sequence, frames=2)
    wire.command(type="release", actor=1)
    wire.command(type="declare_contact", actor=1, joint=wire.joint("left_wrist"))
    wire.command(type="mirror_pose", actor=1)
    contacts = wire.state["features"]["contacts"]["contacts"]
    assert contacts == ["left thigh and left hand", "right thigh and right hand"]
    wire.close()


def test_everything_is_made_clear_as_one_command(server: Server, wire: Wire) -> None:
    """The arms swap over and under: they go round, and both keys stay as they were set."""
    keys = pose_keys(server, wire)
    found = wire.task("cleared", type="clear_all", prefer=1)
    assert found["cleared"] == 1 and found["left"] == []
    assert checked(wire)["certified"]
    (way,) = wire.command(type="rename", name="Folded")["actors"][0]["ways"]
    assert way["name"] == "Way round"
    assert pose_keys(server, wire) == keys
    linking = np.frombuffer(wire.seen["motion"]["linking"], "<f4").reshape(61, -1)
    assert linking[0].max() > 0.3 and linking[-1].min() < -0.3  # over has become under
    wire.command(type="undo")
    wire.command(type="undo")
    assert not checked(wire)["certified"]


def test_a_rod_in_the_way_is_pushed_out_of(server: Server) -> None:
    """What only grazes keeps its motion: the poses at both ends stay, the middle gives way."""
    wire = Wire(server.address, server.new_document())
    wire.command(type="set_key", actor=1, time_s=0.0)
    wire.send(type="seek", time_s=1.0)
    for sequence in range(60):
        wire.drag("left_wrist", (0.45, 1.35, 0.25), sequence, frames=2)
    wire.command(type="release", actor=1)
    before = np.frombuffer(wire.seen["motion"]["q"], "<f4").reshape(31, -1)
    middle = forward(figure("human").skeleton, before[15] * 1.0).position("left_wrist")
    place = tuple(float(v) for v in middle + np.array([0.0, 0.0, 0.075]))
    wire.command(type="add_thing", kind="ball", position=place)
    (ball,) = wire.state["things"]
    wire.command(type="resize_thing", thing=ball["id"], size=(0.1, 0.1, 0.1))
    assert not checked(wire)["certified"]
    wire.task("cleared", type="clear_stretch", actor=1, start_s=0.0, end_s=1.0, how="out")
    assert checked(wire)["certified"]
    after = np.frombuffer(wire.seen["motion"]["q"], "<f4").reshape(31, -1)
    np.testing.assert_allclose(after[[0, -1]], before[[0, -1]], atol=1e-5)
    assert 0.005 < np.abs(after - before).max() < 0.6
    wire.close()


def test_a_certificate_is_saved_with_the_document(server: Server, wire: Wire) -> None:
    found = checked(wire)
    with Document.open(server.documents / f"{wire.document}.writhe") as document:
        saved = saved_certificate(document)
    assert saved is not None and saved.certified is found["certified"]
    assert [one.verdict for one in saved.stretches] == ["passes through"]
