"""Run a scenario with a method, and compute its metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import certify
from writhe.research.evaluation.metrics import penetrating_frames
from writhe.research.evaluation.smoothness import mean_squared_jerk, spectral_arc_length
from writhe.research.experiments.half_space_ik.half_space_method import Method
from writhe.research.experiments.half_space_ik.scenario import FPS, Scenario
from writhe.skeleton import forward

HOLD_FRAMES = 20  # frames at rest after the script ends


@dataclass(frozen=True)
class ScenarioRun:
    """The configurations of a run and its timings."""

    q: Floats  # (frames + 1, nq)
    solve_ms: Floats
    detect_ms: Floats
    relation_error_m: float
    blocked_frames: int


def play(scenario: Scenario, method: Method) -> ScenarioRun:
    """Run all frames of a scenario."""
    q = scenario.start
    rows: list[Floats] = [q]
    solve: list[float] = []
    detect: list[float] = []
    for k in range(scenario.frames + HOLD_FRAMES):
        at = min(k, scenario.frames - 1)
        q, solving, detecting = method.step(q, scenario.targets(at), scenario.objects(at))
        rows.append(q)
        solve.append(solving)
        detect.append(detecting)
    errors: list[float] = getattr(method, "errors", [])
    return ScenarioRun(
        np.array(rows),
        np.array(solve),
        np.array(detect),
        max(errors, default=0.0),
        int(getattr(method, "blocked", 0)),
    )


def actor_positions(scenario: Scenario, q: Floats) -> Floats:
    """(frames, joints, 3) positions of the actors' joints."""
    skeleton = scenario.scene.layout.skeleton
    own = [i for i, name in enumerate(skeleton.names) if "." in name]
    return forward(skeleton, q).positions[:, own]


def figures(scenario: Scenario, run: ScenarioRun) -> dict[str, Any]:
    """Metrics of one run, with the keys of the JSON output."""
    table = scenario.scene.layout.table
    positions = actor_positions(scenario, run.q)
    watched = forward(scenario.scene.layout.skeleton, run.q).position(scenario.watched)
    speed = np.linalg.norm(np.diff(watched, axis=0), axis=1) * FPS
    certificate = certify(table, run.q, FPS)
    return {
        "frames": len(run.q) - 1,
        "penetrating_frames": int(penetrating_frames(table, run.q).sum()),
        "penetration_m": round(certificate.penetration_witnessed_m, 5),
        "pass_throughs": len(certificate.pass_throughs),
        "certified": certificate.certified,
        "jerk": round(mean_squared_jerk(positions, FPS), 2),
        "spectral_arc_length": round(spectral_arc_length(speed, FPS), 3),
        "relation_error_m": round(run.relation_error_m, 6),
        "blocked_frames": run.blocked_frames,
        "solve_ms_median": round(float(np.median(run.solve_ms)), 4),
        "solve_ms_p95": round(float(np.percentile(run.solve_ms, 95)), 4),
        "detect_ms_median": round(float(np.median(run.detect_ms)), 4),
    }
