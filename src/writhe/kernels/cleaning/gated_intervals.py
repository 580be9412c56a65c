"""Which intervals of a clip are certified: by the gate, or under an interpolation of a file."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.collision.clip_sweep import SweptClip, sweep_clip
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
        out[t] = whole and work.outcome[3] == 0


@kernel
def uncertified_intervals(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    clip: SweptClip,
    slack: float,
    work: GateWorkspace,
    out: Bools,
) -> None:
    """out (frames - 1,): whether an interval of a clip, by itself, is not certified.

    The results of the clip are overwritten.
    """
    last = clip.euler.shape[0] - 1
    for t in range(clip.q.shape[0] - 1):
        clip.clearance[:] = np.inf
        clip.proven[:] = np.inf
        clip.required[:] = -slack
        clip.failed[:] = 0
        clip.undecided[:] = 0
        part = SweptClip(
            clip.q[t : t + 2],
            clip.order,
            clip.euler[min(t, last) : min(t, last) + 2],
            clip.clearance,
            clip.frame,
            clip.proven,
            clip.required,
            clip.failed,
            clip.undecided,
            clip.lower_bound,
        )
        sweep_clip(tree, shapes, bodies, pairs, part, slack, -np.inf, work)
        bad = False
        for k in range(clip.failed.shape[0]):
            bad = bad or clip.failed[k] > 0 or clip.undecided[k] > 0
        out[t] = bad
