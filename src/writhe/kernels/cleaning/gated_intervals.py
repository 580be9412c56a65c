"""The gate over many intervals of a clip in one call."""

from __future__ import annotations

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.collision.shape_gaps import Bodies, Pairs, Shapes
from writhe.kernels.collision.step_gate import GateWorkspace, gate_step
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree


@kernel
def certified_intervals(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    q: Floats,
    frames: Ints,
    slack: float,
    work: GateWorkspace,
    out: Bools,
) -> None:
    """out[t] for each t of `frames`: whether the step q[t] -> q[t + 1] passes and starts clear."""
    for i in range(frames.shape[0]):
        t = frames[i]
        whole = gate_step(tree, shapes, bodies, pairs, q[t], q[t + 1], slack, work) >= 1.0
        out[t] = whole and work.found[3] == 0
