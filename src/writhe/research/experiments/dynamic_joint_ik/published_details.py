"""The method as printed in detail: its damping, its tolerance, its cells, and what lies outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from scipy.spatial import KDTree

from writhe.arrays import Floats
from writhe.research.experiments.dynamic_joint_ik.comparison import Errors, cells_of, joint_errors
from writhe.research.experiments.dynamic_joint_ik.replayed_clips import ReplayedAction
from writhe.solvers.trajectory import (
    Chain,
    PassOptions,
    learn_octree,
    plain_trajectory,
    solve_trajectory,
)
from writhe.solvers.trajectory.published import (
    EulerCoordinates,
    PublishedOptions,
    learn_published,
    printed_damping,
    published_trajectory,
)

LOOSE_M = 8e-3  # a tolerance about as large as the paper's distances, if these are in metres
POSITIVE_M2 = 1e-4  # lambda^2 of the variant in which it is never negative
NEAR_M = 0.05  # a target farther than this from all learnt points counts as outside


def damping_figures(chain: Chain, action: ReplayedAction) -> dict[str, Any]:
    """How many values of lambda^2 are negative, and the errors if those are raised to 1e-4 m^2."""
    euler = EulerCoordinates(chain)
    values = np.concatenate([printed_damping(euler, euler.angles(t)) for t in action.takes])
    known = values[np.isfinite(values)]
    errors = {"as_printed": Errors(), "positive": Errors()}
    means: list[Floats] = []
    for take in action.takes:
        cells = learn_published(chain, [take])
        means.append(cells.damping_m2.ravel())
        raised = replace(cells, damping_m2=np.maximum(cells.damping_m2, POSITIVE_M2))
        targets = chain.effector_points(take)
        for name, used in (("as_printed", cells), ("positive", raised)):
            errors[name].add(chain, published_trajectory(chain, used, targets), take)
    return {
        "negative_percent": 100.0 * float((known < 0.0).mean()),
        "negative_percent_of_cells": 100.0 * float((np.concatenate(means) < 0.0).mean()),
        **{name: one.summary() for name, one in errors.items()},
    }


def loose_tolerance(chain: Chain, action: ReplayedAction) -> dict[str, dict[str, float]]:
    """Errors on the learnt takes where every method stops within 8 mm of the target."""
    fps = action.motions[0].fps
    rest = chain.coordinates(chain.figure.skeleton.rest_configuration)[0]
    options, printed = PassOptions(tolerance_m=LOOSE_M), PublishedOptions(tolerance_m=LOOSE_M)
    names = ("ours", "published", "dls_rest", "dls_previous")
    errors = {name: Errors() for name in names}
    for take in action.takes:
        targets = chain.effector_points(take)
        found = solve_trajectory(chain, cells_of(chain, [take], fps), targets, fps, options=options)
        errors["ours"].add(chain, found.theta, take)
        cells = learn_published(chain, [take], printed)
        errors["published"].add(chain, published_trajectory(chain, cells, targets, printed), take)
        for name, previous in (("dls_rest", False), ("dls_previous", True)):
            plain = plain_trajectory(chain, targets, rest, from_previous=previous, options=options)
            errors[name].add(chain, plain, take)
    return {name: one.summary() for name, one in errors.items()}


def cell_figures(chain: Chain, action: ReplayedAction) -> dict[str, Any]:
    """Per level: mean width of the limits, and the percentage of targets that are found there.

    `steps_in_one_cell_percent`: of the steps from a frame to the next, how many start and end in
    the same cell, which the paper supposes of every step (3.1).
    """
    octree = learn_octree(chain, [(take, action.motions[0].fps) for take in action.takes])
    width = (octree.upper - octree.lower).mean(axis=1)
    cells = [
        np.array([octree.cell_of(point) for point in chain.effector_points(take)[:, 0]])
        for take in action.takes
    ]
    found = octree.level[np.concatenate(cells)]
    stays = np.concatenate([of_take[1:] == of_take[:-1] for of_take in cells])
    levels = range(int(octree.level.max()) + 1)
    return {
        "mean_width_rad": [float(width[octree.level == k].mean()) for k in levels],
        "targets_percent": [100.0 * float((found == k).mean()) for k in levels],
        "steps_in_one_cell_percent": 100.0 * float(stays.mean()),
    }


def inside_and_outside(chain: Chain, action: ReplayedAction) -> dict[str, dict[str, Any]]:
    """Left-out takes, frames within 5 cm of a learnt point and beyond: error and largest step."""
    fps = action.motions[0].fps
    found: dict[str, list[tuple[Floats, Floats, Floats]]] = {"ours": [], "published": []}
    for number, take in enumerate(action.takes):
        others = [t for k, t in enumerate(action.takes) if k != number]
        targets = chain.effector_points(take)
        away = _away(chain, others, targets[:, 0])
        solved = solve_trajectory(chain, cells_of(chain, others, fps), targets, fps).theta
        printed = published_trajectory(chain, learn_published(chain, others), targets)
        for name, theta in (("ours", solved), ("published", printed)):
            found[name].append((away, joint_errors(chain, theta, take)[0], _steps_deg(theta)))
    out: dict[str, dict[str, Any]] = {}
    for name, parts in found.items():
        away, error, step = (np.concatenate(rows) for rows in zip(*parts, strict=True))
        outside = away > NEAR_M
        out[name] = {
            side: {
                "frames": int(mask.sum()),
                "joint_mse": float(error[mask].mean()) if mask.any() else None,
                "largest_step_deg": float(step[mask].max()) if mask.any() else None,
            }
            for side, mask in (("inside", ~outside), ("outside", outside))
        }
    return out


def _away(chain: Chain, takes: Sequence[Floats], targets: Floats) -> Floats:
    """(F,) distance of each target from the nearest learnt point."""
    seen = KDTree(chain.effector_points(np.concatenate(takes))[:, 0])
    return cast("Floats", seen.query(targets)[0])


def _steps_deg(theta: Floats) -> Floats:
    """(F,) the largest change of a coordinate to each frame, degrees; 0 at the first."""
    steps = np.degrees(np.abs(np.diff(theta, axis=0)).max(axis=1))
    return np.concatenate([[0.0], steps])
