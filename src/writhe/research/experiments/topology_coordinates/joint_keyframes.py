"""How many in-between postures joint-angle interpolation needs until it is certified."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, certify
from writhe.skeleton.kinematics import interpolate

_FPS = 30.0
_ROWS = 24


def straight_path(table: CollisionTable, a: Floats, b: Floats) -> Floats:
    """(rows, nq) the interpolation of the joint angles of two configurations."""
    shares = np.linspace(0.0, 1.0, _ROWS)
    return np.array([interpolate(table.skeleton, a, b, float(t)) for t in shares])


def interpolation_certified(table: CollisionTable, a: Floats, b: Floats) -> bool:
    """Whether the interpolation of two configurations is free of penetration."""
    return certify(table, straight_path(table, a, b), _FPS).certified


def keys_between(table: CollisionTable, path: Floats, keys: list[int]) -> int:
    """How many frames of a path must become keys as well, until interpolation is certified.

    A stretch between two keys that is not certified is halved at its middle frame.
    """
    found, waiting = 0, list(pairwise(keys))
    while waiting:
        first, last = waiting.pop()
        if last - first < 2 or interpolation_certified(table, path[first], path[last]):
            continue
        middle = (first + last) // 2
        found += 1
        waiting += [(first, middle), (middle, last)]
    return found
