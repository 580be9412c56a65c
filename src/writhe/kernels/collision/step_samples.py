"""Joint frames sampled at common fractions of a step, shared by all pairs that the gate tests.

Evaluating one pair at an arbitrary fraction multiplies the rotations of its whole joint chain.
Most pairs are decided at the common fractions k / SAMPLES, where each joint frame is computed once,
on first use. Only a pair that limits the step is evaluated at finer fractions.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.shape_gaps import Shapes, gap, place_shape, separation
from writhe.kernels.collision.step_motion import (
    MovingPair,
    PairWorkspace,
    StepMotion,
    chord_lower_bound,
    local_rotation,
)
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree

SAMPLES = 64


class StepSamples(NamedTuple):
    """Frames of n joints at fractions k / SAMPLES of a step, filled on demand."""

    step: Ints  # (1,) number of the current step
    filled_in_step: Ints  # (SAMPLES + 1, n) number of the step in which a frame was last filled
    chain: Ints  # (n,) scratch
    positions: Floats  # (SAMPLES + 1, n, 3)
    rotations: Floats  # (SAMPLES + 1, n, 3, 3)


class RequiredGap(NamedTuple):
    """What is to be proven of a pair: a gap of min_gap or more from the start of the step up to a
    fraction, at most `limit`, and of min_end_gap or more at that fraction."""

    min_gap: float  # m
    min_end_gap: float  # m
    limit: float


@kernel(inline=True)
def fill_frame(
    tree: Tree,
    motion: StepMotion,
    samples: StepSamples,
    k: int,
    joint: int,
    workspace: PairWorkspace,
) -> None:
    """Fill the frames of a joint and of its ancestors at sample k, where missing."""
    # index whole arrays: creating a view costs two atomic reference counts
    parents, filled_in_step, chain, step = (
        tree.parent,
        samples.filled_in_step,
        samples.chain,
        samples.step[0],
    )
    positions, rotations, local = samples.positions, samples.rotations, workspace.local
    count, j = 0, joint
    while j >= 0 and filled_in_step[k, j] != step:
        chain[count] = j
        count += 1
        j = parents[j]
    t = k / SAMPLES
    for i in range(count - 1, -1, -1):
        j = chain[i]
        filled_in_step[k, j] = step
        local_rotation(motion, j, t, workspace.turn, local)
        x = motion.start_offset[j, 0] + t * motion.offset_step[j, 0]
        y = motion.start_offset[j, 1] + t * motion.offset_step[j, 1]
        z = motion.start_offset[j, 2] + t * motion.offset_step[j, 2]
        p = parents[j]
        for r in range(3):
            u, v, w, origin = 0.0, 0.0, 0.0, 0.0
            if p >= 0:
                u, v, w = rotations[k, p, r, 0], rotations[k, p, r, 1], rotations[k, p, r, 2]
                origin = positions[k, p, r]
            elif r == 0:
                u = 1.0
            elif r == 1:
                v = 1.0
            else:
                w = 1.0
            positions[k, j, r] = origin + u * x + v * y + w * z
            for c in range(3):
                rotations[k, j, r, c] = u * local[0, c] + v * local[1, c] + w * local[2, c]


@kernel(inline=True)
def _gap_at_sample(
    tree: Tree,
    shapes: Shapes,
    motion: StepMotion,
    samples: StepSamples,
    k: int,
    pair: MovingPair,
    workspace: PairWorkspace,
) -> float:
    """The gap of a pair of shapes at sample k; normal and witness points in workspace.out."""
    a, b = pair.a, pair.b
    for shape in (a, b):
        j = shapes.joint[shape]
        fill_frame(tree, motion, samples, k, j, workspace)
        position, rotation = samples.positions[k, j], samples.rotations[k, j]
        place_shape(shapes, shape, position, rotation, workspace.placed)
    return gap(shapes, workspace.placed, a, b, workspace.out)


@kernel(inline=True)
def _separation_at_sample(
    tree: Tree,
    shapes: Shapes,
    motion: StepMotion,
    samples: StepSamples,
    k: int,
    pair: MovingPair,
    normal_sample: int,
    workspace: PairWorkspace,
) -> float:
    """Separation of a pair at sample k along workspace.normal, which was found at normal_sample.

    The normal is fixed in the ancestor's frame and moves with it.
    """
    a, b, ancestor = pair.a, pair.b, pair.ancestor
    normal, carried_normal = workspace.normal, workspace.carried_normal
    points, placed, start = shapes.points, workspace.placed.points, shapes.point_start
    positions, rotations, joint = samples.positions, samples.rotations, shapes.joint
    for shape in (a, b):
        j = joint[shape]
        fill_frame(tree, motion, samples, k, j, workspace)
        for i in range(start[shape], start[shape + 1]):
            x, y, z = points[i, 0], points[i, 1], points[i, 2]
            for r in range(3):
                u, v, w = rotations[k, j, r, 0], rotations[k, j, r, 1], rotations[k, j, r, 2]
                placed[i, r] = positions[k, j, r] + u * x + v * y + w * z
    fill_frame(tree, motion, samples, normal_sample, ancestor, workspace)
    x, y, z = normal[0], normal[1], normal[2]
    if ancestor >= 0:
        for c in range(3):
            carried_normal[c] = (
                rotations[normal_sample, ancestor, 0, c] * x
                + rotations[normal_sample, ancestor, 1, c] * y
                + rotations[normal_sample, ancestor, 2, c] * z
            )
        u, v, w = carried_normal[0], carried_normal[1], carried_normal[2]
        for r in range(3):
            carried_normal[r] = (
                rotations[k, ancestor, r, 0] * u
                + rotations[k, ancestor, r, 1] * v
                + rotations[k, ancestor, r, 2] * w
            )
        x, y, z = carried_normal[0], carried_normal[1], carried_normal[2]
    return separation(placed, start, shapes.radius, shapes.core, a, b, x, y, z)


@kernel(inline=True)
def carry_direction(
    rotations_from: Floats, rotations_to: Floats, joint: int, n: Floats, out: Floats
) -> None:
    """out = R_to R_from^T n: direction n fixed in a joint's frame (-1: the world)."""
    x, y, z, j = n[0], n[1], n[2], max(joint, 0)
    turn, to = rotations_from, rotations_to
    u = turn[j, 0, 0] * x + turn[j, 1, 0] * y + turn[j, 2, 0] * z
    v = turn[j, 0, 1] * x + turn[j, 1, 1] * y + turn[j, 2, 1] * z
    w = turn[j, 0, 2] * x + turn[j, 1, 2] * y + turn[j, 2, 2] * z
    if joint < 0:
        out[0], out[1], out[2] = x, y, z
    else:
        for r in range(3):
            out[r] = to[j, r, 0] * u + to[j, r, 1] * v + to[j, r, 2] * w


@kernel(inline=True)
def promising_span(
    span: float, before: float, slope: float, min_gap: float, acceleration: float, finest: float
) -> float:
    """The longest of span, span / 2, span / 4 ... predicted to keep the gap at min_gap or more.

    The prediction extrapolates the separation linearly: `slope` is its change over a whole step.
    Never shorter than `finest`.
    """
    while span > finest:
        if chord_lower_bound(before, before + slope * span, acceleration * span * span) >= min_gap:
            break
        span *= 0.5
    return max(span, finest)


@kernel
def advance_in_samples(
    tree: Tree,
    shapes: Shapes,
    motion: StepMotion,
    samples: StepSamples,
    pair: MovingPair,
    before: float,
    slope: float,
    required: RequiredGap,
    workspace: PairWorkspace,
) -> None:
    """Prove from sample to sample that a pair keeps its required gap.

    `before` and workspace.normal are the gap and its normal at the start of the step, `slope` an
    estimate of the change of the separation over the step. Fills workspace.fractions: the last
    fraction reached by the proof, and the last sample up to there at which the gap is also
    min_end_gap or more.

    The bounds are those of `step_motion.gap_lower_bound`, applied to the separation along a
    direction fixed in the ancestor's frame. An earlier normal is reused as long as it proves the
    interval, which avoids most distance queries.
    """
    speed, acceleration, normal = pair.speed, pair.acceleration, workspace.normal
    min_gap, min_end_gap, limit = required.min_gap, required.min_end_gap, required.limit
    last = int(limit * SAMPLES) if min_end_gap > min_gap else ceil(limit * SAMPLES)
    t, safe, normal_sample, span = 0, 0, 0, last
    while t < last and span > 0:
        reach = float(min(span, last - t)) / SAMPLES
        reach = promising_span(reach, before, slope, min_gap, acceleration, 1.0 / SAMPLES)
        target = t + max(1, int(reach * SAMPLES))
        interval = (target - t) / SAMPLES
        proven, end_separation = False, 0.0
        for attempt in range(2):
            if attempt == 1:
                if normal_sample == t:
                    break  # this normal has been tried
                before = _gap_at_sample(tree, shapes, motion, samples, t, pair, workspace)
                for c in range(3):
                    normal[c] = workspace.out[c]
                normal_sample = t
            end_separation = _separation_at_sample(
                tree, shapes, motion, samples, target, pair, normal_sample, workspace
            )
            first = 0.5 * (before + end_separation - speed * interval)
            second = chord_lower_bound(before, end_separation, acceleration * interval * interval)
            proven = max(first, second) >= min_gap
            if proven:
                break
        slope = (end_separation - before) / interval
        if not proven:
            span = (target - t) // 2
            continue
        t, before = target, end_separation
        if before < min_end_gap:
            before = _gap_at_sample(tree, shapes, motion, samples, t, pair, workspace)
            for c in range(3):
                normal[c] = workspace.out[c]
            normal_sample = t
        if before >= min_end_gap:
            safe = t
        span = 4 * span
    workspace.fractions[0] = min(t / SAMPLES, limit)
    workspace.fractions[1] = min(safe / SAMPLES, limit)
