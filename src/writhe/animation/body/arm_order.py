"""Which arm moves first between two poses, such that the arms do not pass through each other."""

from __future__ import annotations

import numpy as np

from writhe.animation.body.body_model import BodyModel
from writhe.arrays import Floats
from writhe.easing import smoothstep
from writhe.skeleton import forward
from writhe.skeleton.configuration_paths import path_rows
from writhe.skeleton.limbs import SIDES

_SAMPLES = 10  # poses in which a path is compared
# how far the one and the other arm are when half of the time has passed, tried in this order
_ORDERS = ((0.75, 0.25), (0.9, 0.1), (1.0, 0.0))
_TOUCHES_M = 0.004  # overlaps up to this are corrected frame by frame


def first_arm(body: BodyModel, start: Floats, end: Floats) -> Floats | None:
    """The pose (nq) between two in which one arm has arrived and the other has not left yet.

    None if both arms can move at once, or if neither order is better.
    """
    best, least = None, _depth(body, np.array([start, end]))
    for ahead, behind in _ORDERS:
        if least < _TOUCHES_M:
            break
        for shares in ((ahead, behind), (behind, ahead)):
            middle = _middle(body, start, end, dict(zip(SIDES, shares, strict=True)))
            depth = _depth(body, np.array([start, middle, end]))
            if depth < least:
                best, least = middle, depth
    return best


def _middle(body: BodyModel, start: Floats, end: Floats, shares: dict[str, float]) -> Floats:
    """The pose halfway between two, with the arms at shares of their ways."""
    rows = np.array([0.5, *shares.values()])
    out, *arms = path_rows(body.world.skeleton, np.array([start, end]), rows)
    for side, arm in zip(shares, arms, strict=True):
        at = arm_q(body, side)
        if at is not None:
            out[at] = arm[at]
    return out


def arm_q(body: BodyModel, side: str) -> slice | None:
    """The coordinates in q of an arm with its shoulder girdle."""
    world = body.world
    first = world.joint(f"{side}_clavicle") or world.joint(f"{side}_shoulder")
    return None if first is None else body.subtree_q(first)


def _depth(body: BodyModel, path: Floats) -> float:
    """The deepest overlap along a path (n, nq), m, beyond those of its ends."""
    at = smoothstep(np.linspace(0.0, 1.0, _SAMPLES)) * (len(path) - 1)
    frames = forward(body.world.skeleton, path_rows(body.world.skeleton, path, at))
    depths = np.zeros(_SAMPLES)
    for f in range(_SAMPLES):
        body.near.find(frames.positions[f], frames.rotations[f], 0.0)
        depths[f] = -body.near.clearance.min(initial=0.0)
    return float(depths.max() - max(depths[0], depths[-1]))
