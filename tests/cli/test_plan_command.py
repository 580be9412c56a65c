"""`writhe plan` from files to files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from writhe.cli.app import run
from writhe.collision import box, certify, half_space
from writhe.io import figure_of, load, save
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import Figure, Motion, forward


@pytest.fixture
def clip(human: Figure, tmp_path: Path) -> Path:
    q = np.tile(human.skeleton.rest_configuration, (3, 1))
    for frame, angle in enumerate((0.5, 1.0, 1.5)):
        q[frame, human.skeleton.q_slice("left_elbow")] = angle
    path = tmp_path / "clip.bvh"
    save(Motion(human.skeleton, q, 30.0), path)
    return path


@pytest.fixture
def shelf_scene(human: Figure, tmp_path: Path) -> Path:
    """A floor, and a shelf in the way of the left forearm."""
    shelf = box((0, 0, 0), (0.10, 0.02, 0.10))
    scene = Scene(
        (Actor("ann", human),),
        (
            # below the feet: at 0 they overlap it, and both ends would be pushed clear with a note
            SceneObject("floor", (half_space((0, -0.1, 0), (0, 1, 0)),)),
            SceneObject("shelf", (shelf,), position_m=_left_hand(human, 1.0)),
        ),
    )
    path = tmp_path / "room.json"
    scene.save(path)
    return path


def _left_hand(human: Figure, angle: float) -> np.ndarray:
    q = human.skeleton.rest_configuration
    q[human.skeleton.q_slice("left_elbow")] = angle
    return forward(human.skeleton, q).position("left_wrist")


def _planned(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    with pytest.raises(SystemExit) as ended:
        run(["plan", *arguments, "--json"])
    return int(ended.value.code or 0), _json(capsys)


def _json(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return json.loads(capsys.readouterr().out.strip().splitlines()[-1])


def test_a_lead_in_ends_where_the_clip_begins(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.bvh"
    command = ["plan", "--from", "rest", "--to", f"{clip}@0", "--lead-in", "-o", str(output)]
    with pytest.raises(SystemExit) as ended:
        run([*command, "--json"])
    assert ended.value.code == 0
    result = _json(capsys)
    written, source = load(output), load(clip)
    frames = int(str(result["path_frames"]))
    assert result["certified"] and len(written) == frames + 2
    assert np.allclose(written.q[frames - 1 :], source.q, atol=1e-4)


def test_a_lead_in_into_a_clip_that_penetrates_is_not_certified(
    human: Figure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file that is written counts, not the path alone."""
    q = np.tile(human.skeleton.rest_configuration, (3, 1))
    at = human.skeleton.q_slice("left_hip")
    q[2, at] = [np.cos(0.05), 0.0, 0.0, -np.sin(0.05)]  # one leg into the other at the end
    clip = tmp_path / "clip.bvh"
    save(Motion(human.skeleton, q, 30.0), clip)
    output = tmp_path / "out.bvh"
    ends = ["--from", "rest", "--to", f"{clip}@0", "-o", str(output)]
    code, found = _planned(capsys, *ends)
    assert code == 0 and found["certified"] and found["verdict"] == "certified"
    code, found = _planned(capsys, *ends, "--lead-in")
    assert code == 1 and not found["certified"] and found["verdict"] == "penetrating"
    with pytest.raises(SystemExit) as ended:
        run(["certify", str(output)])
    assert ended.value.code == 1


def test_two_frames_of_files(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.bvh"
    with pytest.raises(SystemExit) as ended:
        run(["plan", f"{clip}@2", f"{clip}@0", "-o", str(output), "--duration", "1", "--json"])
    assert ended.value.code == 0
    assert _json(capsys)["status"] == "exact"
    assert load(output).duration_s == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rest"], "two postures"),
        (["--from", "rest", "--to", "rest"], "from a file"),
        (["--from", "rest", "--to", "{clip}"], "FILE@FRAME"),
        (["--from", "rest", "--to", "{clip}@99"], "frames 0 to 2"),
    ],
)
def test_misuse_is_told(
    clip: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["plan", *(a.replace("{clip}", str(clip)) for a in arguments)])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_objects_of_a_scene_are_gone_around(
    human: Figure, clip: Path, shelf_scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # the straight path of the forearm passes through the shelf
    alone, around = tmp_path / "alone.bvh", tmp_path / "around.bvh"
    code, free = _planned(capsys, f"{clip}@0", f"{clip}@2", "--no-support", "-o", str(alone))
    assert code == 0 and free["vertices"] == 2
    code, found = _planned(
        capsys, f"{clip}@0", f"{clip}@2", "-o", str(around), "--scene", str(shelf_scene)
    )
    assert code == 0 and found["certified"] and found["status"] == "exact"
    assert float(str(found["path_length_rad"])) > float(str(free["path_length_rad"]))
    for path, clear in ((alone, False), (around, True)):
        motion = load(path)
        whole = Scene.load(shelf_scene)
        ann = replace(whole.actors[0], figure=figure_of(motion))
        scene = replace(whole, actors=(ann,))
        q = np.tile(scene.layout.rest(), (len(motion), 1))
        q[:, scene.layout.actor_q["ann"]] = motion.q
        assert certify(scene.layout.table, q, fps=30.0).certified is clear


def test_an_end_that_penetrates_is_moved_and_told(
    human: Figure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    q = np.tile(human.skeleton.rest_configuration, (2, 1))
    at = human.skeleton.q_slice("left_hip")
    q[1, at] = [np.cos(0.12), 0.0, 0.0, -np.sin(0.12)]  # one thigh a little into the other
    clip = tmp_path / "clip.bvh"
    save(Motion(human.skeleton, q, 30.0), clip)
    code, found = _planned(capsys, f"{clip}@0", f"{clip}@1", "-o", str(tmp_path / "out.bvh"))
    assert code == 0 and found["status"] == "approximate" and found["certified"]
    assert any("goal penetrates" in str(note) for note in list(found["notes"]))


@pytest.mark.parametrize(("first", "status"), [(0, "infeasible start"), (1, "infeasible goal")])
def test_an_end_within_a_block_is_infeasible(
    human: Figure,
    tmp_path: Path,
    first: int,
    status: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    outside = np.tile(human.skeleton.rest_configuration, (2, 1))
    outside[1, 2] += 9.0
    far = tmp_path / "far.bvh"
    save(Motion(human.skeleton, outside, 30.0), far)
    block = SceneObject("block", (box((0, 0, 0), (4.0, 4.0, 4.0)),))
    scene = tmp_path / "block.json"
    Scene((Actor("ann", human),), (block,)).save(scene)
    output = tmp_path / "out.bvh"
    ends = [f"{far}@{first}", f"{far}@{1 - first}"]
    code, found = _planned(capsys, *ends, "-o", str(output), "--scene", str(scene))
    assert code == 1 and found["status"] == status and found["output"] is None
    assert not output.exists()


def test_feet_that_stand_elsewhere_step(
    human: Figure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    q = np.tile(human.skeleton.rest_configuration, (2, 1))
    q[1, 2] += 0.3
    clip, out = tmp_path / "clip.bvh", tmp_path / "out.bvh"
    save(Motion(human.skeleton, q, 30.0), clip)
    code, found = _planned(capsys, f"{clip}@0", f"{clip}@1", "-o", str(out))
    assert code == 0 and found["certified"] and any("step" in note for note in found["notes"])
    ankle = load(out).frames().position("left_ankle")
    assert ankle[:, 1].max() > ankle[0, 1] + 0.05


def test_what_is_walled_in_is_stuck(
    human: Figure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    q = np.tile(human.skeleton.rest_configuration, (2, 1))
    q[1, 2] += 6.0
    clip = tmp_path / "clip.bvh"
    save(Motion(human.skeleton, q, 30.0), clip)
    # floor, ceiling and walls without a door around the first posture
    walls = [
        SceneObject(
            "ceiling", (box((0, 0, 0), (4.4, 0.2, 4.4)),), position_m=np.array([0, 2.3, 0])
        ),
        SceneObject("floor", (half_space((0, 0, 0), (0, 1, 0)),)),
    ]
    for name, place, size in (
        ("left", (2.1, 1.1, 0), (0.2, 2.4, 4.4)),
        ("right", (-2.1, 1.1, 0), (0.2, 2.4, 4.4)),
        ("front", (0, 1.1, 2.1), (4.4, 2.4, 0.2)),
        ("back", (0, 1.1, -2.1), (4.4, 2.4, 0.2)),
    ):
        walls.append(SceneObject(name, (box((0, 0, 0), size),), position_m=np.array(place)))
    scene = tmp_path / "cell.json"
    Scene((Actor("ann", human),), tuple(walls)).save(scene)
    code, found = _planned(
        capsys, f"{clip}@0", f"{clip}@1", "-o", str(tmp_path / "out.bvh"), "--scene", str(scene)
    )
    assert code == 1 and found["status"] == "stuck" and found["certified"] is False


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scene", "{room}", "--actor", "bob"], "ann"),
        (["--plant", "tail"], "tail"),
        (["--method", "teleport"], "teleport"),
        (["--scene", "nowhere.json"], "nowhere.json"),
        (["--in-turn", "wings"], "wings"),
        (["--duration", "0"], "duration_s must be positive"),
    ],
)
def test_options_that_make_no_sense_are_told(
    clip: Path,
    shelf_scene: Path,
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        given = [a.replace("{room}", str(shelf_scene)) for a in arguments]
        run(["plan", f"{clip}@0", f"{clip}@2", *given, "-o", str(clip.parent / "out.bvh")])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
