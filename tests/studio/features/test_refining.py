"""Refinement of a segment on the timeline: stage two of the planning paper."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from server_process import Server
from socket_client import SocketClient

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
