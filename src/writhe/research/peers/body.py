"""The character as given to every peer: joints, capsules, pairs. NumPy only.

A configuration q is the root's displacement (3) and quaternion (4, wxyz), then for each further
joint, in order, a quaternion (ball) or an angle (hinge). Joint frames are aligned with the world at
rest: a joint's frame in its parent's (the root's: in the world) is its offset followed by its
motion.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

FREE, BALL, HINGE = "free", "ball", "hinge"
FAR_AWAY = np.array([0.0, -100.0, 0.0])


@dataclass(frozen=True)
class PeerJoint:
    """A joint; `axis` and `lower`, `upper` (radians) are those of a hinge."""

    name: str
    parent: int
    kind: str
    offset: tuple[float, float, float]
    axis: tuple[float, float, float]
    lower: float
    upper: float


@dataclass(frozen=True)
class PeerCapsule:
    """A capsule in a joint's frame; metres."""

    joint: int
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius: float


@dataclass(frozen=True)
class PeerPair:
    """Two tested capsules, their allowed overlap, and their gap in the rest pose (metres)."""

    a: int
    b: int
    allowance: float
    rest_gap: float


@dataclass(frozen=True)
class PeerBody:
    """The character as given to a peer.

    One ball can be moved from outside; it is at `FAR_AWAY` until a task moves it.
    """

    joints: tuple[PeerJoint, ...]
    capsules: tuple[PeerCapsule, ...]
    pairs: tuple[PeerPair, ...]
    ball_radius: float = 0.1

    @property
    def names(self) -> list[str]:
        """Joint names, in the order of all arrays."""
        return [joint.name for joint in self.joints]

    def q_slices(self) -> list[slice]:
        """The slice of q of each joint."""
        sizes = [{FREE: 7, BALL: 4, HINGE: 1}[joint.kind] for joint in self.joints]
        ends = np.cumsum(sizes)
        return [slice(int(e - s), int(e)) for s, e in zip(sizes, ends, strict=True)]

    def local_rotations(self, q: np.ndarray) -> np.ndarray:
        """(..., joints, 4) local quaternions (wxyz) of configurations (..., n)."""
        out = np.zeros((*q.shape[:-1], len(self.joints), 4))
        for j, (joint, where) in enumerate(zip(self.joints, self.q_slices(), strict=True)):
            if joint.kind == HINGE:
                half = 0.5 * q[..., where]
                out[..., j, 0] = np.cos(half[..., 0])
                out[..., j, 1:] = np.sin(half) * np.array(joint.axis)
            else:
                out[..., j, :] = q[..., where][..., -4:]
        return out

    def configuration(self, root: np.ndarray, rotations: np.ndarray) -> np.ndarray:
        """q from the root's displacement (3,) and local quaternions (joints, 4)."""
        out: list[np.ndarray] = []
        for joint, w in zip(self.joints, rotations, strict=True):
            if joint.kind == FREE:
                out += [root, w]
            elif joint.kind == BALL:
                out.append(w)
            else:
                out.append(np.array([2.0 * np.arctan2(w[1:] @ np.array(joint.axis), w[0])]))
        return np.concatenate(out)

    @property
    def clear_pairs(self) -> tuple[PeerPair, ...]:
        """The pairs that are apart in the rest pose, for peers with one margin for all pairs.

        The others overlap by construction, around the joints.
        """
        return tuple(pair for pair in self.pairs if pair.rest_gap > 0.002)

    def save(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(
            json.dumps(
                {
                    "joints": [joint.__dict__ for joint in self.joints],
                    "capsules": [capsule.__dict__ for capsule in self.capsules],
                    "pairs": [pair.__dict__ for pair in self.pairs],
                    "ball_radius": self.ball_radius,
                }
            ),
            encoding="utf-8",
        )

    @classmethod
    def load(cls, path: Path) -> PeerBody:
        """Read what `save` wrote."""
        data = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            tuple(PeerJoint(**_tuples(row)) for row in data["joints"]),
            tuple(PeerCapsule(**_tuples(row)) for row in data["capsules"]),
            tuple(PeerPair(**row) for row in data["pairs"]),
            data["ball_radius"],
        )


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: tuple(cast("list[Any]", value)) if isinstance(value, list) else value
        for key, value in row.items()
    }
