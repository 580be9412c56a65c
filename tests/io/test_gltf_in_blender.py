"""Blender reads the files that are written: joints within 0.1 mm, images, materials, morphs."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from generated_characters import SHARED, RichCharacter, wave
from writhe import load, load_figure, save
from writhe.io.characters import save_characters
from writhe.skeleton import JointKind, Motion, quaternions
from writhe.skeleton.figures import figure

PYTHON = os.environ.get("WRITHE_BLENDER_PYTHON", "")
NEAR_M = 1e-4
SCRIPT = Path(__file__).with_name("blender_reading.py")

pytestmark = pytest.mark.skipif(
    not PYTHON, reason="set WRITHE_BLENDER_PYTHON to a Python with bpy to compare with Blender"
)


def in_blender(*asked: tuple[Path, str, list[float]]) -> list[dict]:
    lines = [json.dumps({"path": str(p), "animation": a, "frames": f}) for p, a, f in asked]
    run = subprocess.run(
        [PYTHON, str(SCRIPT)], input="\n".join(lines), capture_output=True, text=True, timeout=300
    )
    found = [x[5:] for x in run.stdout.splitlines() if x.startswith("READ ")]
    assert len(found) == len(asked), run.stderr[-2000:]
    return [json.loads(text) for text in found]


def changed(motion: Motion) -> Motion:
    """Every ball joint turned a little, ever more from frame to frame."""
    q = motion.q.copy()
    angle = np.linspace(0.0, 0.2, len(q))
    for joint in motion.skeleton.joints:
        if joint.kind is JointKind.BALL:
            at = motion.skeleton.q_slice(joint.name)
            turn = quaternions.from_axis_angle(np.array([0.0, 0.6, 0.8]), angle)
            q[:, at] = quaternions.multiply(q[:, at], turn)
    return replace(motion, q=q)


def worst_m(read: dict, motion: Motion, rows: list[int], minimum: int) -> float:
    """The largest distance between the joints of both readings."""
    frames = motion.frames().positions
    names = {name: j for j, name in enumerate(motion.skeleton.names)}
    worst, compared = 0.0, 0
    for row, places in zip(rows, read["positions"], strict=True):
        shared = [name for name in places if name in names]
        compared = len(shared)
        for name in shared:
            gap = np.linalg.norm(np.array(places[name]) - frames[row, names[name]])
            worst = max(worst, float(gap))
    assert compared >= minimum
    return worst


def rows_and_times(motion: Motion) -> tuple[list[int], list[float]]:
    rows = [0, len(motion) // 3, len(motion) - 1]
    return rows, [motion.source.get("start_s", 0.0) + row / motion.fps for row in rows]


def test_a_changed_character(tmp_path):
    source = RichCharacter().write(tmp_path / "rich.glb")
    motion = changed(load(source))
    save(motion, tmp_path / "changed.glb")
    rows, times = rows_and_times(motion)
    before, after = in_blender((source, "Wave", times), (tmp_path / "changed.glb", "Wave", times))
    assert worst_m(before, load(source), rows, 21) < NEAR_M
    assert worst_m(after, motion, rows, 21) < NEAR_M
    for key in ("images", "materials", "morphs", "meshes"):
        assert after[key] == before[key] > 0, key


def test_two_characters_in_one_file(tmp_path):
    source = RichCharacter().write(tmp_path / "rich.glb")
    human, motion, other = figure("human"), changed(load(source)), changed(wave())
    pairs = [(load_figure(source), motion), (human, other)]
    save_characters(pairs, tmp_path / "both.glb", name="Meeting")
    rows, times = rows_and_times(motion)
    (read,) = in_blender((tmp_path / "both.glb", "Meeting", times))
    assert worst_m(read, motion, rows, 21) < NEAR_M
    assert worst_m(read, other, rows, 21) < NEAR_M
    assert read["images"] == 2


@pytest.mark.parametrize(
    "name",
    ["Michelle.glb", "RobotExpressive.glb", "CesiumMan.glb", "Fox.glb", "RiggedFigure.glb"],
)
def test_characters_from_elsewhere(name, tmp_path):
    source = SHARED / name
    if not source.exists():
        pytest.skip("the characters from elsewhere are not beside this checkout")
    motion = changed(load(source))
    save(motion, tmp_path / name)
    rows, times = rows_and_times(motion)
    clip = load(tmp_path / name).name
    before, after = in_blender((source, clip, times), (tmp_path / name, clip, times))
    size = np.ptp(motion.frames().positions[0], axis=0).max()
    assert worst_m(after, motion, rows, 10) < NEAR_M * max(1.0, size / 2.0)
    for key in ("images", "materials", "morphs", "meshes"):
        assert after[key] == before[key], key
