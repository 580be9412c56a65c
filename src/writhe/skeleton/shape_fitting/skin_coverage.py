"""How closely the collision capsules of a figure follow its skin, over many poses.

A joint zone is where a skin vertex follows more than one joint (a band of a few centimetres around
each joint, where the skin bends and rigid capsules cannot follow it). Elsewhere the skin should lie
inside the capsules of its own body part, at most a few millimetres deep; capsules of other parts do
not count. Skin of a joint without capsules (a twist bone) is compared with those of the joint
above.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.kernels.mesh.capsule_cover import depth_in_own_capsules
from writhe.skeleton.figure import Figure
from writhe.skeleton.kinematics import forward

_BIN_M = 1e-4


@dataclass(frozen=True, slots=True)
class SkinCoverage:
    """Gaps between skin and capsules outside joint zones, weighted by skin area, in metres."""

    poses: int
    mean_gap_m: float
    gap_99_m: float
    worst_outside_m: float  # largest distance of the skin outside its capsules
    zone_area_share: float


def skin_coverage(figure: Figure, q: Floats, chunk: int = 64) -> SkinCoverage:
    """How the capsules of a figure cover its skin, over configurations q (poses, nq)."""
    if figure.skin is None or not figure.capsules:
        raise WritheError(f"the figure {figure.name!r} needs a skin and capsules to compare")
    skin, skeleton = figure.skin, figure.skeleton
    area = vertex_areas(skin.vertices, skin.triangles)
    fixed = np.flatnonzero(~skin.in_joint_zone)
    order = sorted(figure.capsules, key=lambda c: skeleton.index(c.joint))
    owner = np.array([skeleton.index(c.joint) for c in order])
    first = np.searchsorted(owner, np.arange(len(skeleton) + 1)).astype(np.int64)
    starts = np.array([c.start_in_joint for c in order])
    ends = np.array([c.end_in_joint for c in order])
    radii = np.array([c.radius_m for c in order])
    joint = np.ascontiguousarray(carriers(figure)[skin.vertex_joint[fixed]])
    fixed, joint = fixed[joint >= 0], np.ascontiguousarray(joint[joint >= 0])
    histogram = np.zeros(2001)
    total, weight, worst = 0.0, 0.0, 0.0
    for begin in range(0, len(q), chunk):
        frames = forward(skeleton, q[begin : begin + chunk])
        points = skin.deform(skeleton, frames.positions, frames.rotations)
        depth = np.empty((len(points), len(fixed)))
        depth_in_own_capsules(
            np.ascontiguousarray(points[:, fixed]),
            joint,
            first,
            starts,
            ends,
            radii,
            frames.positions,
            frames.rotations,
            depth,
        )
        worst = max(worst, float(-depth.min()))
        total += float((np.maximum(depth, 0.0) * area[fixed]).sum())
        weight += float(area[fixed].sum()) * len(points)
        bins = np.clip(depth / _BIN_M, 0, 2000).astype(np.int64)
        histogram += np.bincount(
            bins.ravel(), np.tile(area[fixed], len(points)), minlength=len(histogram)
        )
    gap_99 = float(np.searchsorted(np.cumsum(histogram) / histogram.sum(), 0.99) + 1) * _BIN_M
    return SkinCoverage(
        poses=len(q),
        mean_gap_m=total / weight,
        gap_99_m=gap_99,
        worst_outside_m=worst,
        zone_area_share=1.0 - float(area[fixed].sum() / area.sum()),
    )


def carriers(figure: Figure) -> Ints:
    """(n,) each joint, or its nearest ancestor that has capsules; -1 if there is none."""
    skeleton = figure.skeleton
    own = {skeleton.index(c.joint) for c in figure.capsules}
    out = np.full(len(skeleton), -1, dtype=np.int64)
    for j, parent in enumerate(skeleton.tree.parent):
        out[j] = j if j in own else (out[parent] if parent >= 0 else -1)
    return out


def surface_coverage(figure: Figure) -> SkinCoverage:
    """How the capsules of a figure cover the visible surface of its skin in the rest pose.

    Unlike `skin_coverage` it measures points spread over the triangles, and counts the surface that
    follows its joint by less than 80 % as a joint zone: files blend weights over long distances.
    """
    from writhe.skeleton.shape_fitting.fit_points import depths
    from writhe.skeleton.shape_fitting.surface_samples import surface_samples

    if figure.skin is None or not figure.capsules:
        raise WritheError(f"the figure {figure.name!r} needs a skin and capsules to compare")
    skeleton = figure.skeleton
    samples = surface_samples(figure.skin, carriers(figure))
    rest = forward(skeleton, skeleton.rest_configuration)
    depth = np.zeros(len(samples.points))
    for j in np.unique(samples.joint[samples.joint >= 0]):
        rows = np.array(
            [
                [*c.start_in_joint, *c.end_in_joint, c.radius_m]
                for c in figure.capsules
                if c.joint == skeleton.names[j]
            ]
        )
        mine = samples.joint == j
        local = (samples.points[mine] - rest.positions[j]) @ rest.rotations[j]
        depth[mine] = depths(local, rows)
    firm = ~samples.zone & (samples.joint >= 0)
    if not firm.any():
        firm = samples.joint >= 0
    area = samples.area[firm]
    order = np.argsort(depth[firm])
    cumulated = np.cumsum(area[order])
    at_99 = min(int(np.searchsorted(cumulated, 0.99 * float(cumulated[-1]))), len(order) - 1)
    return SkinCoverage(
        poses=1,
        mean_gap_m=float(area @ np.maximum(depth[firm], 0.0) / area.sum()),
        gap_99_m=float(depth[firm][order][at_99]),
        worst_outside_m=float(max(0.0, -depth[firm].min())),
        zone_area_share=1.0 - float(area.sum() / samples.area.sum()),
    )


def vertex_areas(vertices: Floats, triangles: np.ndarray) -> Floats:
    """(v,) a third of the area of the triangles around each vertex."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    third = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6.0
    out = np.zeros(len(vertices))
    for k in range(3):
        np.add.at(out, triangles[:, k], third)
    return out
