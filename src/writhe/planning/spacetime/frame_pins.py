"""Points that are held during a range of frames: in the world, or sliding along another part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Floats, Vector3
from writhe.easing import smoothstep
from writhe.errors import WritheError
from writhe.skeleton import Frames, Skeleton, forward
from writhe.solvers.posing import Pin


@dataclass(frozen=True)
class FramePin:
    """A pin that is active from frame `first` to frame `last`, both included."""

    pin: Pin
    first: int
    last: int

    @property
    def joint(self) -> str:
        """The joint that is held."""
        return self.pin.joint

    @property
    def point_in_joint(self) -> Vector3:
        """The point of the joint that is held."""
        return self.pin.point_in_joint

    @property
    def on(self) -> str | None:
        """The joint in whose frame the point is held; None for the world."""
        return None

    def places(self) -> Floats:
        """(last - first + 1, 3) where the point is held, in the world."""
        return np.tile(np.array(self.pin.position_in_world), (self.last - self.first + 1, 1))


@dataclass(frozen=True)
class FrameSlide:
    """A point of a joint that slides straight along another part: a hand down a thigh.

    From frame `first` to frame `last` it moves from `start_in_other` to `end_in_other`, positions
    in the frame of the joint `on`, eased at both ends.
    """

    joint: str
    on: str
    first: int
    last: int
    start_in_other: Vector3
    end_in_other: Vector3
    point_in_joint: Vector3 = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.joint == self.on:
            raise WritheError(f"{self.joint!r} cannot slide along itself")

    @classmethod
    def along_contact(
        cls, skeleton: Skeleton, q: Floats, joint: str, on: str, first: int, last: int
    ) -> FrameSlide:
        """The slide from where the joint is on the other part at `first` to where it is at `last`.

        q: (frames, nq) the motion before refinement.
        """
        ends: list[Vector3] = []
        for frame in (first, last):
            frames = forward(skeleton, q[frame])
            local = frames.rotation(on).T @ (frames.position(joint) - frames.position(on))
            ends.append((float(local[0]), float(local[1]), float(local[2])))
        return cls(joint, on, first, last, ends[0], ends[1])

    def places(self) -> Floats:
        """(last - first + 1, 3) where the point is held, in the frame of the other joint."""
        count = self.last - self.first + 1
        u = np.linspace(0.0, 1.0, count) if count > 1 else np.zeros(1)
        eased = smoothstep(u)[:, None]
        return (1.0 - eased) * np.array(self.start_in_other) + eased * np.array(self.end_in_other)


Held = FramePin | FrameSlide


def held_points(held: Held, frames: Frames) -> tuple[Floats, Floats]:
    """(T, 3) the held point and (T, 3) where it should be, in the world, in the frames it is held.

    frames: those of the whole motion.
    """
    at = slice(held.first, held.last + 1)
    points = frames.point(held.joint, held.point_in_joint)[at]
    places = held.places()
    if held.on is not None:
        turn, origin = frames.rotation(held.on)[at], frames.position(held.on)[at]
        places = origin + np.einsum("tij,tj->ti", turn, places)
    return points, places
