"""The penetration depth of the skin in a motion file: `writhe certify --skin`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.io import load_figure
from writhe.io.figure_from_skeleton import same_bones
from writhe.research.evaluation.skin.depth import SkinDepth
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.figures import figure, figure_names

DEEP_M = 0.01


@dataclass(frozen=True)
class SkinReport:
    """Fraction of frames in which the skin penetrates itself by over DEEP_M; the largest depth.

    apart: parts that do not meet in a crease; two_joints: parts two joints apart, creases included
    (armpit, groin, thigh and belly).
    """

    apart_percent: float
    two_joints_percent: float
    apart_m: float
    two_joints_m: float

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "over_1cm_percent": {
                "apart": self.apart_percent,
                "two_joints_apart": self.two_joints_percent,
            },
            "deepest_m": {"apart": self.apart_m, "two_joints_apart": self.two_joints_m},
        }


def figure_with_skin(file: Path, motion: Motion, actor: Figure | None = None) -> Figure:
    """The figure whose skin a file moves: the actor's, the file's, or a built-in with its bones."""
    if actor is not None and actor.skin is not None:
        return actor
    if file.suffix.lower() in (".glb", ".gltf", ".vrm"):
        own = load_figure(file)
        if own.skin is not None:
            return own
    for name in figure_names():
        if same_bones(figure(name).skeleton, motion.skeleton):
            return figure(name)
    raise WritheError(f"{file} has no skin, and its bones are those of no built-in figure")


def skin_report(body: Figure, motion: Motion) -> SkinReport:
    """Measure the skin of a figure at the frames of a motion with its joint names."""
    frames = forward(motion.skeleton, motion.q)
    order = [motion.skeleton.index(name) for name in body.skeleton.names]
    positions, rotations = frames.positions[:, order], frames.rotations[:, order]

    def depths(measure: SkinDepth) -> Floats:
        parts = [slice(i, i + 64) for i in range(0, len(positions), 64)]
        return np.concatenate([measure.depths_at(positions[p], rotations[p]) for p in parts])

    apart, two = depths(SkinDepth.of_figure(body)), depths(SkinDepth.of_figure(body, 2))
    return SkinReport(
        100.0 * float((apart > DEEP_M).mean()),
        100.0 * float((two > DEEP_M).mean()),
        float(apart.max()),
        float(two.max()),
    )
