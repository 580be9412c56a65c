"""Refinement of a segment on the timeline: stage two of the planning paper."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from server_process import Server
from socket_client import SocketClient

from writhe.skeleton import Skeleton, forward
from writhe.skeleton.kinematics import difference
from writhe.studio.document import Document, TrackKind
from writhe.studio.document.row_types import unpack


def test_two_keys_are_refined_and_stay(server: Server) -> None:
    client = SocketClient(server.address, server.new_document())
    client.command(type="set_key", actor=1, time_s=0.0)
    client.send(type="seek", time_s=1.0)
    client.command(type="apply_preset_pose", actor=1, library="basic", name="hands on hips")
    client.command(type="set_key", actor=1, time_s=1.0)
    request = {"type": "refine_segment", "actor": 1, "start_s": 0.0, "end_s": 1.0}
    found = client.task("refine_result", profile="bell", **request)
    assert found["certified"] and "angular momentum" in found["text"]
    client.close()
    with Document.open(server.documents / f"{client.document}.writhe") as document:
        pose = document.track(1, TrackKind.POSE)
        assert pose is not None
        keys = [unpack(key.data) for key in document.keys(pose.id)]
        (track,) = document.timeline(1).sampled_tracks
        skeleton = document.figure(document.actor(1).figure).skeleton
        rows = track.motion.q
    for key, row in ((keys[0], rows[0]), (keys[-1], rows[-1])):
        assert np.abs(difference(skeleton, key, row)).max() < 1e-5
    speed = np.linalg.norm([difference(skeleton, a, b) for a, b in pairwise(rows)], axis=1)
    assert speed[len(speed) // 2] > 3 * max(speed[0], speed[-1])  # a bell


def test_keys_in_between_stay_and_a_hand_slides_along_the_thigh(server: Server) -> None:
    client = SocketClient(server.address, server.new_document())
    for time_s, pose in ((0.0, ""), (0.5, "hands on hips"), (1.0, "stand")):
        client.send(type="seek", time_s=time_s)
        if pose:
            client.command(type="apply_preset_pose", actor=1, library="basic", name=pose)
        client.command(type="set_key", actor=1, time_s=time_s)
    client.close()
    path = server.documents / f"{client.document}.writhe"
    with Document.open(path) as document:
        keys = document.timeline(1).keys
        assert keys is not None
        middle = keys.q[1]
    client = SocketClient(server.address, client.document)
    request = {"type": "refine_segment", "actor": 1, "start_s": 0.0, "end_s": 1.0}
    refined: dict[str, np.ndarray] = {}
    for slide in ("", "left_wrist"):
        found = client.task(
            "refine_result", profile="keep", slide=slide, along="left_hip", **request
        )
        assert found["certified"]
        with Document.open(path) as document:
            (track,) = document.timeline(1).sampled_tracks
        refined[slide] = track.motion.q
        client.command(type="undo")
    client.close()
    skeleton = track.motion.skeleton
    for rows in refined.values():
        assert np.abs(difference(skeleton, middle, rows[len(rows) // 2])).max() < 1e-4
    assert _off_the_line(skeleton, refined["left_wrist"][:16]) < 0.002
    assert _off_the_line(skeleton, refined[""][:16]) > 0.01


def _off_the_line(skeleton: Skeleton, rows: np.ndarray) -> float:
    """How far the left wrist leaves the straight line, seen from the left thigh (m)."""
    frames = forward(skeleton, rows)
    away = frames.position("left_wrist") - frames.position("left_hip")
    seen = np.einsum("fji,fj->fi", frames.rotation("left_hip"), away)
    along = (seen[-1] - seen[0]) / np.linalg.norm(seen[-1] - seen[0])
    beside = (seen - seen[0]) - ((seen - seen[0]) @ along)[:, None] * along
    return float(np.linalg.norm(beside, axis=1).max())
