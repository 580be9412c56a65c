"""The blend of keys, led through a pose that leans forward wherever the body sits down or rises."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from writhe.animation.body.arm_order import first_arm
from writhe.animation.body.balance import Balance
from writhe.animation.body.body_model import BodyModel
from writhe.animation.body.touch_pose import (
    FOLDS_AT,
    RISES_AT,
    SITS_AT,
    UNFOLDS_AT,
    touch_pose,
)
from writhe.animation.key_interpolation import KeyBlend, ease_progress, limited_slope
from writhe.arrays import Floats

# (pose (nq), time) -> the pose that keeps pins, limits and contacts
SolvePose = Callable[[Floats, float], Floats]


class SeatBlend:
    """A blend of keys with a touch pose (`body.touch_pose`) in each span that needs one."""

    def __init__(
        self, body: BodyModel, blend: KeyBlend, keys: Floats, balance: Balance, solve: SolvePose
    ) -> None:
        """Keys (k, nq) are those of the blend in the world; touch poses are added to `balance`."""
        self.blend, self._eased = blend, dict[tuple[float, float], str]()
        times, rows, ease = list(blend.times_s), list(blend.q), list(blend.ease)
        for i in reversed(range(len(keys) - 1)):
            sits = balance.sits_down(i)
            if sits is None or blend.ease[i] == "hold":
                continue
            stand, seat = (i, i + 1) if sits else (i + 1, i)
            share = SITS_AT if sits else 1.0 - RISES_AT
            touch = touch_pose(body, keys[stand], keys[seat], balance.on_feet(seat), share)
            if touch is None:
                continue
            start, end = (float(t) for t in blend.times_s[i : i + 2])
            at = SITS_AT if sits else RISES_AT
            crossing = first_arm(body, touch, keys[seat])
            if crossing is not None:
                at = FOLDS_AT if sits else UNFOLDS_AT
            poses = [(at, touch)]
            if crossing is not None:
                poses.append((0.5 * (at + (1.0 if sits else 0.0)), crossing))
            poses.sort(key=lambda one: one[0], reverse=True)
            for added, (at, pose) in enumerate(poses):
                time_s = start + at * (end - start)
                solved = solve(pose, time_s)
                seated = i + 1 + added if sits else i
                balance.insert(i + 1, solved, time_s, same_as=seated, touches=pose is touch)
                times.insert(i + 1, time_s)
                rows.insert(i + 1, np.ascontiguousarray(solved[body.world.actor_q]))
            if ease[i] != "smooth":
                self._eased[start, end] = ease[i]
            ease[i : i + 1] = ["smooth"] * (len(poses) + 1)
        if len(times) > len(blend.times_s):
            self.blend = KeyBlend(blend.skeleton, np.array(times), np.array(rows), ease)
            self._keep_slopes(blend)

    def _keep_slopes(self, given: KeyBlend) -> None:
        """At the ends, continue the motion before and after as the given blend does."""
        blend = self.blend
        for end in (0, -1):
            blend.slopes[end] = limited_slope(given.slopes[end], blend.rates[end])

    def eased(self, times_s: Floats) -> Floats:
        """(F,) the times at which the blend is sampled for frames at times (F,)."""
        out = times_s.copy()
        for (start, end), ease in self._eased.items():
            here = (times_s >= start) & (times_s < end)
            u = (times_s[here] - start) / (end - start)
            out[here] = start + ease_progress(ease, u) * (end - start)
        return out
