"""Push every frame of a clip clear of collisions, with corrections that vary smoothly over time.

Two sweeps of block Gauss-Seidel, forwards and backwards, over the penetrating frames and those
around them: each frame is solved by itself (`solvers.posture_tracking`) with a penalty on the
difference to the corrections of its neighbours. All other frames stay unchanged. A frame with a
large correction is solved again from another start, to find a nearer side: from the source in the
forward sweep, from the correction of the following frame in the backward sweep.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision.certificate_slack import SLACK_M
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import forward
from writhe.solvers.posture_tracking import PostureTracker
from writhe.time_filters import within

_SAME_SIDE_M = 0.06  # corrections that differ by more are on different sides and are not coupled
_FAR_M = 0.07  # mean displacement beyond which a frame may be on the wrong side
# another side is taken if its displacement is less than this fraction of the current one
_NEARER_SHARE = 0.5


def push_frames_clear(
    tracker: PostureTracker, q: Floats, fade_frames: int, report: Callable[[int], None]
) -> Floats:
    """(frames, nq) the clip q with every frame clear where the tracker finds a clear posture.

    report: called with the number of frame visits so far, 2 len(q) at the end.
    """
    clearance = np.array([tracker.clearance(row) for row in q])
    bad: Bools = clearance < tracker.options.margin_m
    if not bad.any():
        return q.copy()
    skeleton, count = tracker.figure.skeleton, len(q)
    positions = forward(skeleton, q).positions
    active = within(bad, fade_frames)
    x, out = np.zeros((count + 2, skeleton.dof_count)), q.copy()  # x[i + 1] corrects frame i
    tree = skeleton.tree
    here, turns = np.empty((len(skeleton), 3)), np.empty((len(skeleton), 3, 3))

    def moved(i: int, step: Floats) -> Floats:
        row = np.empty(q.shape[1])
        kinematics.integrate(tree, q[i], step, row)
        return row

    def far(row: Floats, i: int) -> float:
        kinematics.forward(tree, row, here, turns)
        apart = here - positions[i]
        return float(np.sqrt(np.einsum("jc,jc->j", apart, apart)).mean())

    def solve(i: int, start: Floats, neighbours: list[Floats], other: Floats | None) -> None:
        """Correct frame i from `start`, or from `other` if that ends much nearer to the source."""
        near = [
            n
            for n in neighbours
            if float(np.abs(tracker.metres * (n - x[i + 1])).max()) < _SAME_SIDE_M
        ]
        out[i] = tracker.follow(start, q[i], gated=False, beside=near)
        if other is not None and (now := far(out[i], i)) > _FAR_M:
            found = tracker.follow(other, q[i], gated=False)
            if far(found, i) < _NEARER_SHARE * now and tracker.clearance(found) >= -SLACK_M:
                out[i] = found
        kinematics.difference(tree, q[i], out[i], x[i + 1])

    for i in range(count):
        report(i + 1)
        if active[i] and (bad[i] or np.any(x[i])):
            x[i + 1] = x[i] if bad[i] else 0.0
            solve(i, moved(i, x[i + 1]), [x[i]], q[i])
    for i in range(count - 1, -1, -1):
        report(2 * count - i)
        if active[i]:
            apart = float(np.abs(tracker.metres * (x[i + 2] - x[i + 1])).max()) >= _SAME_SIDE_M
            other = moved(i, x[i + 2]) if apart else None
            solve(i, out[i], [x[i], x[i + 2]], other)
    return out
