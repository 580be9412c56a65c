"""How far a joint may bend before the skin of its part penetrates that of the parent part.

The shapes of parent and child are not tested for collision, because they overlap at their joint in
every pose. A fold limit bounds the bend instead: the angle between the bone and its direction at
rest, independent of twist. The bound depends on the direction of the bend.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.skeleton import quaternions
from writhe.skeleton.joint import Limits

DIRECTIONS = 360  # of the bends in a limit, one degree each
_HINGE_DEG = 20  # directions this near to that of a hinge get its bound


@dataclass(frozen=True, slots=True)
class FoldLimit:
    """The largest bend of one joint in each direction.

    In the frame F (quaternion in the joint's frame, x along the bone at rest) a bend by the angle b
    in the direction d is the rotation exp(b (0, cos d, sin d)); `bend_rad` (DIRECTIONS,) is the
    largest b for d = 0, 1, 2, ... degrees. Joint limits (`kernels.skeleton.joint_limits`) call
    these two coordinates swing.
    """

    joint: str
    frame: Floats
    bend_rad: Floats

    def __post_init__(self) -> None:
        check_fields(self)
        frame = floats(self.frame, (4,), f"the frame of the fold limit of {self.joint!r}")
        bends = floats(self.bend_rad, (DIRECTIONS,), f"the fold limit of {self.joint!r}")
        if not (bends > 0).all() or bends.max() > np.pi + 1e-9:
            raise WritheError(f"the fold limit of {self.joint!r} must be between 0 and half a turn")
        size = float(np.linalg.norm(frame))
        if size < 1e-9:
            raise WritheError(f"the frame of the fold limit of {self.joint!r} is zero")
        object.__setattr__(self, "frame", frame / size)
        object.__setattr__(self, "bend_rad", bends)

    @classmethod
    def of_skin(
        cls, joint: str, frame: Floats, skin_rad: Floats, limits: Limits | None = None
    ) -> FoldLimit:
        """From the skin's largest bends skin_rad (k,) at k even directions and the joint's limits.

        Within the range of motion real flesh yields, which skinning does not show, so a bend that
        the joint's limits permit is never a fold.
        """
        count = len(skin_rad)
        at = np.arange(DIRECTIONS) * count / DIRECTIONS
        bends = np.interp(at, np.arange(count + 1), np.append(skin_rad, skin_rad[0]))
        if limits is not None:
            bends = np.maximum(bends, _range(limits))
        return cls(joint, frame, np.minimum(bends, np.pi))

    def bends(self, turns: Floats) -> tuple[Floats, Floats]:
        """Bends (k,) and their directions (k,) of rotations (k, 4) of the joint, radians."""
        bone = quaternions.rotate(np.tile(self.frame, (len(turns), 1)), np.array([1.0, 0.0, 0.0]))
        back = quaternions.conjugate(self.frame)
        x, y, z = quaternions.rotate(back, quaternions.rotate(turns, bone)).T
        # a bend about (0, cos d, sin d) turns the bone towards (0, sin d, -cos d)
        return np.arctan2(np.hypot(y, z), x), np.arctan2(y, -z)

    def largest(self, direction: Floats) -> Floats:
        """(k,) the largest bends in directions (k,), linear between those of the table."""
        table = np.append(self.bend_rad, self.bend_rad[0])
        return np.interp(np.degrees(direction) % DIRECTIONS, np.arange(DIRECTIONS + 1), table)

    def on(self, joint: str, turn: Floats | None = None) -> FoldLimit:
        """The same limit for another joint, whose frame is rotated by the quaternion `turn`."""
        frame = self.frame if turn is None else quaternions.multiply(turn, self.frame)
        return replace(self, joint=joint, frame=frame)


def _range(limits: Limits) -> Floats:
    """(DIRECTIONS,) the largest bend within joint limits in each direction."""
    degrees = np.arange(DIRECTIONS)
    if len(limits.upper) == 1:  # a hinge, about the y axis of the frame
        off = np.minimum(degrees, DIRECTIONS - degrees)
        forward = np.where(off <= _HINGE_DEG, max(0.0, float(limits.upper[0])), 0.0)
        return np.where(180 - off <= _HINGE_DEG, max(0.0, -float(limits.lower[0])), forward)
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    y = np.where(c >= 0, float(limits.upper[1]), -float(limits.lower[1]))
    z = np.where(s >= 0, float(limits.upper[2]), -float(limits.lower[2]))
    return 1.0 / np.hypot(c / y, s / z)
