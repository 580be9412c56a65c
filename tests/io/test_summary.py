"""`summarise` says what `load` says, without loading a motion."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from writhe.errors import FileFormatError
from writhe.io import load
from writhe.io.summary import summarise
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import JointKind

CLIP = """HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Knee
  {
    OFFSET 0 -45 0
    CHANNELS 1 Xrotation
    End Site
    {
      OFFSET 0 -45 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0333333
0 90 0 0 0 0 10
0 90 1 0 0 0 20
0 90 2 0 0 0 30
"""


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    path = tmp_path / "clip.bvh"
    path.write_text(CLIP)
    return path


def test_the_summary_agrees_with_the_motion(clip: Path) -> None:
    found, motion = summarise(clip), load(clip)
    assert found.skeleton.names == motion.skeleton.names
    assert [j.kind for j in found.skeleton.joints] == [j.kind for j in motion.skeleton.joints]
    assert found.skeleton.dof_count == motion.skeleton.dof_count == 7
    assert (found.frames, found.fps, found.duration_s) == (3, 30.0, motion.duration_s)
    for key in ("metres_per_unit", "unit_from", "repairs", "format"):
        assert found.source[key] == motion.source[key]


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_numbers_are_counted_across_blocks(
    clip: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("writhe.io.summary._BLOCK_BYTES", block)
    monkeypatch.setattr("writhe.io.files.load", lambda *_, **__: pytest.fail("it loaded"))
    assert summarise(clip).frames == 3


@pytest.mark.parametrize("end", ["", "0 90 2 0 0 0\n", "0 90 2 0 0 0 30\n0 90 3 0 0 0 40\n"])
def test_a_file_with_missing_or_surplus_numbers_is_an_error(clip: Path, end: str) -> None:
    clip.write_text(CLIP.removesuffix("0 90 2 0 0 0 30\n") + end)
    with pytest.raises(FileFormatError, match=r"frames|numbers"):
        summarise(clip)


def test_no_kernels_are_loaded_for_the_header_of_a_bvh_file(clip: Path) -> None:
    script = (
        "import sys; from writhe.io.summary import summarise; "
        f"summarise({str(clip)!r}).skeleton.rest_positions; "
        "print([m for m in sys.modules if m.partition('.')[0] in ('numba', 'scipy')])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_joint_kinds_are_those_of_the_kernels() -> None:
    for kind in JointKind:
        assert kind == getattr(kinematics, kind.name)
        assert kind.configuration_size == kinematics.CONFIGURATION_SIZE[kind]
        assert kind.tangent_size == kinematics.TANGENT_SIZE[kind]
