"""`writhe certify`: verdict, JSON and exit code; channels read from a file."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from writhe.cli import certify as command
from writhe.cli.app import build_app
from writhe.collision import CollisionTable, capsule, certify
from writhe.collision.stored_channels import stored_channels
from writhe.errors import WritheError
from writhe.skeleton import Joint, JointKind, Motion, Skeleton

KEYS = [
    "certified", "pass_throughs", "deep_overlaps", "penetration_m", "min_clearance_m",
    "undecided", "interpolation", "frames", "seconds",
]  # fmt: skip


def crossing(height_m: float) -> tuple[CollisionTable, Motion, None]:
    """A rod that flies over or through another."""
    skeleton = Skeleton([Joint("post", None, JointKind.FIXED), Joint("rod", None, JointKind.FREE)])
    table = CollisionTable(
        skeleton,
        [
            capsule((-0.3, 0, 0), (0.3, 0, 0), 0.05).on("post", "post"),
            capsule((0, -0.3, 0), (0, 0.3, 0), 0.05).on("rod", "rod"),
        ],
    )
    q = np.array([[0, height_m, z, 1, 0, 0, 0] for z in (-1.0, 1.0)])
    return table, Motion(skeleton, q, fps=30.0), None


@pytest.mark.parametrize(("height_m", "passes"), [(0.0, 1), (2.0, 0)])
def test_the_verdict_is_the_exit_code_and_the_json_has_the_promised_keys(
    height_m, passes, monkeypatch
):
    monkeypatch.setattr(command, "_read", lambda *_: crossing(height_m))
    result = CliRunner().invoke(build_app("certify"), ["certify", "x.bvh", "--json"])
    found = json.loads(result.stdout.splitlines()[-1])
    assert list(found) == KEYS
    assert list(found["penetration_m"]) == ["witnessed", "upper_bound"]
    assert result.exit_code == (1 if passes else 0)
    assert found["certified"] is (passes == 0)
    assert len(found["pass_throughs"]) == passes
    for event in found["pass_throughs"]:
        assert {event["a"], event["b"]} == {"post", "rod"}
        assert 0 < event["time_s"] < 1 / 30


def test_stored_channels_keep_the_angles_that_were_written(tmp_path):
    # beyond 90 degrees about y: the same rotation has other angles too
    angles = np.array([[10.0, 120.0, -30.0], [350.0, 100.0, 40.0]])
    rows = "\n".join(f"0 1 {i} " + " ".join(str(a) for a in row) for i, row in enumerate(angles))
    path = tmp_path / "turn.bvh"
    path.write_text(f"HIERARCHY\n...\nMOTION\nFrames: 2\nFrame Time: 0.0333\n{rows}\n")
    skeleton = Skeleton([Joint("Hips", None, JointKind.FREE)])
    q = np.zeros((2, 7))
    q[:, 3:] = np.roll(Rotation.from_euler("ZYX", angles, degrees=True).as_quat(), 1, axis=1)
    names = ["Xposition", "Yposition", "Zposition", "Zrotation", "Yrotation", "Xrotation"]
    motion = Motion(skeleton, q, fps=30.0, source={"format": "bvh", "channels": {"Hips": names}})
    channels = stored_channels(path, motion)
    np.testing.assert_array_equal(channels.order, [[2, 1, 0]])
    np.testing.assert_allclose(np.degrees(channels.angles[:, 0]), angles)
    table = CollisionTable(skeleton, [capsule((0, 0, 0), (1, 0, 0), 0.1).on("Hips", "Hips")])
    assert certify(table, q, fps=30.0, interpolation="both", euler=channels).certified
    with pytest.raises(WritheError, match="no Euler channels"):
        stored_channels(path, Motion(skeleton, q, fps=30.0))
