"""Key files: poses by name, by file and by rotation; errors name the place; the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from generated_characters import RichCharacter
from writhe.animation import load_keys
from writhe.cli.app import build_app
from writhe.errors import WritheError
from writhe.io import load, save
from writhe.io.gltf.container import Glb
from writhe.skeleton import Figure, Motion

SQUAT: dict[str, Any] = {
    "writhe_keys": 1,
    "figure": "human",
    "fps": 30,
    "keys": [{"time_s": 0, "pose": "stand"}, {"time_s": 1, "pose": "squat"}],
    "pins": [{"joint": "left_ankle"}, {"joint": "right_ankle", "start_s": 0, "end_s": 1}],
}


def write(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / "keys.json"
    path.write_text(json.dumps(content))
    return path


def test_the_command_writes_a_certified_file_in_which_the_feet_stay(tmp_path: Path):
    out = tmp_path / "squat.bvh"
    command = ["animate", str(write(tmp_path, SQUAT)), "-o", str(out), "--json"]
    result = CliRunner().invoke(build_app("animate"), command)
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout.strip().splitlines()[-1])
    assert report["status"] == "done"
    assert report["file_certified"]
    path = load(out).frames().position("left_ankle")
    assert np.linalg.norm(path - path[0], axis=1).max() < 1e-3


def test_preset_poses_are_carried_over_to_the_human_with_fingers(tmp_path: Path):
    content = {**SQUAT, "figure": "human_with_fingers"}
    plain, fingers = (load_keys(write(tmp_path, one)).keys for one in (SQUAT, content))
    for few, many in zip(plain, fingers, strict=True):
        hips = [np.asarray(key.q)[:3] for key in (few, many)]
        assert np.allclose(hips[0], hips[1])
        assert np.size(many.q) > np.size(few.q)


def test_preset_poses_of_a_figure_that_is_no_person_are_refused(tmp_path: Path):
    with pytest.raises(WritheError, match=r"keys\[0\]\.pose.*octopus"):
        load_keys(write(tmp_path, {**SQUAT, "figure": "octopus", "pins": []}))


def test_the_command_writes_the_character_with_its_meshes_and_materials(tmp_path: Path):
    hero = RichCharacter().write(tmp_path / "hero.glb")
    keys = [{"time_s": 0, "pose": "stand"}, {"time_s": 1, "pose": "squat"}]
    content = {"writhe_keys": 1, "figure": "hero.glb", "fps": 30, "keys": keys, "pins": "contacts"}
    out = tmp_path / "squat.glb"
    command = ["animate", str(write(tmp_path, content)), "-o", str(out), "--json"]
    CliRunner().invoke(build_app("animate"), command)
    before, after = Glb(hero).document, Glb(out).document
    for what in ("meshes", "materials", "images"):
        assert len(after[what]) == len(before[what]) > 0


def test_constraints_that_contradict_each_other_give_exit_code_1(tmp_path: Path):
    far = {"joint": "left_wrist", "position_m": [0, 5, 0], "orientation": False}
    content = {**SQUAT, "pins": [*SQUAT["pins"], far]}
    command = ["animate", str(write(tmp_path, content)), "-o", str(tmp_path / "a.bvh"), "--json"]
    result = CliRunner().invoke(build_app("animate"), command)
    assert result.exit_code == 1
    report = json.loads(result.stdout.strip().splitlines()[-1])
    assert any("left wrist" in conflict["text"] for conflict in report["conflicts"])


def test_keys_from_files_rotations_and_places(tmp_path: Path, human: Figure):
    rows = np.tile(human.skeleton.rest_configuration, (3, 1))
    rows[2, human.skeleton.q_slice("left_elbow")] = 0.5
    save(Motion(human.skeleton, rows, 30.0), tmp_path / "clip.bvh")
    content = {
        "writhe_keys": 1,
        "keys": [
            {"time_s": 0, "file": "clip.bvh@2"},
            {"time_s": 1, "rotations": {"right_elbow": [90]}, "shift_m": [0, 0, 0.2]},
        ],
        "pins": [],
    }
    found = load_keys(write(tmp_path, content))
    first, second = (np.array(key.q) for key in found.keys)
    assert first[human.skeleton.q_slice("left_elbow")] == pytest.approx(0.5, abs=1e-3)
    assert second[human.skeleton.q_slice("right_elbow")] == pytest.approx(np.pi / 2)
    assert second[2] - first[2] == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"writhe_keys": 2}, "version 2"),
        ({"keys": []}, "at least one key"),
        ({"keys": [{"time_s": 0, "pose": "stnad"}]}, r"keys\[0\].*stnad"),
        ({"keys": [{"time_s": 0, "file": "no.bvh@1"}]}, "no.bvh"),
        ({"pins": [{"joint": "left_ankle", "start_s": 1, "end_s": 0}]}, r"pins\[0\].*before"),
        ({"pins": [{"joint": "hand"}]}, r"pins\[0\].*hand"),
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"fps": 0}, "frames per second"),
    ],
)
def test_errors_name_the_place_in_the_file(tmp_path: Path, change: dict[str, Any], message: str):
    with pytest.raises(WritheError, match=message):
        load_keys(write(tmp_path, {**SQUAT, **change}))


def test_keys_that_start_later_meet_the_objects_of_the_scene_at_that_time(tmp_path: Path):
    """A ball hits the chest and bounces back between two frames, 1 s into the scene."""
    ball = {"name": "ball", "kind": "animated", "shapes": [{"type": "ball", "radius_m": 0.1}]}
    places = [[0.0, 1.3, 2.0], [0.0, 1.3, 0.0], [0.0, 1.3, 2.0], [0.0, 1.3, 2.0]]
    keys = {"times_s": [1.02, 1.04, 1.06, 2.0], "positions_m": places}
    keys["rotations"] = [[1.0, 0.0, 0.0, 0.0]] * 4
    scene = {"writhe_scene": 1, "actors": [{"name": "p", "figure": "human"}]}
    room = tmp_path / "room.json"
    room.write_text(json.dumps(scene | {"objects": [{**ball, "keys": keys}]}))
    told: dict[float, int] = {}
    for start_s in (0.0, 1.0):
        times = [{"time_s": start_s + t, "pose": "stand"} for t in (0.0, 0.2)]
        given = {"writhe_keys": 1, "scene": "room.json", "fps": 10, "keys": times}
        command = [
            "animate",
            str(write(tmp_path, given)),
            "-o",
            str(tmp_path / "out.bvh"),
            "--json",
        ]
        told[start_s] = CliRunner().invoke(build_app("animate"), command).exit_code
    assert told == {0.0: 0, 1.0: 1}
