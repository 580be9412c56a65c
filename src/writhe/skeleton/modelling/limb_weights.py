"""Skinning memberships of limbs that are joint chains: fingers, tentacles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.modelling.weights import soft_sign


@dataclass(frozen=True, slots=True)
class SkinLimb:
    """A chain of joints: their rest positions and the tip (n + 1, 3), and blend widths.

    `half_widths_m` (n) is the half-width of the blend at each joint; skin farther from the chain
    than `reach_m` belongs to the limb's parent.
    """

    joints: tuple[str, ...]
    points: Floats
    half_widths_m: tuple[float, ...]
    reach_m: float


def limb_memberships(
    vertices: Floats, limbs: Sequence[SkinLimb], web_m: float
) -> dict[str, Floats]:
    """Each joint's membership (v,): 1 beyond the joint's plane, for vertices nearest to its limb.

    If two limbs are about equally near (within `web_m`), they share the vertex.
    """
    distance = np.array([_distance_to_chain(vertices, limb.points) for limb in limbs])
    near = np.exp(-(((distance - distance.min(axis=0)) / web_m) ** 2))
    near /= near.sum(axis=0)
    out: dict[str, Floats] = {}
    for limb, away, share in zip(limbs, distance, near, strict=True):
        share = share * soft_sign(4.0 * (limb.reach_m - away) / limb.reach_m)
        bones = np.diff(limb.points, axis=0)
        bones /= np.linalg.norm(bones, axis=1, keepdims=True)
        before = np.ones(len(vertices))
        for i, name in enumerate(limb.joints):
            normal = bones[i] if i == 0 else bones[i] + bones[i - 1]
            normal = normal / np.linalg.norm(normal)
            beyond = soft_sign((vertices - limb.points[i]) @ normal / limb.half_widths_m[i])
            before = np.minimum(before, beyond)  # never more than the previous joint
            out[name] = before * share
    return out


def _distance_to_chain(vertices: Floats, points: Floats) -> Floats:
    best = np.full(len(vertices), np.inf)
    for a, b in pairwise(points):
        d = b - a
        t = np.clip((vertices - a) @ d / max(float(d @ d), 1e-12), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(vertices - a - t[:, None] * d, axis=1))
    return best
