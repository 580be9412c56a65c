"""`writhe certify`: verdict, JSON and exit code; channels read from a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from writhe.cli.app import build_app
from writhe.collision import CollisionTable, box, capsule, certify
from writhe.collision.mesh_pieces.surfaces import surface
from writhe.collision.stored_channels import stored_channels
from writhe.errors import WritheError
from writhe.io import save
from writhe.io.gltf.container import Glb, write_container
from writhe.io.gltf.write import Prop
from writhe.scene import certify_file
from writhe.skeleton import Figure, Joint, JointKind, Motion, Skeleton

KEYS = [
    "certified", "verdict", "pass_throughs", "deep_overlaps", "penetration_m", "start_depth_m",
    "end_depth_m", "min_clearance_m", "undecided", "folded_joints", "jumps",
    "untested_pairs", "interpolation", "frames", "seconds",
]  # fmt: skip


def legs(human: Figure, path: Path, *spread_rad: float) -> Path:
    """A file of the human with its legs spread; negative: one leg into the other."""
    q = np.tile(human.skeleton.rest_configuration, (len(spread_rad), 1))
    for frame, spread in enumerate(spread_rad):
        for side, sign in (("left", 1.0), ("right", -1.0)):
            at = human.skeleton.q_slice(f"{side}_hip")
            turn = sign * spread
            q[frame, at] = [np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)]
    save(Motion(human.skeleton, q, 30.0), path)
    return path


@pytest.mark.parametrize(
    ("spread", "verdict"),
    [
        ((0.2, 0.25), "certified"),
        ((0.2,), "certified"),
        ((-0.05,), "penetrating"),
        ((-0.05, -0.05), "penetrating"),
        ((-0.05, 0.1), "improving"),
        ((0.1, -0.05), "penetrating"),
    ],
)
def test_the_verdict_is_the_exit_code_and_the_json_has_the_promised_keys(
    human, tmp_path, spread, verdict
):
    path = legs(human, tmp_path / "legs.bvh", *spread)
    result = CliRunner().invoke(build_app("certify"), ["certify", str(path), "--json"])
    found = json.loads(result.stdout.splitlines()[-1])
    assert list(found) == KEYS
    assert list(found["penetration_m"]) == ["witnessed", "upper_bound"]
    assert found["verdict"] == verdict
    assert found["certified"] is (verdict == "certified")
    assert result.exit_code == (0 if verdict == "certified" else 1)
    assert (found["start_depth_m"] > 0.001) is (spread[0] < 0)
    assert (found["end_depth_m"] > 0.001) is (spread[-1] < 0)


def test_contacts_within_the_tolerance_are_called_touching(human, tmp_path):
    """Beside "certified", "penetration 0.5 mm" would be read as a contradiction."""
    low, high = -0.05, 0.2  # overlapping, clear
    for _ in range(16):
        middle = 0.5 * (low + high)
        path = legs(human, tmp_path / "legs.bvh", middle)
        depth_m = certify_file(path).certificate.penetration_upper_bound_m
        if 2e-4 < depth_m < 9e-4:
            break
        low, high = (middle, high) if depth_m > 5e-4 else (low, middle)
    result = CliRunner().invoke(build_app("certify"), ["certify", str(path)])
    assert result.exit_code == 0
    assert "touching" in result.output and "penetration" not in result.output


def test_pass_throughs_are_listed_with_their_parts(human, tmp_path):
    path = legs(human, tmp_path / "legs.bvh", 0.3, -0.8, 0.3)
    result = CliRunner().invoke(build_app("certify"), ["certify", str(path), "--json"])
    found = json.loads(result.stdout.splitlines()[-1])
    assert result.exit_code == 1 and found["verdict"] == "passes through"
    assert found["pass_throughs"]
    for event in found["pass_throughs"]:
        assert 0 < event["time_s"] < 2 / 30
        assert event["a"] in human.skeleton.names and event["b"] in human.skeleton.names


def test_stored_channels_keep_the_angles_that_were_written(tmp_path):
    # beyond 90 degrees about y: the same rotation has other angles too
    angles = np.array([[10.0, 120.0, -30.0], [350.0, 100.0, 40.0]])
    rows = "\n".join(f"0 1 {i} " + " ".join(str(a) for a in row) for i, row in enumerate(angles))
    path = tmp_path / "turn.bvh"
    names = "Xposition Yposition Zposition Zrotation Yrotation Xrotation"
    path.write_text(
        f"HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\nCHANNELS 6 {names}\nEnd Site\n{{\n"
        f"OFFSET 0 1 0\n}}\n}}\nMOTION\nFrames: 2\nFrame Time: 0.0333\n{rows}\n"
    )
    skeleton = Skeleton([Joint("Hips", None, JointKind.FREE)])
    q = np.zeros((2, 7))
    q[:, 3:] = np.roll(Rotation.from_euler("ZYX", angles, degrees=True).as_quat(), 1, axis=1)
    motion = Motion(skeleton, q, fps=30.0, source={"format": "bvh"})
    channels = stored_channels(path, motion)
    np.testing.assert_array_equal(channels.order, [[2, 1, 0]])
    np.testing.assert_allclose(np.degrees(channels.angles[:, 0]), angles)
    table = CollisionTable(skeleton, [capsule((0, 0, 0), (1, 0, 0), 0.1).on("Hips", "Hips")])
    assert certify(table, q, fps=30.0, interpolation="both", euler=channels).certified
    with pytest.raises(WritheError, match="no Euler channels"):
        stored_channels(path, Motion(skeleton, q, fps=30.0))


def test_one_of_several_animations_is_not_called_the_whole_file(human, tmp_path):
    """The second animation is not looked at: the output and the JSON say so."""
    path = legs(human, tmp_path / "legs.glb", 0.2, 0.25)
    file = Glb(path)
    first = file.document["animations"][0]
    file.document["animations"].append({**first, "name": "other"})
    write_container(path, file.document, file.binary)
    result = CliRunner().invoke(build_app("certify"), ["certify", str(path), "--json"])
    found = json.loads(result.stdout.splitlines()[-1])
    assert found["certified"] and found["animations"] == 2 and found["animation"] == first["name"]
    assert "one of 2 animations" in result.output


def test_objects_in_a_file_are_said_not_to_be_tested(human, tmp_path):
    """A box around the legs, in the file: only a scene tests bodies against objects."""
    path = tmp_path / "legs.glb"
    q = np.tile(human.skeleton.rest_configuration, (2, 1))
    solid = box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    held = np.tile([0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0], (2, 1))
    save(Motion(human.skeleton, q, fps=30.0), path, props=[Prop("box", *surface(solid), held)])
    result = CliRunner().invoke(build_app("certify"), ["certify", str(path), "--json"])
    found = json.loads(result.stdout.splitlines()[-1])
    assert found["certified"] and found["untested_objects"] == 1
    assert "1 other object in the file is not tested" in " ".join(result.output.split())


@pytest.mark.parametrize("command", [["certify"], ["plan", "--from", "rest", "--to"]])
def test_an_actor_without_its_scene_is_refused(command: list[str], human: Figure, tmp_path: Path):
    """Nothing is certified alone that was meant to be certified in a scene."""
    file = legs(human, tmp_path / "legs.bvh", 0.0, 0.1)
    name = f"{file}@0" if command[0] == "plan" else str(file)
    answer = CliRunner().invoke(build_app(command[0]), [*command, name, "--actor", "anna"])
    assert isinstance(answer.exception, WritheError)
    assert "needs the scene" in str(answer.exception)
