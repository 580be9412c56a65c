"""Documents of the studio through another program and back."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from writhe import WritheError
from writhe.plugin import Session
from writhe.plugin.open_document import matrices_of
from writhe.studio.document import Document, TrackKind
from writhe.studio.editing.scene import object_edits

FPS = 10.0


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    """Two people, one with keys, a box and a ball that moves."""
    path = tmp_path_factory.mktemp("documents") / "shot.writhe"
    with Document.create(path, "Shot") as document:
        first = document.add_actor("human", "Ann")
        document.add_actor("human_with_fingers", "Bob")
        with document.edit("Objects") as edit:
            edit.setting("fps", FPS)
            object_edits.add_object(document, edit, "box")
            ball = object_edits.add_object(document, edit, "ball")
            object_edits.key_object(document, edit, ball, 0.0)
            for time_s, x in ((0.0, 2.0), (1.0, 3.0)):
                still = (1.0, 0.0, 0.0, 0.0)
                object_edits.place_object(document, edit, ball, (x, 0.5, 2.0), still, time_s)
        q = document.actor(first).configuration
        document.set_key(first, 0.0, q)
        bent = q.copy()
        bent[document.figure("human").skeleton.q_slice("left_elbow")] += 0.6
        document.set_key(first, 1.0, bent)
    return path


@pytest.fixture
def shot(original, tmp_path) -> Path:
    return Path(shutil.copy(original, tmp_path / "shot.writhe"))


@pytest.fixture(scope="module")
def opened(original) -> dict:
    return Session().request("open_document", {"path": str(original)})


def pose_matrices(actor: dict) -> np.ndarray:
    """(f, n, 4, 4) the bones, as a program places them by their channels."""
    rest = np.asarray(actor["rest"])
    rotation, location = actor["rotation"], actor["location"]
    out = np.empty((len(rotation), len(rest), 4, 4))
    for j, p in enumerate(actor["parent"]):
        basis = matrices_of(np.concatenate([location[:, j], rotation[:, j]], axis=1))
        local = rest[j] if p < 0 else np.linalg.inv(rest[p]) @ rest[j]
        above = np.eye(4) if p < 0 else out[:, p]
        out[:, j] = above @ local @ basis
    return out


def as_written(opened: dict) -> dict:
    """What a program sends in which nothing was changed; its numbers have 32 bits."""
    return {
        "fps": opened["fps"],
        "base": opened["text"],
        "actors": [
            {
                "name": a["name"], "actor": a["id"], "bones": a["bones"], "curves": "",
                "matrices": pose_matrices(a).astype(np.float32).astype(np.float64),
                "length_m": a["length"],
            }
            for a in opened["actors"]
        ],
        "objects": [
            {"name": o["name"], "item": o["id"], "matrices": o["matrices"], "reshaped": False}
            for o in opened["objects"]
        ],
    }  # fmt: skip


def rows(path: Path) -> list:
    with Document.open(path) as document:
        tracks = document.all_tracks()
        keys = [key for track in tracks for key in document.keys(track.id)]
        return [document.actors(), document.objects(), tracks, keys, document.undo_label]


def test_bones_lie_along_the_limbs(opened):
    actor = opened["actors"][0]
    rest, names = np.asarray(actor["rest"]), actor["bones"]
    elbow, wrist = (rest[names.index(f"left_{name}")] for name in ("elbow", "wrist"))
    end = elbow[:3, 3] + actor["length"][names.index("left_elbow")] * elbow[:3, 1]
    assert np.allclose(end, wrist[:3, 3], atol=1e-9)


def test_what_was_not_changed_is_written_as_it_was(opened, shot, tmp_path):
    copy = tmp_path / "copy.writhe"
    for target in (shot, copy):  # in place, and as a new file
        answer = Session().request("write_document", {"path": str(target), **as_written(opened)})
        assert answer["message"].endswith("4 unchanged")
        assert rows(target) == rows(shot)


def test_a_changed_motion_and_place_are_written_in_one_undoable_step(opened, shot):
    data = as_written(opened)
    lifted = data["actors"][0]["matrices"]
    lifted[:, :, 1, 3] += 0.1
    data["objects"][0]["matrices"] = np.array(data["objects"][0]["matrices"])
    data["objects"][0]["matrices"][:, 0, 3] += 0.5
    before = rows(shot)
    Session().request("write_document", {"path": str(shot), **data})
    with Document.open(shot) as document:
        motion = document.motion(data["actors"][0]["actor"])
        assert document.tracks(data["actors"][0]["actor"])[0].kind is TrackKind.CLIP
        assert len(motion) == 11
        assert motion.q[:, 1] == pytest.approx(document.actors()[0].configuration[1])
        box = document.objects()[0]
        assert box.data.position[0] == pytest.approx(before[1][0].data.position[0] + 0.5)
        document.undo()
    assert rows(shot)[:4] == before[:4]


def test_what_was_removed_is_removed(opened, shot):
    data = as_written(opened)
    del data["actors"][1], data["objects"][1]
    Session().request("write_document", {"path": str(shot), **data})
    with Document.open(shot) as document:
        assert [row.name for row in document.actors()] == ["Ann"]
        assert [row.name for row in document.objects()] == ["Box"]
    with pytest.raises(WritheError, match="at least one character"):
        Session().request("write_document", {"path": str(shot), **data, "actors": []})


def test_a_new_character_keeps_its_curves_until_its_clip_is_changed(opened, tmp_path):
    actor = opened["actors"][0]
    session, target = Session(), tmp_path / "new.writhe"
    plain = {key: actor[key] for key in ("bones", "parent", "rest", "capsules")}
    session.request(
        "set_character",
        {"name": "Eve", **plain, "pose": actor["rest"], "moving": [True] * len(actor["bones"])},
    )
    written = {**as_written(opened)["actors"][0], "name": "Eve", "actor": 0, "curves": "curves"}
    data = {"path": str(target), "base": "", "fps": FPS, "actors": [written], "objects": []}
    answer = session.request("write_document", data)
    found = session.request("open_document", {"path": str(target)})["actors"][0]
    assert found["id"] == answer["actors"]["Eve"] and found["curves"] == "curves"
    assert np.allclose(found["rest"], actor["rest"], atol=1e-6)
    assert np.abs(pose_matrices(found) - written["matrices"]).max() < 1e-5
    with Document.open(target) as document:
        document.set_key(found["id"], 0.5, document.motion(found["id"]).q[0])
    assert session.request("open_document", {"path": str(target)})["actors"][0]["curves"] == ""
