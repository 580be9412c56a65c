"""The gap of a shape pair at a fraction of a step, with joint frames that all pairs share.

The sweeps over a clip halve intervals, so most of their fractions are multiples of 1 / SAMPLES.
There the joint frames are computed once for all pairs (`step_samples`), elsewhere along the chain
of the pair alone (`step_motion.gap_at_fraction`).
"""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.collision.shape_gaps import (
    SEGMENT,
    Shapes,
    gap,
    place_shape,
    segment_gap,
)
from writhe.kernels.collision.step_motion import (
    MovingPair,
    PairWorkspace,
    StepMotion,
    gap_at_fraction,
)
from writhe.kernels.collision.step_samples import SAMPLES, StepSamples, fill_frame
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree


@kernel(inline=True)
def _relative_frame(
    samples: StepSamples, k: int, joint: int, ancestor: int, position: Floats, rotation: Floats
) -> None:
    """The frame of a joint at sample k relative to an ancestor (-1: the world)."""
    positions, rotations = samples.positions, samples.rotations
    if ancestor < 0:
        for r in range(3):
            position[r] = positions[k, joint, r]
            for c in range(3):
                rotation[r, c] = rotations[k, joint, r, c]
        return
    x = positions[k, joint, 0] - positions[k, ancestor, 0]
    y = positions[k, joint, 1] - positions[k, ancestor, 1]
    z = positions[k, joint, 2] - positions[k, ancestor, 2]
    for r in range(3):
        u = rotations[k, ancestor, 0, r]
        v = rotations[k, ancestor, 1, r]
        w = rotations[k, ancestor, 2, r]
        position[r] = u * x + v * y + w * z
        for c in range(3):
            rotation[r, c] = (
                u * rotations[k, joint, 0, c]
                + v * rotations[k, joint, 1, c]
                + w * rotations[k, joint, 2, c]
            )


@kernel(inline=True)
def shared_gap_at_fraction(
    tree: Tree,
    shapes: Shapes,
    motion: StepMotion,
    samples: StepSamples,
    pair: MovingPair,
    t: float,
    workspace: PairWorkspace,
) -> float:
    """The same as `step_motion.gap_at_fraction`, quicker at multiples of 1 / SAMPLES."""
    k = int(t * SAMPLES)
    if k != t * SAMPLES:
        return gap_at_fraction(tree, shapes, motion, pair, t, workspace)
    a, b, ancestor = pair.a, pair.b, pair.ancestor
    joint_a, joint_b = shapes.joint[a], shapes.joint[b]
    fill_frame(tree, motion, samples, k, joint_a, workspace)
    fill_frame(tree, motion, samples, k, joint_b, workspace)
    position, placed = workspace.position, workspace.placed
    _relative_frame(samples, k, joint_a, ancestor, position, workspace.rotation_a)
    place_shape(shapes, a, position, workspace.rotation_a, placed)
    _relative_frame(samples, k, joint_b, ancestor, position, workspace.rotation_b)
    place_shape(shapes, b, position, workspace.rotation_b, placed)
    workspace.evaluations[0] += 1
    if shapes.core[a] == SEGMENT and shapes.core[b] == SEGMENT:
        start, radius = shapes.point_start, shapes.radius
        return segment_gap(placed.points, start[a], start[b], workspace.out) - radius[a] - radius[b]
    return gap(shapes, placed, a, b, workspace.out)
