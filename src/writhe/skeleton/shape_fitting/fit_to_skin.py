"""Fits the collision capsules of a character to its skin.

Each vertex belongs to the joint with its largest weight. The vertices of a joint are covered by a
few capsules (`fit_points`). Vertices with several similar weights lie in a joint zone, where skin
bends and rigid shapes cannot follow it, so they have little influence on the fit.

Shapes of near neighbours overlap at their joint (the contact policy allows for it, or leaves these
pairs of shapes out); those of distant parts do not overlap in the rest pose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from writhe.arrays import Ints
from writhe.skeleton.figure import Capsule, Skin
from writhe.skeleton.kinematics import forward
from writhe.skeleton.shape_fitting.fit_points import Tightness, fit_points
from writhe.skeleton.shape_fitting.surface_samples import surface_samples
from writhe.skeleton.skeleton import Skeleton

ADULT_M = 1.7
_LEAST_AREA = 2e-5  # area / extent^2; a joint with less skin gets no shape
_LARGE = 0.12  # extent / stature: larger pieces of skin may have more capsules
_MOST = {"large": 9, "small": 4, "finger": 1}
# points outside the skin that capsules must avoid: in total, and near one joint
_GUARDS, _MOST_GUARDS = 12000, 400
# distant parts (more steps apart than near neighbours of `collision.policy`) do not overlap at rest
_NEAR_STEPS, _SPARE_M = 3, 0.002
_MOST_SEPARATED = 400  # capsules; a skeleton with more is not separated (it is not a single body)
_ALONG = 9  # points of a capsule's axis by which distances are measured
_THINNEST = 0.6  # smallest fraction of the fitted radius


def fit_to_skin(
    skeleton: Skeleton,
    skin: Skin,
    carrier: Ints,
    part_of: Mapping[int, str],
    fingers: frozenset[int] = frozenset(),
) -> tuple[Capsule, ...]:
    """Capsules that cover a skin, on the joints of `carrier` (see `surface_samples`).

    part_of: the part of a joint's capsules, where it is not the joint's name.
    fingers: joints that get one capsule at most.
    """
    rest = forward(skeleton, skeleton.rest_configuration)
    samples = surface_samples(skin, carrier)
    if len(samples.points) == 0:
        return ()
    size = float(np.ptp(samples.points, axis=0).max())
    tightness = Tightness().scaled(size / ADULT_M)
    # points outside the skin: they keep the shapes of a joint inside the skin
    picked = np.random.default_rng(0).permutation(len(samples.points))[:_GUARDS]
    guards = samples.points[picked] + tightness.guard_m * samples.normals[picked]
    capsules: list[Capsule] = []
    for j in range(len(skeleton)):
        mine = np.flatnonzero(samples.joint == j)
        area = samples.area[mine]
        if area.sum() < _LEAST_AREA * size * size:
            continue
        points = (samples.points[mine] - rest.positions[j]) @ rest.rotations[j]
        normals = samples.normals[mine] @ rest.rotations[j]
        extent = "large" if float(np.ptp(points, axis=0).max()) > _LARGE * size else "small"
        most = _MOST["finger" if j in fingers else extent]
        name = skeleton.names[j]
        outside = (guards[samples.joint[picked] != j] - rest.positions[j]) @ rest.rotations[j]
        margin = 0.05 * size
        inside = (outside > points.min(axis=0) - margin) & (outside < points.max(axis=0) + margin)
        found = fit_points(
            points,
            normals,
            area,
            samples.zone[mine],
            outside[inside.all(axis=1)][:_MOST_GUARDS],
            most,
            tightness,
        )
        capsules += [
            Capsule(name, row[:3].copy(), row[3:6].copy(), float(row[6]), part_of.get(j, ""))
            for row in found
        ]
    return _separated(skeleton, capsules, size / ADULT_M)


def _separated(skeleton: Skeleton, capsules: list[Capsule], size: float) -> tuple[Capsule, ...]:
    """Capsules with smaller radii where distant parts overlap at rest (an arm and the trunk)."""
    if not 2 <= len(capsules) <= _MOST_SEPARATED:
        return tuple(capsules)
    rest = forward(skeleton, skeleton.rest_configuration)
    ends = np.array(
        [[rest.point(c.joint, e) for e in (c.start_in_joint, c.end_in_joint)] for c in capsules]
    )
    along = np.linspace(0.0, 1.0, _ALONG)[:, None]
    lines = ends[:, :1] + along * (ends[:, 1:] - ends[:, :1])  # (c, points, 3)
    joint = np.array([skeleton.index(c.joint) for c in capsules])
    steps = _carrying_steps(skeleton, sorted(set(joint.tolist())))
    names = [c.part_name for c in capsules]
    tested: list[tuple[int, int, float]] = []
    for a in range(len(capsules)):
        away = np.linalg.norm(lines[a][:, None, None] - lines[None, a + 1 :], axis=-1)
        nearest = away.min(axis=(0, 2))  # over the points of both
        tested += [
            (a, b, float(d))
            for b, d in enumerate(nearest.tolist(), start=a + 1)
            if names[a] != names[b] and steps[int(joint[a]), int(joint[b])] > _NEAR_STEPS
        ]
    radii = np.array([c.radius_m for c in capsules])
    least = _THINNEST * radii
    for _ in range(10):
        excess = [(a, b, radii[a] + radii[b] + _SPARE_M * size - d) for a, b, d in tested]
        over = [(a, b, e) for a, b, e in excess if e > 1e-6]
        if not over:
            break
        for a, b, e in over:
            radii[a], radii[b] = (max(radii[i] - 0.5 * e, least[i]) for i in (a, b))
    return tuple(replace(c, radius_m=float(r)) for c, r in zip(capsules, radii, strict=True))


def _carrying_steps(skeleton: Skeleton, carrying: list[int]) -> dict[tuple[int, int], int]:
    """Steps between joints that carry shapes, counted in such joints as in the contact policy."""
    parent = skeleton.tree.parent

    def climb(joint: int) -> dict[int, int]:
        found, count = {joint: 0}, 0
        while parent[joint] >= 0:
            joint = int(parent[joint])
            count += joint in own
            if joint in own or parent[joint] < 0:
                found[joint] = max(count, 1)
        return found

    own = set(carrying)
    above = {j: climb(j) for j in carrying}
    return {
        (a, b): min(
            (above[a][j] + above[b][j] for j in above[a].keys() & above[b].keys()), default=99
        )
        for a in carrying
        for b in carrying
    }
