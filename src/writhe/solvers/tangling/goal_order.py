"""Search for the order in which to reach several goals: all orders are solved and ranked.

Ho and Komura (2009) leave the order to the user and name it as future work.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from writhe.arrays import Floats
from writhe.collision import CollisionTable, NearPairs
from writhe.skeleton import forward
from writhe.skeleton.configuration_paths import path_length
from writhe.solvers.tangling.keyframes import TangleKeyframe, TangleMotion, TangleSetup, animate

MAX_ORDERS = 24
_NEAR_M = 0.05
_CLEARANCE_VALUE = 20.0  # path length in radians that a metre of clearance is worth


@dataclass(frozen=True)
class OrderTrial:
    """One order of a key's goals, and the motion found with it."""

    order: tuple[int, ...]
    names: tuple[str, ...]
    motion: TangleMotion
    length_rad: float
    clearance_m: float

    @property
    def cost(self) -> float:
        """Path length minus the value of the clearance, in radians."""
        return self.length_rad - _CLEARANCE_VALUE * min(self.clearance_m, _NEAR_M)


@dataclass(frozen=True)
class OrderFound:
    """The best order, all that were tried (best first), and an explanation."""

    best: OrderTrial
    tried: tuple[OrderTrial, ...]
    why: str

    def keyframe(self, key: TangleKeyframe) -> TangleKeyframe:
        """The key with its goals in the best order."""
        return replace(key, goals=tuple(key.goals[k] for k in self.best.order), order="given")


def order_automatically(
    setup: TangleSetup,
    q: Floats,
    key: TangleKeyframe,
    *,
    threads: int = 2,
    seed: int = 0,
    max_orders: int = MAX_ORDERS,
    judge: Callable[[TangleMotion], bool] | None = None,
) -> OrderFound:
    """Try orders of a key's goals in parallel: all, or a random sample of `max_orders`.

    Orders that reach every goal, and that `judge` accepts, rank first; then by `OrderTrial.cost`.
    """
    orders = list(itertools.permutations(range(len(key.goals))))
    if len(orders) > max_orders:
        orders = [orders[0], *random.Random(seed).sample(orders[1:], max_orders - 1)]

    def attempt(order: tuple[int, ...]) -> OrderTrial:
        goals = tuple(key.goals[k] for k in order)
        motion = animate(setup, q, [replace(key, goals=goals, order="given")])
        names = tuple(goal.label for goal in goals)
        return OrderTrial(
            order,
            names,
            motion,
            path_length(setup.table.skeleton, motion.path),
            min_clearance(setup.table, motion.path),
        )

    with ThreadPoolExecutor(threads) as pool:
        tried = list(pool.map(attempt, orders))

    def rank(one: OrderTrial) -> tuple[bool, int, float]:
        good = one.motion.reached and (judge is None or judge(one.motion))
        return not good, sum(not r.reached for r in one.motion.results), one.cost

    tried.sort(key=rank)
    return OrderFound(tried[0], tuple(tried), _why(tried))


def min_clearance(table: CollisionTable, path: Floats) -> float:
    """The smallest gap plus allowed overlap at the frames, at most 5 cm."""
    frames, near, lowest = forward(table.skeleton, path), NearPairs(table), _NEAR_M
    for positions, rotations in zip(frames.positions, frames.rotations, strict=True):
        near.find(positions, rotations, _NEAR_M)
        clearance = near.clearance
        lowest = min(lowest, float(clearance.min(initial=_NEAR_M)))
    return lowest


def _why(tried: list[OrderTrial]) -> str:
    best = tried[0]
    words = " → ".join(best.names)
    reached = sum(one.motion.reached for one in tried)
    text = (
        f"{words}: path of {best.length_rad:.1f} rad, {1e3 * best.clearance_m:.0f} mm clearance;"
        f" {reached} of {len(tried)} orders reach every tangle"
    )
    others = [one for one in tried[1:] if one.motion.reached]
    if not best.motion.reached:
        return f"{text}; none is complete, this one has the fewest keys not reached"
    if others:
        second = others[0]
        text += (
            f"; the next best, {' → '.join(second.names)}, takes {second.length_rad:.1f} rad with"
            f" {1e3 * second.clearance_m:.0f} mm"
        )
    return text
