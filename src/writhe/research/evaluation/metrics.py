"""The figures by which posed motions are judged, whatever method made them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, NearPairs, certify
from writhe.research.evaluation.skin_depth import SkinDepth
from writhe.skeleton import Figure, forward
from writhe.solvers.posing.actor_in_scene import ActorPlace
from writhe.topology import linking_vector

SKIN_M = 0.01  # a frame whose skins are deeper in each other or in objects counts
PENETRATION_M = 0.002  # a frame counts as penetrating beyond its allowance and this
WRONG_LINKING = 0.25
MET_M = 0.01
STALL_M = 0.03  # a target farther away than this ...
STALL_SPEED_M = 0.001  # ... that a frame brings no nearer than this is stalled


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
class Tally:
    """Figures of one method, gathered over many motions."""

    figure: Figure
    table: CollisionTable
    skin: SkinDepth | None = None
    place: ActorPlace | None = None  # where the figure stands in a scene; the table is its then
    frames: int = 0
    penetrating: int = 0
    skin_penetrating: int = 0
    skin_worst_m: float = 0.0
    pass_throughs: int = 0
    uncertified: int = 0
    stalled: int = 0
    stall_frames: int = 0
    wrong: int = 0
    shortened: int = 0
    refused: int = 0
    unmet: int = 0
    asked: int = 0
    milliseconds: list[float] = field(default_factory=list[float])
    jumps: list[Floats] = field(default_factory=list[Floats])
    residuals: list[float] = field(default_factory=list[float])
    joint_errors: list[Floats] = field(default_factory=list[Floats])

    def add_motion(self, q: Floats, fps: float = 60.0) -> None:
        """Judge a motion by itself: penetration, certificate, jumps."""
        self.frames += len(q)
        whole = q if self.place is None else np.array([self.place.whole(row) for row in q])
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
        """Compare a reconstructed motion with the true one, frame by frame."""
        skeleton = self.figure.skeleton
        found, wanted = forward(skeleton, q).positions, forward(skeleton, truth).positions
        self.joint_errors.append(np.linalg.norm(found - wanted, axis=2).mean(axis=1))
        apart = np.abs(linking_vector(self.figure, q) - linking_vector(self.figure, truth))
        self.wrong += int((apart.max(axis=1) > WRONG_LINKING).sum())

    def merge(self, other: Tally) -> None:
        """Add what another tally of the same method gathered elsewhere."""
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            if each.name == "skin_worst_m":
                self.skin_worst_m = max(mine, theirs)
            elif isinstance(mine, int | list):
                setattr(self, each.name, mine + theirs)

    def summary(self) -> dict[str, Any]:
        """Plain figures under the names that all benchmarks of posing share."""
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
            "wrong_topology_percent": None if errors is None else round(share * self.wrong, 3),
            "jump_p99_cm": round(100 * float(np.percentile(np.concatenate(self.jumps), 99)), 3),
            "target_residual_cm": round(100 * float(np.mean(self.residuals)), 3),
            "stalled_frames_percent": round(100.0 * self.stalled / max(self.stall_frames, 1), 3),
            "feasible_targets": {"asked": self.asked, "not_met": self.unmet},
            "gate": {"shortened": self.shortened, "refused": self.refused},
        }
