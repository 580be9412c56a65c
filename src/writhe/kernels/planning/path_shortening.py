"""Shortening a certified path: shortcuts, corner cutting, tightening, smoothing."""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.planning.search_constraints import (
    correct_posture,
    keeps_limits,
    satisfies_constraints,
)
from writhe.kernels.planning.search_model import (
    SearchModel,
    SearchWorkspace,
    evaluate_energy,
    is_certified,
    step_length,
)
from writhe.kernels.planning.straight_line import LineSettings, connect_straight
from writhe.kernels.skeleton.kinematics import Tree, difference, integrate, interpolate

# a two-dimensional low-discrepancy sequence: deterministic samples of position and length
POSITION_STEP, LENGTH_STEP = 0.7548776662466927, 0.5698402909980532


class ShorteningArrays(NamedTuple):
    """Workspace for shortening paths of up to r rows."""

    line_rows: Floats  # (l, nq) rows of `connect_straight`
    sums: Floats  # (r,)
    spare: Floats  # (r, nq)
    first: Floats  # (nq,)
    second: Floats  # (nq,)


@kernel
def shortcut_path(
    model: SearchModel,
    path: Floats,
    count: int,
    line: LineSettings,
    workspace: SearchWorkspace,
    line_rows: Floats,
    out: Floats,
) -> int:
    """out (rows, nq): path[:count] with pieces replaced by the longest certified straight lines.

    Returns the number of rows of `out`. line_rows (rows, nq) is workspace of `connect_straight`.
    """
    out[0] = path[0]
    kept, i = 1, 0
    while i < count - 1:
        j = count - 1
        while j > i + 1:
            found = connect_straight(model, path[i], path[j], line, workspace, line_rows)
            if 0 < found <= out.shape[0] - kept - (count - j):
                for r in range(found):
                    out[kept] = line_rows[r]
                    kept += 1
                break
            j = i + max(1, (j - i) // 2)
        if j == i + 1:
            out[kept] = path[j]
            kept += 1
        i = j
    return kept


@kernel
def _posture_at_length(
    tree: Tree, path: Floats, sums: Floats, count: int, distance: float, out: Floats
) -> int:
    """Store in out (nq) the posture at a distance along the path; returns the edge it is on."""
    edge = 0
    while edge < count - 2 and sums[edge + 1] < distance:
        edge += 1
    span = sums[edge + 1] - sums[edge]
    t = 0.0 if span <= 0.0 else min(max((distance - sums[edge]) / span, 0.0), 1.0)
    interpolate(tree, path[edge], path[edge + 1], t, out)
    return edge


@kernel
def cut_corners(
    model: SearchModel,
    path: Floats,
    count: int,
    rounds: int,
    patience: int,
    line: LineSettings,
    workspace: SearchWorkspace,
    arrays: ShorteningArrays,
) -> int:
    """Replace segments of path[:count] by straight lines, in place; returns the new count.

    Stops after `patience` attempts in a row that shorten nothing.
    """
    line_rows, sums, spare = arrays.line_rows, arrays.sums, arrays.spare
    near, far = arrays.first, arrays.second
    failures = 0
    for attempt in range(rounds):
        if count < 3 or failures >= patience:
            return count
        sums[0] = 0.0
        for i in range(1, count):
            sums[i] = sums[i - 1] + step_length(model.tree, path[i - 1], path[i], workspace.step)
        total = sums[count - 1]
        u = (0.5 + attempt * POSITION_STEP) % 1.0
        fraction = 0.9 * (0.5 + attempt * LENGTH_STEP) % 1.0
        start = u * (1.0 - fraction) * total
        end = start + fraction * total
        first = _posture_at_length(model.tree, path, sums, count, start, near)
        last = _posture_at_length(model.tree, path, sums, count, end, far)
        failures += 1
        if last == first:
            continue
        straight = step_length(model.tree, near, far, workspace.step)
        if straight > 0.995 * (end - start):
            continue
        found = connect_straight(model, near, far, line, workspace, line_rows)
        rest = count - 1 - last
        if found < 0 or first + 2 + found + rest > path.shape[0]:
            continue
        for i in range(rest):
            spare[i] = path[last + 1 + i]
        count = first + 1
        path[count] = near
        count += 1
        for i in range(found):
            path[count] = line_rows[i]
            count += 1
        for i in range(rest):
            path[count] = spare[i]
            count += 1
        failures = 0
    return count


@kernel
def pull_tight(
    model: SearchModel,
    path: Floats,
    count: int,
    sweeps: int,
    line: LineSettings,
    workspace: SearchWorkspace,
    arrays: ShorteningArrays,
) -> None:
    """Move the inner vertices of path[:count] towards the line between their neighbours, in place.

    Each moves by the largest of {1, 1/2, 1/4} of that displacement for which both adjacent edges
    are straight and certified. Stops with a sweep that shortens the path by less than 0.2 %.
    """
    line_rows, target, tried = arrays.line_rows, arrays.first, arrays.second
    tree, step = model.tree, workspace.step
    for sweep in range(sweeps):
        before, after = 0.0, 0.0
        for i in range(1, count - 1):
            v = i if sweep % 2 == 0 else count - 1 - i
            first = step_length(tree, path[v - 1], path[v], step)
            second = step_length(tree, path[v], path[v + 1], step)
            before += first + second
            best = first + second
            straight = step_length(tree, path[v - 1], path[v + 1], step)
            if straight < 0.998 * best:
                interpolate(tree, path[v - 1], path[v + 1], first / max(best, 1e-12), target)
                fraction = 1.0
                while fraction > 0.2:
                    interpolate(tree, path[v], target, fraction, tried)
                    if (
                        connect_straight(model, path[v - 1], tried, line, workspace, line_rows) == 1
                        and connect_straight(model, tried, path[v + 1], line, workspace, line_rows)
                        == 1
                    ):
                        path[v] = tried
                        best = step_length(tree, path[v - 1], tried, step)
                        best += step_length(tree, tried, path[v + 1], step)
                        break
                    fraction *= 0.5
            after += best
        if after > 0.998 * before:
            return


@kernel
def smooth_certified_path(
    model: SearchModel,
    path: Floats,
    keep_m: float,
    strength: float,
    sweeps: int,
    tolerance: float,
    workspace: SearchWorkspace,
    clearance: Floats,
) -> int:
    """Smooth path (rows, nq) in place: inner postures move towards the mean of their neighbours.

    A move is kept if the clearance stays above `keep_m` or does not fall, the constraints hold, and
    both adjacent edges are certified. clearance (rows) is workspace. Returns the number of moves
    kept.
    """
    count, kept = path.shape[0], 0
    v, step, nv = workspace.direction, workspace.step, workspace.step.shape[0]
    for i in range(count):
        evaluate_energy(model, path[i], workspace, workspace.tried_gradient)
        clearance[i] = workspace.energy.min_clearance[0]
    for sweep in range(sweeps):
        for at in range(1, count - 1):
            i = at if sweep % 2 == 0 else count - 1 - at
            difference(model.tree, path[i], path[i - 1], v)
            difference(model.tree, path[i], path[i + 1], step)
            for k in range(nv):
                step[k] = 0.5 * strength * (step[k] + v[k])
            integrate(model.tree, path[i], step, workspace.tried)
            if correct_posture(model, workspace.tried, workspace) > tolerance:
                continue
            evaluate_energy(model, workspace.tried, workspace, workspace.tried_gradient)
            least = workspace.energy.min_clearance[0]
            if least < min(keep_m, clearance[i]):
                continue
            if not (
                keeps_limits(model, path[i - 1], workspace.tried, tolerance, workspace)
                and keeps_limits(model, workspace.tried, path[i + 1], tolerance, workspace)
            ):
                continue
            if not is_certified(model, path[i - 1], workspace.tried, workspace):
                continue
            if not is_certified(model, workspace.tried, path[i + 1], workspace):
                continue
            path[i] = workspace.tried
            clearance[i] = least
            kept += 1
    return kept


@kernel
def is_valid_path(
    model: SearchModel, path: Floats, tolerance: float, workspace: SearchWorkspace
) -> bool:
    """Whether path (rows, nq) is certified and its inner postures satisfy the constraints."""
    for i in range(1, path.shape[0] - 1):
        if not satisfies_constraints(model, path[i], tolerance, workspace):
            return False
    proven = 0
    while proven < path.shape[0] - 1 and is_certified(
        model, path[proven], path[proven + 1], workspace
    ):
        proven += 1
    return proven == path.shape[0] - 1
