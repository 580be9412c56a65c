"""Fits the collision capsules of a character to its skin.

Each point of the skin belongs to a joint (`surface_samples`). The points of a joint are covered by
a few capsules (`fit_points`). Points with several similar weights lie in a joint zone, where skin
bends and rigid shapes cannot follow it, so they have little influence on the fit.

Shapes of near neighbours overlap at their joint, as far as the contact policy allows; those of
distant parts do not overlap in the rest pose (`rest_overlaps`). Skin that is uncovered after that
gets smaller capsules where these do not overlap too much.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.skeleton.figure import Capsule, Skin
from writhe.skeleton.kinematics import forward
from writhe.skeleton.shape_fitting.fit_points import Tightness
from writhe.skeleton.shape_fitting.joint_skin import JointSkin, rows_by_joint
from writhe.skeleton.shape_fitting.rest_overlaps import without_rest_overlaps
from writhe.skeleton.shape_fitting.surface_samples import SurfaceSamples, surface_samples
from writhe.skeleton.skeleton import Skeleton
from writhe.skeleton.skeleton_distance import path_to_root

ADULT_M = 1.7
_MIN_RELATIVE_AREA = 2e-5  # area / extent^2; a joint with less skin gets no shape
_LARGE = 0.12  # extent / stature: larger pieces of skin may have more capsules
_MAX_CAPSULES = {"bulky": 28, "large": 9, "small": 4, "finger": 1}
# points outside the skin that capsules must avoid: in total, and near one joint
_GUARDS, _MAX_GUARDS = 12000, 400
_FILL_ROUNDS = 2  # rounds in which skin that is still uncovered gets further capsules


def fit_to_skin(
    skeleton: Skeleton,
    skin: Skin,
    carrier: Ints,
    part_of: Mapping[int, str],
    fingers: frozenset[int] = frozenset(),
    postures: Sequence[Floats] = (),
    detailed: frozenset[int] = frozenset(),
) -> tuple[Capsule, ...]:
    """Capsules that cover a skin, on the joints of `carrier` (see `surface_samples`).

    part_of: the part of a joint's capsules, where it is not the joint's name.
    fingers: joints that get one capsule at most.
    detailed: joints whose bulky pieces of skin may have many capsules.
    postures: configurations (nq,) in which the shapes must not overlap much more than at rest.
    """
    samples = surface_samples(skin, carrier, _bones(skeleton, skin, carrier))
    if len(samples.points) == 0:
        return ()
    size = float(np.ptp(samples.points, axis=0).max())
    tightness = Tightness().scaled(size / ADULT_M)
    pieces = _pieces(skeleton, samples, size, tightness)

    def fit(piece: JointSkin) -> list[Capsule]:
        spread = np.sort(np.ptp(piece.points, axis=0)) / size
        bulky = piece.joint in detailed and spread[0] > _LARGE
        extent = "bulky" if bulky else "large" if spread[2] > _LARGE else "small"
        max_capsules = _MAX_CAPSULES["finger" if piece.joint in fingers else extent]
        return placed(piece, piece.fit(max_capsules, tightness))

    def placed(piece: JointSkin, rows: Floats) -> list[Capsule]:
        name, part = skeleton.names[piece.joint], part_of.get(piece.joint, "")
        return [Capsule(name, r[:3].copy(), r[3:6].copy(), float(r[6]), part) for r in rows]

    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as threads:
        capsules = [capsule for found in threads.map(fit, pieces) for capsule in found]
    scale = size / ADULT_M
    apart = without_rest_overlaps(skeleton, capsules, scale, postures)
    for _ in range(_FILL_ROUNDS):
        rows = rows_by_joint(skeleton, apart)
        added = [
            capsule
            for piece in pieces
            if piece.joint in rows
            for capsule in placed(piece, piece.fill(rows[piece.joint], tightness))
        ]
        if not added:
            break
        both = [*apart, *added]
        apart = without_rest_overlaps(skeleton, both, scale, postures, kept=len(apart))
    return apart


def _bones(skeleton: Skeleton, skin: Skin, carrier: Ints) -> dict[int, list[Floats]]:
    """Ends (2, 3) in the world of the bones of each joint that carries skin.

    They end at the next joints that do; at the end of a limb, in the middle of its skin.
    """
    rest = forward(skeleton, skeleton.rest_configuration).positions
    owner = carrier[skin.vertex_joint]
    carrying = set(np.unique(owner[owner >= 0]).tolist())
    out: dict[int, list[Floats]] = {j: [] for j in carrying}
    for j in carrying:
        above = next((k for k in path_to_root(skeleton.tree.parent, j)[1:] if k in carrying), None)
        if above is not None:
            out[above].append(np.stack([rest[above], rest[j]]))
    for j, found in out.items():
        if not found:
            found.append(np.stack([rest[j], skin.vertices[owner == j].mean(axis=0)]))
    return out


def _pieces(
    skeleton: Skeleton, samples: SurfaceSamples, size: float, tightness: Tightness
) -> list[JointSkin]:
    """The skin of each joint that has enough of it."""
    rest = forward(skeleton, skeleton.rest_configuration)
    # points outside the skin: they keep the shapes of a joint inside the skin
    picked = np.argsort(samples.rank, kind="stable")[:_GUARDS]
    guards = samples.points[picked] + tightness.guard_m * samples.normals[picked]
    margin = 0.05 * size
    out: list[JointSkin] = []
    for j in range(len(skeleton)):
        mine = np.flatnonzero(samples.joint == j)
        mine = mine[np.argsort(samples.rank[mine], kind="stable")]
        area = samples.area[mine]
        if area.sum() < _MIN_RELATIVE_AREA * size * size:
            continue
        points = (samples.points[mine] - rest.positions[j]) @ rest.rotations[j]
        normals = samples.normals[mine] @ rest.rotations[j]
        outside = (guards[samples.joint[picked] != j] - rest.positions[j]) @ rest.rotations[j]
        near = (outside > points.min(axis=0) - margin) & (outside < points.max(axis=0) + margin)
        guard = outside[near.all(axis=1)][:_MAX_GUARDS]
        out.append(JointSkin(j, points, normals, area, samples.zone[mine], guard))
    return out
