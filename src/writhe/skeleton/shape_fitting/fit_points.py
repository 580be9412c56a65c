"""Fits as few capsules as possible to points on a piece of skin, within a tolerance.

Initial capsules are placed along and across the principal axes of the points, optimised by
`kernels.mesh.capsule_fit`, and the best layout is kept. The number of capsules grows until the fit
is within the tolerance (`Tightness`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.kernels.mesh.capsule_fit import fit_to_points, point_depths

ZONE_WEIGHT = 0.15  # of points in joint zones
_MAX_POINTS = 600  # larger pieces of skin are subsampled to this number,
_POINTS_EACH = 70  # or to this number for each of the capsules that they may have
_PATCHES_FROM = 6  # so many capsules are also placed below patches of the skin
_PATCH_NORMAL = 0.35  # weight of normals against positions / extent in forming patches
_PATCH_ROUNDS = 8
_PATCH_DEPTHS = (0.25, 0.5)  # radius of capsules below patches / largest radius
_MAX_ROWS = 12  # more capsules are not placed in rows
_COUNTS = (1, 2, 3, 4, 6, 9, 14, 20, 28)  # numbers of capsules that are tried
_ROUGH, _FINE = 10, 40  # iterations to choose a layout, and of the final fit
_ROUGH_EVERY = 3  # of the points, one in this many is used to choose a layout
_ROUND = 0.6  # largest radius, relative to the middle one of the points' three extents
_WRONG_SIDE = 0.5  # fraction of the points outside the skin that a capsule may cover
_AXIS_BIAS = (0.0, 0.004, 0.009)  # of the points' moments along x, y, z of the joint
_GROWTH = 1.5  # largest factor by which a radius grows to cover the last points


@dataclass(frozen=True, slots=True)
class Tightness:
    """Tolerances of a fit, and the cost of uncovered skin. Metres."""

    mean_gap_m: float = 0.005
    gap_98_m: float = 0.014
    outside_m: float = 0.0035  # how far skin may protrude, outside joint zones
    wanted_gap_m: float = 0.001
    min_radius_m: float = 0.004
    outside_weight: float = 8.0
    guard_m: float = 0.025  # points this far outside the skin must stay uncovered
    guard_weight: float = 2.0

    def scaled(self, size: float) -> Tightness:
        """For a body `size` times as large as an adult."""
        return Tightness(
            size * self.mean_gap_m,
            size * self.gap_98_m,
            size * self.outside_m,
            size * self.wanted_gap_m,
            size * self.min_radius_m,
            self.outside_weight,
            size * self.guard_m,
            self.guard_weight,
        )


def fit_points(
    points: Floats,
    normals: Floats,
    area: Floats,
    zone: Bools,
    outside: Floats,
    max_capsules: int,
    tightness: Tightness,
) -> Floats:
    """(k, 7) capsules, k at most `max_capsules`, around points (p, 3) of a surface.

    normals: (p, 3) outwards, by which the capsules are kept on the inner side of the surface.
    area: (p,) of the surface around each point. zone: (p,) points in joint zones; they have a small
    weight, and may protrude unless all points lie in one. Of many points the first are used, so
    they should be in random order. outside: (g, 3) further points that
    should not be covered, such as points outside the skin of other joints.
    """
    firm = ~zone if not zone.all() else np.ones_like(zone)
    weight = area * np.where(firm, 1.0, ZONE_WEIGHT)
    picked = np.arange(min(len(points), max(_MAX_POINTS, _POINTS_EACH * max_capsules)))
    sample = np.ascontiguousarray(points[picked])
    share = weight[picked] / max(float(weight[picked].sum()), 1e-12)
    away = tightness.guard_m
    guard = sample + away * normals[picked]
    plain = np.ones(len(sample))
    bounds = np.concatenate(
        [
            np.column_stack(
                [tightness.wanted_gap_m * plain, tightness.outside_weight * share, 0 * plain, share]
            ),
            np.column_stack(
                [plain, 0 * plain, -0.6 * away * plain, tightness.guard_weight * share]
            ),
            np.tile(
                [0.0, 0.0, 0.0, tightness.guard_weight * float(share.mean())], (len(outside), 1)
            ),
        ]
    )
    every = np.concatenate([sample, guard, outside])
    problem = np.ascontiguousarray(every), np.ascontiguousarray(bounds)
    beyond = points + away * normals
    best: Floats | None = None
    for count in (count for count in _COUNTS if count <= max_capsules):
        found = _best_layout(sample, normals[picked], share, problem, count, tightness)
        best = _covering(points[firm], _trimmed(points, beyond, found), tightness)
        depth = depths(points[firm], best)
        order = np.argsort(depth)
        cumulated = np.cumsum(weight[firm][order])
        gap_98 = float(depth[order][np.searchsorted(cumulated, 0.98 * cumulated[-1])])
        mean = float(weight[firm] @ np.maximum(depth, 0.0)) / float(cumulated[-1])
        if mean <= tightness.mean_gap_m and gap_98 <= tightness.gap_98_m:
            break
    assert best is not None
    return best


def depths(points: Floats, capsules: Floats) -> Floats:
    """(p,) depth of points (p, 3) in the union of capsules (k, 7); negative outside."""
    out = np.empty(len(points))
    point_depths(np.ascontiguousarray(points), np.ascontiguousarray(capsules), out)
    return out


def _best_layout(
    points: Floats,
    normals: Floats,
    weight: Floats,
    problem: tuple[Floats, Floats],
    count: int,
    tightness: Tightness,
) -> Floats:
    def fit(problem: tuple[Floats, Floats], capsules: Floats, iterations: int) -> float:
        return fit_to_points(*problem, capsules, tightness.min_radius_m, max_m, iterations)

    # otherwise a flat piece of skin would be fitted by the largest ball
    max_m = max(_ROUND * float(np.sort(np.ptp(points, axis=0))[1]), tightness.min_radius_m)

    if count < _MAX_ROWS:
        starts = _layouts(points, weight, count, tightness.min_radius_m)
    else:
        starts = []
    if count >= _PATCHES_FROM:
        starts += [
            _patches(points, normals, weight, count, depth * max_m, tightness.min_radius_m)
            for depth in _PATCH_DEPTHS
        ]
    if len(starts) > 1:
        rough = tuple(np.ascontiguousarray(part[::_ROUGH_EVERY]) for part in problem)
        scored = [(fit((rough[0], rough[1]), start, _ROUGH), i) for i, start in enumerate(starts)]
        starts = [starts[min(scored)[1]]]
    fit(problem, starts[0], _FINE)
    return starts[0]


def _layouts(points: Floats, weight: Floats, count: int, min_radius_m: float) -> list[Floats]:
    """Initial capsules: rows along each principal axis, with the capsules along each axis."""
    centre = weight @ points
    moments = (points - centre).T @ ((points - centre) * weight[:, None])
    # a round piece has no principal axes: the bias makes them independent of rounding
    _, axes = np.linalg.eigh(moments + np.trace(moments) * np.diag(_AXIS_BIAS))
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), np.arange(3)] < 0.0, -1.0, 1.0)
    local = (points - centre) @ axes
    out: list[Floats] = []
    for along in (2, 1, 0) if count > 1 else (2,):
        low, high = np.quantile(local[:, along], (0.01, 0.99))
        edges = np.linspace(float(low), float(high), count + 1)
        bins = np.clip(np.searchsorted(edges, local[:, along]) - 1, 0, count - 1)
        for pointing in (2, 1, 0):
            rows: list[Floats] = []
            for b in range(count):
                mine = local[bins == b]
                if len(mine) < 3:
                    continue
                ordered = np.sort(mine, axis=0)
                low, high = (ordered[round(s * (len(mine) - 1))] for s in (0.02, 0.98))
                middle, half = 0.5 * (low + high), 0.5 * (high - low)
                others = [half[k] for k in range(3) if k != pointing]
                radius = max(
                    min(others) if pointing != along else float(np.mean(others)), min_radius_m
                )
                reach = np.zeros(3)
                reach[pointing] = max(half[pointing] - radius, 0.1 * radius)
                ends = [centre + axes @ (middle + s * reach) for s in (-1.0, 1.0)]
                rows.append(np.concatenate([*ends, [radius]]))
            if rows:
                out.append(np.array(rows))
    return out


def _patches(
    points: Floats,
    normals: Floats,
    weight: Floats,
    count: int,
    radius_m: float,
    min_radius_m: float,
) -> Floats:
    """(k, 7) initial capsules below patches of the skin: k-means on positions and normals."""
    radius = max(radius_m, min_radius_m)
    size = float(np.ptp(points, axis=0).max())
    features = np.concatenate([points, _PATCH_NORMAL * size * normals], axis=1)
    chosen = [int(weight.argmax())]  # the farthest points of each other
    nearest = np.full(len(points), np.inf)
    while len(chosen) < min(count, len(points)):
        nearest = np.minimum(nearest, ((features - features[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(nearest.argmax()))
    centres = features[chosen]
    label = np.zeros(len(points), dtype=np.int64)
    for _ in range(_PATCH_ROUNDS):
        # squared distances without the constant |f|^2
        label = (0.5 * (centres**2).sum(axis=1) - features @ centres.T).argmin(axis=1)
        total = np.bincount(label, weight, minlength=len(centres))
        for k in range(6):
            moved = np.bincount(label, weight * features[:, k], minlength=len(centres))
            centres[:, k] = np.where(total > 0.0, moved / np.maximum(total, 1e-12), centres[:, k])
    rows: list[Floats] = []
    for patch in range(len(centres)):
        mine = points[label == patch]
        if len(mine) < 3:
            continue
        inwards = -normals[label == patch].mean(axis=0)
        middle = mine.mean(axis=0) + radius * inwards / max(float(np.linalg.norm(inwards)), 1e-9)
        axes = np.linalg.svd(mine - mine.mean(axis=0), full_matrices=False)[2]
        along = (mine - mine.mean(axis=0)) @ axes[0]
        reach = max(float(np.quantile(np.abs(along), 0.9)) - 0.5 * radius, 0.1 * radius) * axes[0]
        rows.append(np.concatenate([middle - reach, middle + reach, [radius]]))
    return np.array(rows)


def _trimmed(points: Floats, beyond: Floats, capsules: Floats) -> Floats:
    """The capsules without those that no point needs, shortened to the points that need them.

    beyond: (p, 3) the points moved outwards. A capsule that covers most of its points moved
    outwards is on the wrong side of the skin and is removed.
    """
    every = np.array([depths(points, row[None]) for row in capsules])
    deepest = every.argmax(axis=0)
    out: list[Floats] = []
    for c, row in enumerate(capsules):
        mine = points[deepest == c]
        if len(mine) < 0.01 * len(points):
            continue
        if (depths(beyond[deepest == c], row[None]) > 0.0).mean() > _WRONG_SIDE:
            continue
        axis = row[3:6] - row[:3]
        length = float(np.linalg.norm(axis))
        low, high = 0.0, 1.0
        if length > 1e-6:
            t = np.clip((mine - row[:3]) @ axis / length**2, 0.0, 1.0)
            low, high = np.quantile(t, (0.005, 0.995))
        out.append(np.concatenate([row[:3] + low * axis, row[:3] + high * axis, row[6:]]))
    return np.array(out) if out else capsules


def _covering(points: Floats, capsules: Floats, tightness: Tightness) -> Floats:
    """The capsules with radii enlarged until no point protrudes by more than the tolerance."""
    out = capsules.copy()
    largest = _GROWTH * out[:, 6]
    for _ in range(3):
        every = np.array([depths(points, row[None]) for row in out])
        deepest = every.argmax(axis=0)
        outside = -every.max(axis=0) - tightness.outside_m
        if len(points) == 0 or outside.max() <= 1e-6:
            break
        for c in range(len(out)):
            grown = out[c, 6] + max(0.0, float(outside[deepest == c].max(initial=0.0)))
            out[c, 6] = min(grown, largest[c])
    return out
