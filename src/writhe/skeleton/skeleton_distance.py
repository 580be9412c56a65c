"""Distance of bodies along a skeleton, counted in joints that carry shapes."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Ints


def path_to_root(parent: Ints, joint: int) -> list[int]:
    """The joints from `joint` up to its root, itself first."""
    found = [joint]
    while parent[found[-1]] >= 0:
        found.append(int(parent[found[-1]]))
    return found


def body_steps(parent: Ints, joint: Ints) -> Ints:
    """(b, b): steps between the bodies' joints (b,), 1 for parent and child, -1 if not connected.

    A joint without shapes counts as one with its nearest ancestor that carries shapes; all joints
    above the uppermost shapes of a tree count as one. Bodies on the same joint count as parent and
    child, since they never move relative to each other.
    """
    carrying = {int(j) for j in joint}

    def climb(start: int) -> dict[int, int]:
        """Distances from `start` to the shape-carrying joints above it and to the root."""
        path = path_to_root(parent, start)
        found = {j: i for i, j in enumerate(j for j in path if j in carrying)}
        found.setdefault(path[-1], len(found))
        return found

    above = [climb(int(j)) for j in joint]
    steps = np.full((len(joint), len(joint)), -1, dtype=np.int64)
    for a, over_a in enumerate(above):
        for b, over_b in enumerate(above):
            common = over_a.keys() & over_b.keys()
            if common:
                steps[a, b] = max(1, min(over_a[j] + over_b[j] for j in common))
    return steps
