"""Metrics of posed motions, independent of the method."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, NearPairs, certify
from writhe.research.evaluation.skin.depth import SkinDepth
from writhe.skeleton import Figure, forward
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.topology import linking_vector

SKIN_M = 0.01  # skin depth from which a frame counts as penetrating
PENETRATION_M = 0.002  # overlap beyond the allowance from which a frame counts as penetrating
WRONG_LINKING = 0.25
REACHED_M = 0.01
STALL_M = 0.03  # a target farther away than this is stalled ...
STALL_SPEED_M = 0.001  # ... in a frame that reduces the distance by less than this


def penetrating_frames(table: CollisionTable, q: Floats) -> Bools:
    """(frames,) whether some pair overlaps beyond its allowance and PENETRATION_M."""
    frames, near = forward(table.skeleton, q), NearPairs(table)
    out = np.zeros(len(q), dtype=np.bool_)
    for i in range(len(q)):
        near.find(frames.positions[i], frames.rotations[i], 0.0)
        clearance = near.clearance
        out[i] = near.count > 0 and clearance.min() < -PENETRATION_M
    return out


@dataclass
class PosingMetrics:
    """Metrics of one method, accumulated over many motions."""

    figure: Figure
    table: CollisionTable
    skin: SkinDepth | None = None
    actor_in_scene: ActorInScene | None = None  # the figure in a scene; `table` is then the scene's
    frames: int = 0
    penetrating: int = 0
    skin_penetrating: int = 0
    skin_worst_m: float = 0.0
    pass_throughs: int = 0
    uncertified: int = 0
    stalled: int = 0
    stall_frames: int = 0
    wrong_topology: int = 0
    shortened: int = 0
    refused: int = 0
    missed_targets: int = 0
    feasible_targets: int = 0
    milliseconds: list[float] = field(default_factory=list[float])
    jumps: list[Floats] = field(default_factory=list[Floats])
    residuals: list[float] = field(default_factory=list[float])
    joint_errors: list[Floats] = field(default_factory=list[Floats])

    def add_motion(self, q: Floats, fps: float) -> None:
        """Add penetration, certificate and jumps of a motion q (frames, nq)."""
        self.frames += len(q)
        whole = (
            q
            if self.actor_in_scene is None
            else np.array([self.actor_in_scene.full_configuration(row) for row in q])
        )
        self.penetrating += int(penetrating_frames(self.table, whole).sum())
        if self.skin is not None:
            depth, _ = self.skin.depths(whole, SKIN_M)
            self.skin_penetrating += int((depth > SKIN_M).sum())
            self.skin_worst_m = max(self.skin_worst_m, float(depth.max()))
        certificate = certify(self.table, whole, fps)
        self.pass_throughs += len(certificate.pass_throughs)
        self.uncertified += not certificate.certified
        positions = forward(self.figure.skeleton, q).positions
        self.jumps.append(np.linalg.norm(np.diff(positions, axis=0), axis=2).max(axis=1))

    def add_truth(self, q: Floats, truth: Floats) -> None:
        """Add joint errors and linking differences of a motion against the true one."""
        skeleton = self.figure.skeleton
        found, wanted = forward(skeleton, q).positions, forward(skeleton, truth).positions
        self.joint_errors.append(np.linalg.norm(found - wanted, axis=2).mean(axis=1))
        apart = np.abs(linking_vector(self.figure, q) - linking_vector(self.figure, truth))
        self.wrong_topology += int((apart.max(axis=1) > WRONG_LINKING).sum())

    def merge(self, other: PosingMetrics) -> None:
        """Add the metrics of the same method from other motions."""
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            if each.name == "skin_worst_m":
                self.skin_worst_m = max(mine, theirs)
            elif isinstance(mine, int | list):
                setattr(self, each.name, mine + theirs)

    def summary(self) -> dict[str, Any]:
        """Plain data, with keys shared by all posing benchmarks."""
        share = 100.0 / max(self.frames, 1)
        errors = np.concatenate(self.joint_errors) if self.joint_errors else None
        return {
            "frames": self.frames,
            "frame_ms_median": round(float(np.median(self.milliseconds)), 4),
            "frame_ms_p95": round(float(np.percentile(self.milliseconds, 95)), 4),
            "penetrating_frames_percent": round(share * self.penetrating, 3),
            "skin_penetrating_frames_percent": (
                None if self.skin is None else round(share * self.skin_penetrating, 4)
            ),
            "skin_worst_cm": None if self.skin is None else round(100 * self.skin_worst_m, 2),
            "pass_throughs": self.pass_throughs,
            "uncertified_motions": self.uncertified,
            "joint_error_cm": None if errors is None else round(100 * float(errors.mean()), 3),
            "wrong_topology_percent": None
            if errors is None
            else round(share * self.wrong_topology, 3),
            "jump_p99_cm": round(100 * float(np.percentile(np.concatenate(self.jumps), 99)), 3),
            "target_residual_cm": round(100 * float(np.mean(self.residuals)), 3),
            "stalled_frames_percent": round(100.0 * self.stalled / max(self.stall_frames, 1), 3),
            "feasible_targets": {"asked": self.feasible_targets, "not_met": self.missed_targets},
            "gate": {"shortened": self.shortened, "refused": self.refused},
        }
