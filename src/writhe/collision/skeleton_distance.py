"""How near two bodies are on a skeleton, counted in joints that carry shapes."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Ints


def chain(parent: Ints, joint: int) -> list[int]:
    """The joints from `joint` up to its root, itself first."""
    found = [joint]
    while parent[found[-1]] >= 0:
        found.append(int(parent[found[-1]]))
    return found


def body_steps(parent: Ints, joint: Ints) -> Ints:
    """(b, b): steps between bodies on the joints given, 1 for parent and child; -1: no connection.

    A joint without shapes is one with its nearest ancestor that carries one; all joints above the
    uppermost shapes of a tree count as one. Bodies on one joint never move against each other and
    count as parent and child.
    """
    carrying = {int(j) for j in joint}

    def climb(start: int) -> dict[int, int]:
        """Shape-carrying joints above `start`, or a root without shapes, with their distance."""
        ways = chain(parent, start)
        found = {j: i for i, j in enumerate(j for j in ways if j in carrying)}
        found.setdefault(ways[-1], len(found))
        return found

    above = [climb(int(j)) for j in joint]
    steps = np.full((len(joint), len(joint)), -1, dtype=np.int64)
    for a, over_a in enumerate(above):
        for b, over_b in enumerate(above):
            common = over_a.keys() & over_b.keys()
            if common:
                steps[a, b] = max(1, min(over_a[j] + over_b[j] for j in common))
    return steps
