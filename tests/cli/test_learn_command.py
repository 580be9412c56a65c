"""`writhe learn` and `writhe reproduce dynamic-joint-ik` as a user calls them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from writhe.cli.app import run
from writhe.io import save
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.solvers.trajectory import Forest


def test_learn_writes_one_style_for_each_folder(
    movements: dict[str, list[Motion]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for style in ("golf", "throw"):
        (tmp_path / "clips" / style).mkdir(parents=True)
        for number, take in enumerate(movements[style][:2]):
            save(take.slice(0, 60), tmp_path / "clips" / style / f"{number}.bvh")
    (tmp_path / "clips" / "golf" / "broken.bvh").write_text("nothing")
    out = tmp_path / "styles.npz"
    with pytest.raises(SystemExit) as done:
        run(["learn", str(tmp_path / "clips"), "-o", str(out), "--chain", "left_arm", "--json"])
    assert done.value.code in (0, None)
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["frames"] == 240
    assert set(told["styles"]) == {"golf", "throw"}
    assert list(told["skipped"]) == ["golf/broken.bvh"]
    assert Forest.load(out, figure("human")).chain.effectors == ("left_wrist",)


def test_reproduction_has_its_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from writhe.research import experiments
    from writhe.research.experiments import dynamic_joint_ik
    from writhe.research.experiments.dynamic_joint_ik import comparison, replayed_clips

    def two_takes(*given: Any) -> Any:
        actions, source = replayed_clips.load_actions(*given)
        few = {n: replace(a, takes=a.takes[:2], motions=a.motions[:2]) for n, a in actions.items()}
        return few, source

    monkeypatch.setattr(comparison, "REPEATS", 1)
    monkeypatch.setattr(dynamic_joint_ik, "load_actions", two_takes)
    result = experiments.run("dynamic-joint-ik", tmp_path, only="throw")
    for kind in ("seen", "left_out"):
        for method in ("sequential", "parallel", "dls_rest", "dls_previous"):
            row = result[kind]["throw"][method]
            assert {"ms", "joint_mse", "joint_angle_deg", "distance_mm"} <= set(row)
            assert row["ms"]["total"] > 0
        rows = result[kind]["throw"]
        assert rows["sequential"]["joint_mse"] == rows["parallel"]["joint_mse"]
    assert result["ratios"]["seen"]["throw"] > 100
    assert result["seen"]["throw"]["parallel"]["distance_mm"] < 5
    assert set(result["threads"]) >= {"1"}
    report = (tmp_path / "report.md").read_text()
    for number in (9, 10, 11, 12, 13, 14):
        assert f"Figure {number}" in report
