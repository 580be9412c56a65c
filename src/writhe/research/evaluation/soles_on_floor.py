"""How far the skin of planted feet is from the floor in retargeted clips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.animation.foot_contacts import foot_heights
from writhe.arrays import Floats, Ints
from writhe.io.figure_from_skeleton import figure_of
from writhe.retargeting.planted_feet import planted_spans
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Figure, Motion, Skin

SIDES = ("left", "right")


@dataclass(frozen=True)
class SolesOnFloor:
    """Largest distances over the frames of a clip, m."""

    hover_m: float  # of the lowest point of a planted foot above the floor
    sink_m: float  # of any point of a foot below the floor, planted or not


def soles_on_floor(clip: Motion, body: Figure) -> SolesOnFloor:
    """The clip retargeted to a body; a foot is planted where that of the clip is."""
    moved = retarget(clip, body)
    report: Any = moved.source["retarget"]
    if report.get("floor_m") is None:
        return SolesOnFloor(0.0, 0.0)
    frames, roles = clip.frames(), dict(figure_of(clip).roles)
    hover = sink = 0.0
    for side in SIDES:
        low = _lowest(body, dict(body.roles)[f"{side}_ankle"], moved) - report["floor_m"]
        sink = max(sink, float(-low.min()))
        ball = frames.position(roles.get(f"{side}_toe", roles[f"{side}_ankle"]))
        for first, stop in planted_spans(ball, clip.fps):
            hover = max(hover, float(low[first:stop].max()))
    return SolesOnFloor(hover, sink)


def _lowest(body: Figure, ankle: str, motion: Motion) -> Floats:
    """(F,) height of the lowest vertex of a foot's skin; of its shapes for a body without one."""
    if body.skin is None:
        return foot_heights(body, ankle, motion.q)
    skeleton = body.skeleton
    first = skeleton.index(ankle)
    mine: Ints = np.arange(first, int(skeleton.tree.subtree_end[first]))
    skin = body.skin
    chosen = np.isin(skin.vertex_joint, mine)
    foot = Skin(
        skin.vertices[chosen],
        np.zeros((0, 3), dtype=np.int64),
        skin.joints[chosen],
        skin.weights[chosen],
    )
    frames = motion.frames()
    return foot.deform(skeleton, frames.positions, frames.rotations)[:, :, 1].min(axis=1)
