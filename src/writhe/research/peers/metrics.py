"""Metrics of a method on a workload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from writhe.research.evaluation.skin.depth import SkinDepth
from writhe.research.peers.body import PeerBody
from writhe.research.peers.geometry import world_frames
from writhe.research.peers.judge import judge
from writhe.research.peers.pool import PeerMotion
from writhe.research.peers.workloads import PosingTask
from writhe.skeleton import Figure
from writhe.skeleton.limits import limit_excess
from writhe.topology import linking_vector

WRONG_LINKING = 0.25  # difference of a strand pair's linking from the true posture's
MET_M = 0.01
SKIN_M = 0.01
BEYOND_LIMITS_RAD = np.radians(10.0)


class MotionEvaluator:
    """Evaluates motions of one figure."""

    def __init__(self, figure: Figure, body: PeerBody) -> None:
        self.figure, self.body = figure, body
        self._skin = SkinDepth.of_figure(figure)

    def evaluate(self, task: PosingTask, answer: PeerMotion) -> MotionMetrics:
        """All metrics of one motion."""
        q = answer.motion
        positions, _ = world_frames(self.body, q)
        columns = [self.body.names.index(name) for name in task.targets]
        handles = [self.body.names.index(name) for name in task.pins]
        wanted = np.array(list(task.pins.values())).reshape(1, -1, 3)
        slip = np.linalg.norm(positions[1:, handles] - wanted, axis=-1).max(axis=1, initial=0.0)
        apart = np.linalg.norm(positions[1:, columns] - task.path, axis=-1)
        ball = np.concatenate([task.ball[:1], answer.ball]) if len(task.ball) else None
        stopped = (
            np.linalg.norm(answer.ball - task.ball, axis=-1) if len(task.ball) else np.zeros(0)
        )
        verdict = judge(self.body, q, ball)
        depth, _ = self._skin.depths(q, SKIN_M)
        beyond = [
            max(limit_excess(self.figure.skeleton, row).values(), default=0.0) for row in q[1:]
        ]
        moves = np.linalg.norm(np.diff(positions, axis=0), axis=-1)
        jerk = np.diff(positions, n=3, axis=0) * task.fps**3
        metrics = MotionMetrics(
            milliseconds=answer.milliseconds,
            residual_m=apart.max(axis=1, initial=0.0),
            slip_m=slip,
            blocked=stopped > 0.001,
            jump_m=moves.max(axis=1),
            jerk=np.linalg.norm(jerk, axis=-1).mean(axis=1) if len(jerk) else np.zeros(0),
            beyond_limits=np.array(beyond) > BEYOND_LIMITS_RAD,
            penetrating=verdict.penetrating_frames,
            deepest_m=verdict.deepest_m,
            pass_throughs=verdict.pass_throughs,
            skin_penetrating=int((depth > SKIN_M).sum()),
            frames=len(q),
            rest_count=len(task.rests),
            missed=int((apart.max(axis=1)[list(task.rests)] > MET_M).sum()) if task.rests else 0,
        )
        if task.truth is not None:
            true, _ = world_frames(self.body, task.truth)
            metrics.joint_error_m = np.linalg.norm(positions - true, axis=-1).mean(axis=1)
            off = np.abs(linking_vector(self.figure, q) - linking_vector(self.figure, task.truth))
            metrics.wrong_topology = off.max(axis=1) > WRONG_LINKING
        return metrics


@dataclass
class MotionMetrics:
    """Metrics of one motion, per frame where applicable."""

    milliseconds: np.ndarray
    residual_m: np.ndarray
    slip_m: np.ndarray
    blocked: np.ndarray
    jump_m: np.ndarray
    jerk: np.ndarray
    beyond_limits: np.ndarray
    penetrating: int
    deepest_m: float
    pass_throughs: int
    skin_penetrating: int
    frames: int
    rest_count: int
    missed: int
    joint_error_m: np.ndarray = field(default_factory=lambda: np.zeros(0))
    wrong_topology: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))


def summary(motions: Sequence[MotionMetrics]) -> dict[str, Any]:
    """Plain metrics over all motions of a workload."""

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(one, name) for one in motions])

    frames = sum(one.frames for one in motions)
    times, errors = joined("milliseconds"), joined("joint_error_m")
    rest_count = sum(one.rest_count for one in motions)
    return {
        "frames": frames,
        "frame_ms_median": round(float(np.median(times)), 4),
        "frame_ms_p95": round(float(np.percentile(times, 95)), 4),
        "frame_ms_p99": round(float(np.percentile(times, 99)), 4),
        "penetrating_frames_percent": _percent(sum(one.penetrating for one in motions), frames),
        "penetration_mm": round(1e3 * max(one.deepest_m for one in motions), 2),
        "skin_penetrating_frames_percent": _percent(
            sum(one.skin_penetrating for one in motions), frames
        ),
        "pass_throughs": sum(one.pass_throughs for one in motions),
        "target_residual_cm": round(100.0 * float(joined("residual_m").mean()), 3),
        "pin_slip_cm": round(100.0 * float(joined("slip_m").mean()), 3),
        "ball_stopped_percent": round(100.0 * float(joined("blocked").mean()), 2)
        if len(joined("blocked"))
        else None,
        "targets_not_met_percent": _percent(sum(one.missed for one in motions), rest_count)
        if rest_count
        else None,
        "beyond_limits_percent": round(100.0 * float(joined("beyond_limits").mean()), 2),
        "jump_p99_cm": round(100.0 * float(np.percentile(joined("jump_m"), 99)), 2),
        "jerk": round(float(joined("jerk").mean()), 1),
        "joint_error_cm": round(100.0 * float(errors.mean()), 3) if len(errors) else None,
        "wrong_topology_percent": round(100.0 * float(joined("wrong_topology").mean()), 2)
        if len(errors)
        else None,
    }


def _percent(part: int, whole: int) -> float:
    return round(100.0 * part / max(whole, 1), 3)
