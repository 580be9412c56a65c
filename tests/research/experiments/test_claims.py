"""What the papers state beside what was measured: the `claims` of `writhe reproduce --json`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from writhe.arrays import as_plain_data
from writhe.research import experiments
from writhe.research.experiments import EXPERIMENTS
from writhe.research.experiments.claims import claims_of
from writhe.research.experiments.dynamic_joint_ik import PAPER_MS as TRAJECTORY_MS
from writhe.research.experiments.energy_planning import NAMES
from writhe.research.experiments.topology_aware_ik import PAPER_MS as DRAG_MS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "papers.md"


def _planner(
    seconds: float = 0.1, success: float = 1.0, depth: float | None = 0.0, through: int = 0
):
    return {
        "seconds_median": seconds,
        "processor_s_median": seconds,
        "success_rate": success,
        "penetration_m": depth,
        "pass_throughs": through,
        "arms_out_m": 0.61,
    }


def _planning(**published: Any) -> dict[str, Any]:
    methods = {
        "default": _planner(),
        "default-d2": _planner(),
        "paper-d2": _planner(),
        "paper": _planner(**published),
        "paper-no-safe-zone": _planner(4.0),
        "rrtconnect": _planner(60.0, 0.2),
        "rrt": _planner(60.0, 0.0, None),
    }
    found: dict[str, dict[str, Any]] = {
        n: {"methods": methods, "tangles": 7, "tangles_over_half": 0} for n in NAMES
    }
    found["thomas-flare"] = {**found["thomas-flare"], "stage_two": {"seconds": 1.8}}
    zone = {"steps": (200, 200), "met": (True, True), "in_zone": 50}
    stuck = {"steps": (9000, 9000), "met": (False, False), "in_zone": 0}
    found["contortion"] = {**found["contortion"], "safe_zone": [zone, stuck]}
    return {"experiments": found}


def _dragged(paper: float, baseline: float, ours: float = 0.0) -> dict[str, Any]:
    percent = {"paper": paper, "local-pca": baseline, "default": ours}
    rows = {
        m: {"penetrating_frames_percent": p, "frame_ms_median": 1.0} for m, p in percent.items()
    }
    kept = {"basic": 1400, "ladder": 170, "chair": 331}
    return {
        "table_1": {kind: {"after": count} for kind, count in kept.items()},
        "experiments": {**dict.fromkeys(DRAG_MS, rows), "failure_case": {}},
    }


def _scenes(planner: dict[str, Any]) -> dict[str, Any]:
    scene: dict[str, Any] = {
        "reached": True,
        "topology_ok": True,
        "geometry_ok": True,
        "certified": True,
        "step_ms_median": 0.2,
        "seconds": 0.14,
    }
    published = {
        "reached": True,
        "topology_ok": True,
        "geometry_ok": True,
        "certified": False,
        "line_crossings": 3,
    }
    scene |= {"line_crossings": 0, "published": published}
    names = ("arms-swap", "stretching", "chair")
    return {
        "scenes": {**dict.fromkeys(names, scene), "piggyback": {**scene, "planners": [planner]}}
    }


def _pushed(published_jerk: float) -> dict[str, Any]:
    def row(jerk: float, hits: int) -> dict[str, Any]:
        return {"jerk": jerk, "penetrating_frames": hits, "relation_error_m": 1e-5}

    methods = {"half-space": row(10.0, 0), "penalty": row(1000.0, 30)}
    own = {**methods, "algorithm-1": row(published_jerk, 11)}
    return {"scenarios": {"back": {"methods": own}, "bar": {"methods": methods}}}


def _trajectories(threads: int) -> dict[str, Any]:
    def row(error: float, ms: float) -> dict[str, Any]:
        passes = {"crude": 0.5 * ms, "alignment": 0.0, "retargeting": 0.5 * ms, "correction": 0.0}
        return {"joint_mse": error, "ms": {**passes, "total": ms, "processor": ms}}

    rows = {
        "frames": 2500,
        "sequential": row(0.001, 20.0),
        "parallel": row(0.001, 10.0),
        "dls_rest": row(0.32, 60.0),
        "dls_previous": row(0.25, 30.0),
    }
    return {
        "seen": dict.fromkeys(TRAJECTORY_MS, rows),
        "threads": {str(n + 1): 0.01 for n in range(threads)},
        "levels": {
            "golf": [
                {"joint_mse": 0.4 / 4**level, "processor_ms": ms}
                for level, ms in enumerate((200.0, 90.0, 80.0, 76.0, 78.0, 77.0))
            ]
        },
    }


RESULTS = {
    "energy-planning": _planning(),
    "half-space-ik": _pushed(2000.0),
    "topology-aware-ik": _dragged(45.0, 52.0),
    "topology-coordinates": _scenes({"planner": "RRT", "skipped": "OMPL is not installed"}),
    "dynamic-joint-ik": _trajectories(2),
}


def test_a_penetrating_path_reproduces_neither_time_nor_freedom_from_collision():
    bad = claims_of("energy-planning", _planning(seconds=0.5, success=0.0, depth=0.07, through=3))
    assert bad["yoga: penetration"] == {
        "paper": 0.0,
        "ours": 0.0,
        "published_variant": 0.07,
        "reproduced": False,
    }
    assert bad["yoga: seconds"]["published_variant"] == 0.5
    assert bad["yoga: seconds"]["reproduced"] is False
    good = claims_of("energy-planning", _planning(seconds=0.5))
    assert good["yoga: seconds"]["reproduced"] and good["yoga: penetration"]["reproduced"]


def test_the_published_planner_is_judged_by_the_best_of_its_settings():
    result = _planning(seconds=0.5, success=0.0, depth=0.07, through=3)
    best = {"processor_s": 2.0, "certified": True, "penetration_m": 0.0, "pass_throughs": 0}
    result["experiments"]["yoga"]["published_sweep"] = {"best": best}
    found = claims_of("energy-planning", result)
    assert found["yoga: seconds"]["published_variant"] == 2.0
    assert found["yoga: penetration"]["reproduced"] and found["yoga: seconds"]["reproduced"]
    assert not found["arm-fold: penetration"]["reproduced"]


def test_tangles_are_counted_by_the_papers_threshold():
    found = claims_of("energy-planning", _planning())
    assert found["contortion: tangles"]["ours"] == 0
    assert found["contortion: tangles"]["reproduced"] is False


@pytest.mark.parametrize("rate", [0.0, 0.5])
def test_one_sampling_planner_that_solves_the_contortion_refutes_that_all_fail(rate):
    result = _planning()
    result["experiments"]["contortion"]["methods"] |= {
        "rrt": {"success_rate": 0.0},
        "rrtconnect": {"success_rate": rate},
    }
    found = claims_of("energy-planning", result)
    assert found["contortion: all sampling planners fail"]["ours"] == rate
    assert found["contortion: all sampling planners fail"]["reproduced"] is (rate == 0.0)
    assert found["contortion: sampling planners"]["reproduced"]  # less often than ours


def test_a_body_that_opens_less_with_the_wider_energy_refutes_figure_13():
    result = _planning()
    methods = result["experiments"]["leg-cross"]["methods"]
    methods["default-d2"]["arms_out_m"], methods["default"]["arms_out_m"] = 0.61, 0.68
    methods["paper-d2"]["arms_out_m"], methods["paper"]["arms_out_m"] = 0.601, 0.600
    name = "leg-cross: opening with d = 2"
    found = claims_of("energy-planning", result)[name]
    assert found["ours"] == pytest.approx(-0.07)
    assert found["published_variant"] == pytest.approx(0.001)
    assert found["reproduced"] is False
    methods["paper-d2"]["arms_out_m"] = 0.65
    assert claims_of("energy-planning", result)[name]["reproduced"]


def test_the_safe_zone_saves_the_steps_of_its_straight_line():
    found = claims_of("energy-planning", _planning())
    assert found["contortion: safe zone"]["published_variant"] == 0.75  # runs that met only
    assert found["contortion: safe zone"]["reproduced"]
    result = _planning()
    result["experiments"]["contortion"]["safe_zone"][0]["in_zone"] = 0
    assert claims_of("energy-planning", result)["contortion: safe zone"]["reproduced"] is False
    assert "yoga: safe zone" not in found


def test_as_many_collisions_as_the_baseline_is_not_fewer():
    found = claims_of("topology-aware-ik", _dragged(45.0, 52.0))
    assert found["basic: penetrating frames"]["ours"] == 0.0
    assert found["basic: penetrating frames"]["reproduced"] is False
    assert found["basic: share of the baseline's"]["published_variant"] == pytest.approx(45 / 52)
    assert found["basic: share of the baseline's"]["reproduced"] is False
    fewer = claims_of("topology-aware-ik", _dragged(0.0, 52.0))
    assert fewer["basic: penetrating frames"]["reproduced"]
    assert fewer["basic: share of the baseline's"]["reproduced"]


def test_a_scene_that_the_published_solver_crosses_is_not_reproduced():
    found = claims_of("topology-coordinates", RESULTS["topology-coordinates"])
    assert found["chair: segments pass through each other"] == {
        "paper": 0,
        "ours": 0,
        "published_variant": 3,
        "reproduced": False,
    }
    # the paper does not claim that solid bodies do not overlap
    assert "chair: certified" not in found


def test_a_scene_that_only_ours_shows_is_not_reproduced():
    result = _scenes({"planner": "RRT", "skipped": "OMPL is not installed"})
    result["scenes"]["chair"]["published"]["geometry_ok"] = False
    shown = claims_of("topology-coordinates", result)["chair: shows it"]
    assert shown["ours"] is True
    assert shown["published_variant"] is False and shown["reproduced"] is False


def test_a_planner_stopped_early_does_not_decide_how_long_it_takes():
    stopped = {"planner": "RRT", "solved": False, "seconds": 60.0, "cap_s": 60.0}
    name = "piggyback: global planner"
    assert claims_of("topology-coordinates", _scenes(stopped))[name]["reproduced"] is None
    long_run = {**stopped, "cap_s": 1000.0, "seconds": 1000.0}
    assert claims_of("topology-coordinates", _scenes(long_run))[name]["reproduced"] is True
    quick = {**stopped, "solved": True, "seconds": 12.0}
    assert claims_of("topology-coordinates", _scenes(quick))[name]["reproduced"] is False


def test_the_published_method_is_judged_where_it_was_run():
    found = claims_of("half-space-ik", _pushed(2000.0))
    rough = found["back: jerk against the penalty method"]
    assert (rough["ours"], rough["published_variant"], rough["reproduced"]) == (100.0, 0.5, False)
    only_ours = found["bar: jerk against the penalty method"]
    assert only_ours["published_variant"] is None and only_ours["reproduced"] is True
    assert found["bar: relation error"]["reproduced"]


def test_a_speed_up_on_eight_cores_is_not_judged_on_two():
    assert claims_of("dynamic-joint-ik", _trajectories(2))["golf: speed-up"]["reproduced"] is None
    eight = claims_of("dynamic-joint-ik", _trajectories(8))["golf: speed-up"]
    assert eight["ours"] == 2.0 and eight["reproduced"] is False


def test_parallel_against_plain_is_not_judged_on_two_cores_but_sequential_is():
    found = claims_of("dynamic-joint-ik", _trajectories(2))
    assert found["golf: faster than plain"]["ours"] == 3.0
    assert found["golf: faster than plain"]["reproduced"] is None
    eight = claims_of("dynamic-joint-ik", _trajectories(8))["golf: faster than plain"]
    assert eight["reproduced"] is False
    assert found["golf: sequential against plain"]["ours"] == pytest.approx(20.0 / 30.0)
    assert found["golf: sequential against plain"]["reproduced"]


def test_every_level_of_the_octree_must_lower_the_error():
    result = _trajectories(2)
    assert claims_of("dynamic-joint-ik", result)["golf: error by level"]["reproduced"]
    levels = result["levels"]["golf"]
    levels[4]["joint_mse"] = levels[3]["joint_mse"]
    found = claims_of("dynamic-joint-ik", result)["golf: error by level"]
    assert found["ours"] < 1.0 and found["reproduced"] is False


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_claim_is_discussed_on_the_page(name: str):
    page = PAGE.read_text()
    bracketed = set(re.findall(r"\*\[([^\]]+)\]\*", page))
    found = claims_of(name, RESULTS[name])
    assert found
    for key, claim in found.items():
        assert set(claim) == {"paper", "ours", "published_variant", "reproduced"}
        assert key.split(": ", 1)[1] in bracketed, f"docs/papers.md does not discuss {key!r}"


def test_the_page_names_no_figure_that_no_command_prints():
    printed = {key.split(": ", 1)[1] for n in EXPERIMENTS for key in claims_of(n, RESULTS[n])}
    bracketed = set(re.findall(r"\*\[([^\]]+)\]\*", PAGE.read_text())) - {"in brackets"}
    assert bracketed == printed


def test_a_run_prints_and_stores_its_claims(tmp_path, monkeypatch):
    monkeypatch.setattr(
        experiments, "run_named", lambda *_: dict(RESULTS["topology-aware-ik"])
    )  # the run takes minutes
    result = experiments.run("topology-aware-ik", tmp_path)
    stored = json.loads((tmp_path / "figures.json").read_text())
    assert stored["claims"] == json.loads(json.dumps(result["claims"], default=as_plain_data))
    assert stored["claims"]["ladder: postures kept"]["reproduced"] is True


def test_time_by_level_is_judged_by_the_deep_levels_only():
    result = _trajectories(2)
    found = claims_of("dynamic-joint-ik", result)["golf: time by level"]
    assert found["ours"] == pytest.approx(80.0 / 76.0) and found["reproduced"]
    result["levels"]["golf"][-1]["processor_ms"] = 300.0
    assert claims_of("dynamic-joint-ik", result)["golf: time by level"]["reproduced"] is False
