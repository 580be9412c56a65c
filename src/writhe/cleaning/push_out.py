"""Every frame of a clip pushed clear, with corrections that swell and fade over time.

Two sweeps of block Gauss-Seidel over the frames that penetrate and those around them: each frame is
solved for itself (`solvers.tracking`) and drawn towards the corrections of its neighbours, first
forwards, then backwards. Frames farther off stay exactly as they were. A frame that is moved far
looks for a nearer side of what it is pushed out of: on its own going forwards, the side of the
frame after it going backwards.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.ndimage import maximum_filter1d

from writhe.arrays import Bools, Floats
from writhe.collision.gate import SLACK_M
from writhe.skeleton import forward
from writhe.skeleton.kinematics import difference, integrate
from writhe.solvers.tracking import PostureTracker

_JUMP_M = 0.06  # corrections farther apart are on two sides of something: neither draws the other
_FAR_M = 0.07  # a frame moved farther than this, on average, may be on the wrong side
_NEARER = 0.5  # another side must be nearer than this share of it


def corrected(
    tracker: PostureTracker, q: Floats, fade_frames: int, tell: Callable[[int], None]
) -> Floats:
    """(frames, nq): q with every frame clear where the tracker could clear it.

    tell: called with the number of frame visits so far, 2 len(q) at the end.
    """
    clearance = np.array([tracker.clearance(row) for row in q])
    bad: Bools = clearance < tracker.options.margin_m
    if not bad.any():
        return q.copy()
    skeleton, count = tracker.figure.skeleton, len(q)
    places = forward(skeleton, q).positions
    active = maximum_filter1d(bad.astype(np.int8), 2 * fade_frames + 1, mode="constant")
    x, out = np.zeros((count + 2, skeleton.dof_count)), q.copy()  # x[i + 1] corrects frame i

    def far(row: Floats, i: int) -> float:
        apart = forward(skeleton, row).positions - places[i]
        return float(np.sqrt(np.einsum("jc,jc->j", apart, apart)).mean())

    def solve(i: int, start: Floats, beside: list[Floats], other: Floats | None) -> None:
        """Correct frame i from `start` on; from the posture `other` on if that stays nearer."""
        near = [n for n in beside if float(np.abs(tracker.metres * (n - x[i + 1])).max()) < _JUMP_M]
        out[i] = tracker.follow(start, q[i], gated=False, beside=near)
        if other is not None and (now := far(out[i], i)) > _FAR_M:
            found = tracker.follow(other, q[i], gated=False)
            if far(found, i) < _NEARER * now and tracker.clearance(found) >= -SLACK_M:
                out[i] = found
        x[i + 1] = difference(skeleton, q[i], out[i])

    for i in range(count):
        tell(i + 1)
        if active[i] and (bad[i] or np.any(x[i])):
            x[i + 1] = x[i] if bad[i] else 0.0
            solve(i, integrate(skeleton, q[i], x[i + 1]), [x[i]], q[i])
    for i in range(count - 1, -1, -1):
        tell(2 * count - i)
        if active[i]:
            apart = float(np.abs(tracker.metres * (x[i + 2] - x[i + 1])).max()) >= _JUMP_M
            other = integrate(skeleton, q[i], x[i + 2]) if apart else None
            solve(i, out[i], [x[i], x[i + 2]], other)
    return out
