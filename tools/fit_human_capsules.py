#!/usr/bin/env python
"""Fit the human's collision capsules to its (unclipped) skin and print them as a table.

Per body part, capsule ends and radii are optimised such that the skin lies just inside: the loss is
the mean squared gap, with protruding skin weighted twelve times. Skin that still protrudes by a few
millimetres is clipped (see `human_blobs(clipped=True)`). Replace the table in
`src/writhe/skeleton/figures/human_capsules.py` by the output whenever the shapes change, and check
the printed gaps.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from writhe.skeleton.figures.human_blobs import human_blobs
from writhe.skeleton.figures.human_joints import human_skeleton
from writhe.skeleton.figures.human_weights import human_memberships
from writhe.skeleton.modelling.isosurface import isosurface
from writhe.skeleton.modelling.weights import weights_from_memberships
from writhe.skeleton.shape_fitting.skin_coverage import vertex_areas

MIDDLE = ("hips", "spine", "chest", "neck", "head")
# The arms' capsules lie on their axes, because their skin turns about them.
ON_AXIS = ("shoulder", "elbow")
WANTED_GAP_M = 0.0015
# weight of skin in joint zones
ZONE_WEIGHT = {"neck": 0.005, "spine": 0.1, "chest": 0.05}

# Initial values: start, end, radius in the joint's frame, then which of these seven values are
# fixed. Spheres at the centres of hip and shoulder belong to the parent (rotating the limb does not
# move them), and the limb's own capsules begin further out, so that a limb and its parent's other
# children do not overlap at rest.
FIRST_GUESS = {
    "hips": [
        ((-0.07, -0.027, 0.0), (0.07, -0.027, 0.0), 0.12, ()),
        ((-0.05, 0.054, 0.0), (0.05, 0.054, 0.0), 0.1, (1, 4)),
    ],
    "spine": [
        ((-0.04, 0.063, 0.0), (0.04, 0.063, 0.0), 0.1, (1, 4)),
        ((-0.04, 0.132, 0.0), (0.04, 0.132, 0.0), 0.1, (1, 4)),
    ],
    "chest": [
        ((-0.036, 0.062, 0.0), (0.036, 0.062, 0.0), 0.118, (0, 1, 3, 4, 6)),
        ((-0.026, 0.115, 0.0), (0.026, 0.115, 0.0), 0.1165, (0, 1, 3, 4, 6)),
        ((-0.060, 0.195, -0.02), (0.060, 0.195, -0.02), 0.074, (0, 1, 3, 4, 6)),
    ],
    "neck": [
        ((0.0, 0.028, -0.008), (0.0, 0.085, 0.005), 0.058, (0, 1, 2, 3, 4, 5)),
    ],
    "head": [
        ((0.0, 0.09, -0.02), (0.0, 0.1, 0.02), 0.085, ()),
        ((0.0, 0.02, 0.04), (0.0, 0.06, 0.04), 0.065, ()),
        ((0.0, 0.09, 0.09), (0.0, 0.047, 0.105), 0.012, ()),
    ],
    "clavicle": [
        ((0.155, 0.025, -0.015), (0.155, 0.025, -0.015), 0.062, (0, 1, 2, 3, 4, 5)),
        ((0.108, 0.027, -0.025), (0.14, 0.025, -0.018), 0.050, (0, 1, 3, 4, 6)),
    ],
    "shoulder": [
        ((0.055, 0.0, 0.0), (0.27, 0.0, 0.0), 0.05, (0,)),
    ],
    "elbow": [
        ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), 0.044, ()),
        ((0.14, 0.0, 0.0), (0.25, 0.0, 0.0), 0.032, ()),
    ],
    "wrist": [
        ((0.03, 0.0, -0.02), (0.15, 0.0, -0.018), 0.016, ()),
        ((0.03, 0.0, 0.005), (0.165, 0.0, 0.003), 0.016, ()),
        ((0.03, 0.0, 0.03), (0.15, 0.0, 0.026), 0.016, ()),
        ((0.03, -0.005, 0.035), (0.09, -0.012, 0.07), 0.014, ()),
    ],
    "hip": [
        ((0.0085, -0.073, 0.003), (0.008, -0.20, 0.005), 0.0885, (0, 1, 2, 3, 4, 5)),
        ((0.0, -0.25, 0.0), (0.0, -0.4, 0.0), 0.065, ()),
    ],
    "knee": [
        ((0.0, 0.0, 0.0), (0.0, -0.2, -0.01), 0.057, ()),
        ((0.0, -0.22, 0.0), (0.0, -0.4, 0.0), 0.04, ()),
    ],
    "ankle": [
        ((0.0, -0.03, -0.02), (0.0, -0.02, 0.01), 0.036, ()),
        ((0.0, -0.03, 0.03), (0.005, -0.045, 0.13), 0.03, ()),
    ],
    "toe": [
        ((-0.02, 0.0, 0.02), (0.025, 0.0, 0.02), 0.02, ()),
    ],
}
# upper bounds of radii; protruding skin is clipped
MAX_RADIUS_M = {"shoulder": 0.0490, "hip": 0.0885, "clavicle": 0.062, "neck": 0.0575}


def to_segment(points, start, end):
    """Distance to a segment, direction from it, and the parameter of the nearest point."""
    d = end - start
    t = np.clip((points - start) @ d / (d @ d + 1e-12), 0, 1)
    away = points - start - t[:, None] * d
    distance = np.linalg.norm(away, axis=1) + 1e-12
    return distance, away / distance[:, None], t


def gaps(points, capsules):
    return np.max([c[6] - to_segment(points, c[:3], c[3:6])[0] for c in capsules], axis=0)


def loss(x, points, weight, outside_weight, on_axis):
    capsules = x.reshape(-1, 7)
    parts = [to_segment(points, c[:3], c[3:6]) for c in capsules]
    depth = np.array([c[6] - p[0] for c, p in zip(capsules, parts, strict=True)])
    nearest, gap = depth.argmax(axis=0), depth.max(axis=0)
    short = np.maximum(WANTED_GAP_M - gap, 0)
    slope = weight * (2 * gap - 2 * outside_weight * short)  # derivative by the gap
    gradient = np.zeros_like(capsules)
    for k, (_, away, t) in enumerate(parts):
        s = np.where(nearest == k, slope, 0.0)
        gradient[k, :3] = (s * (1 - t)) @ away
        gradient[k, 3:6] = (s * t) @ away
        gradient[k, 6] = s.sum()
    if on_axis:
        gradient[:, [1, 2, 4, 5]] = 0
    return float(weight @ (gap**2 + outside_weight * short**2)), gradient.ravel()


def tidy(x, part):
    """Enforce left-right symmetry of the middle parts and axes of the arms."""
    capsules = x.reshape(-1, 7).copy()
    if part in ON_AXIS:
        capsules[:, [1, 2, 4, 5]] = 0
    if part in MIDDLE:
        for c in capsules:
            if abs(c[0]) > 1e-3:
                half, yz = (c[3] - c[0]) / 2, (c[1:3] + c[4:6]) / 2
                c[:6] = [-half, *yz, half, *yz]
            else:
                c[0] = c[3] = 0
    return capsules.ravel()


def fit(part, points, weight):
    x = tidy(np.array([[*a, *b, r] for a, b, r, _ in FIRST_GUESS[part]]).ravel(), part)
    bounds = [(None, None)] * 6 + [(0.005, MAX_RADIUS_M.get(part))]
    bounds = bounds * len(FIRST_GUESS[part])
    for i, (*_, held) in enumerate(FIRST_GUESS[part]):
        for k in held:
            bounds[7 * i + k] = (x[7 * i + k], x[7 * i + k])
    for outside_weight in (2, 4, 8, 12):
        for _ in range(6 if part in MIDDLE + ON_AXIS else 2):
            found = minimize(
                loss,
                x,
                args=(points, weight, outside_weight, part in ON_AXIS),
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options={"maxiter": 150},
            )
            x = tidy(found.x, part)
    return x.reshape(-1, 7).round(4)


def main() -> None:
    skeleton = human_skeleton()
    vertices, triangles = isosurface(human_blobs(clipped=False), 0.009)
    joints, weights = weights_from_memberships(
        skeleton, human_memberships(vertices, triangles), len(vertices)
    )
    area = vertex_areas(vertices, triangles)
    for part in FIRST_GUESS:
        j = skeleton.index(part if part in MIDDLE else f"left_{part}")
        mine = joints[:, 0] == j
        fixed = (weights[:, 0] == 1.0)[mine]
        points = vertices[mine] - skeleton.rest_positions[j]
        weight = area[mine] * np.where(fixed, 1.0, ZONE_WEIGHT.get(part, 0.25))
        capsules = fit(part, points, weight / weight.sum())
        print(f'    "{part}": (')
        for c in capsules + 0.0:
            a, b = (f"({p[0]:.4f}, {p[1]:.4f}, {p[2]:.4f})" for p in (c[:3], c[3:6]))
            print(f"        ({a}, {b}, {c[6]:.4f}),")
        print("    ),")
        if fixed.any():
            gap = gaps(points[fixed], capsules) * 1000
            print(f"    # gap in mm: {gap.min():.1f} to {gap.max():.1f}, mean {gap.mean():.1f}")


if __name__ == "__main__":
    main()
