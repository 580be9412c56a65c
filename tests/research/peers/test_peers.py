"""A peer in its own process, and its benchmark report."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from writhe.progress import no_progress
from writhe.research.benchmarks.throughput import scaling
from writhe.research.peers import run as peers
from writhe.research.peers.geometry import world_frames
from writhe.research.peers.pool import Pool
from writhe.research.peers.workloads import drags, export_body, tangled
from writhe.skeleton.figures import figure

HUMAN = figure("human")
BODY = export_body(HUMAN)


@pytest.fixture(scope="module")
def pool():
    with Pool(BODY) as running:
        yield running


def test_a_peer_follows_a_drag_with_its_feet_held(pool):
    worker = pool.start("scipy", "scipy_ls:collision", Path(sys.executable))
    task = next(one for one in drags(HUMAN, 1) if one.name == "across the chest, fast")
    answer = pool.play(worker, task)
    positions, _ = world_frames(BODY, answer.motion)
    at = BODY.names.index(task.targets[0])
    rest = task.rests[0]
    assert np.linalg.norm(positions[rest + 1, at] - task.path[rest, 0]) < 0.005
    for name, place in task.pins.items():
        away = np.linalg.norm(positions[:, BODY.names.index(name)] - place, axis=1)
        assert away.max() < 0.005


def test_a_peer_that_cannot_start_says_why(pool):
    with pytest.raises(RuntimeError, match="nowhere"):
        pool.start("nowhere", "nowhere:", Path(sys.executable))


def test_tasks_are_the_same_every_time_and_told_apart():
    first, again = tangled(HUMAN, 3), tangled(HUMAN, 3)
    assert [one.digest for one in first] == [two.digest for two in again]
    assert len({one.digest for one in first}) == 3


def test_what_is_not_installed_is_left_out_with_a_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "python_of", lambda name: None)
    monkeypatch.setattr(peers, "QUICK", peers.Size(1, 24, 1, 0, 1, 12, 1, 0.1))
    for sizes in ("JOINTS", "CHARACTERS", "SIZES", "FRAMES"):  # quick omits the two largest
        monkeypatch.setattr(scaling, sizes, getattr(scaling, sizes)[:3])
    monkeypatch.setattr(scaling, "POSTURES", scaling.POSTURES[:1])
    result = peers.run(no_progress, quick=True, methods=("scipy", "mink"), folder=tmp_path)
    assert "not installed" in result["absent"]["mink"]
    assert set(result["workloads"]["drags"]["methods"]) == {"scipy"}
    assert result["workloads"]["reconstruct-five"]["methods"]["scipy"]["joint_error_cm"] < 20
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| scipy |" in report
    assert (tmp_path / "drags.png").exists()
