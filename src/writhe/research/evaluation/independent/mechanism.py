"""A figure or scene as plain data: joints, solids on them, and the pairs to test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from writhe.research.evaluation.independent.rotations import matrices

SEGMENT, HULL, HALF_SPACE = "segment", "hull", "half-space"


@dataclass(frozen=True)
class RigidShape:
    """A core inflated by a radius, on a joint.

    points (k, 3) in the joint's frame: the ends of a segment, the corners of a hull, or a point of
    a half-space's surface and that point moved by the outward unit normal.
    """

    joint: int
    kind: str
    points: np.ndarray
    radius: float
    part: str = ""


@dataclass(frozen=True)
class Mechanism:
    """Joints in an order with parents first; a joint's frame in its parent's is offset and rest.

    pairs (k, 2) are indices of solids; allowance (k,) is the overlap each pair may have, m.
    """

    names: tuple[str, ...]
    parent: tuple[int, ...]
    offset: np.ndarray  # (n, 3)
    rest: np.ndarray  # (n, 4) wxyz
    solids: tuple[RigidShape, ...]
    pairs: np.ndarray
    allowance: np.ndarray

    def place(self, shift: np.ndarray, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """World positions (t, n, 3) and rotations (t, n, 3, 3) of the joints.

        shift (t, n, 3) and turn (t, n, 3, 3): the motion of each joint in its rest frame.
        """
        rest = matrices(self.rest)
        positions = self.offset + np.einsum("nij,tnj->tni", rest, shift)
        rotations = np.einsum("nij,tnjk->tnik", rest, turn)
        for joints, parents in self._generations[1:]:
            above = rotations[:, parents]
            at = np.einsum("tnij,tnj->tni", above, positions[:, joints])
            positions[:, joints] = positions[:, parents] + at
            rotations[:, joints] = np.einsum("tnij,tnjk->tnik", above, rotations[:, joints])
        return positions, rotations

    @cached_property
    def _generations(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Joints that are equally far from their root, and their parents; roots first."""
        depth: list[int] = []
        for parent in self.parent:
            depth.append(0 if parent < 0 else depth[parent] + 1)
        at, parents = np.array(depth, int), np.array(self.parent, int)
        joints = [np.flatnonzero(at == d) for d in range(max(depth, default=0) + 1)]
        return [(each, parents[each]) for each in joints]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "names": list(self.names),
            "parent": list(self.parent),
            "offset": self.offset.tolist(),
            "rest": self.rest.tolist(),
            "solids": [[s.joint, s.kind, s.points.tolist(), s.radius, s.part] for s in self.solids],
            "pairs": self.pairs.tolist(),
            "allowance": self.allowance.tolist(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Mechanism:
        """Read what `as_dict` gave."""
        return cls(
            tuple(data["names"]),
            tuple(data["parent"]),
            np.array(data["offset"], float).reshape(-1, 3),
            np.array(data["rest"], float).reshape(-1, 4),
            tuple(
                RigidShape(j, kind, np.array(p), r, part) for j, kind, p, r, part in data["solids"]
            ),
            np.array(data["pairs"], int).reshape(-1, 2),
            np.array(data["allowance"], float),
        )
