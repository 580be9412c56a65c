"""What a document holds, row by row."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec
import numpy as np

from writhe.arrays import Floats, Quaternion, Vector3


class TrackKind(StrEnum):
    """What the keys of a track hold."""

    POSE = "pose"  # keys: configurations
    CLIP = "clip"  # no keys; data: sampled configurations, the ground that pose keys are laid over
    WAY = "way"  # no keys; data: sampled configurations from one pose key to a later one
    TANGLE = "tangle"  # keys: how pairs of strands are to be wound
    PATH = "path"  # keys: a drawn path that a limb follows from there on
    PLACE = "place"  # keys: where an object is, as position and quaternion


class PinRow(msgspec.Struct, frozen=True):
    """A joint held in place; with an orientation, held in both."""

    joint: str
    position_in_world: Vector3
    orientation_in_world: Quaternion | None = None


class Actor(msgspec.Struct, frozen=True):
    """A character in the document, with the pose it stands in and its pins."""

    id: int
    name: str
    figure: str
    method: str
    q: bytes
    pins: tuple[PinRow, ...] = ()

    @property
    def configuration(self) -> Floats:
        """The pose as an array."""
        return unpack(self.q)


class Track(msgspec.Struct, frozen=True):
    """A typed track of one actor or object (the other number is 0).

    Clips and ways start at `start_s` and hold `data` at `fps`.
    """

    id: int
    actor: int
    thing: int
    kind: TrackKind
    name: str
    start_s: float = 0.0
    fps: float = 30.0
    data: bytes = b""


class Key(msgspec.Struct, frozen=True):
    """A key of a track. `ease` says how the motion goes on from it: smooth, linear or hold."""

    id: int
    track: int
    time_s: float
    data: bytes
    ease: str = "smooth"


class ShapeRow(msgspec.Struct, frozen=True):
    """A solid shape in its object's frame: a capsule (two points) or a hull, with a radius."""

    core: Literal["capsule", "hull"]
    points: tuple[Vector3, ...]
    radius_m: float


class Body(msgspec.Struct, frozen=True):
    """Where an object stands, how large it is, and what an object from a file is made of.

    `size` holds the whole widths of a box, ball, capsule or cylinder along x, y, z (the latter two
    stand upright); built-in objects and those from files have the size they come with.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    size: Vector3 = (1.0, 1.0, 1.0)
    shapes: tuple[ShapeRow, ...] = ()
    strands: tuple[tuple[str, tuple[Vector3, ...]], ...] = ()


class Thing(msgspec.Struct, frozen=True):
    """An object of the scene: box, ball, capsule, cylinder, a built-in one, or "own"."""

    id: int
    name: str
    kind: str
    body: Body


class SavedPose(msgspec.Struct, frozen=True):
    """A pose kept for later, with a PNG of it."""

    id: int
    name: str
    figure: str
    q: bytes
    picture: bytes = b""


def pack(values: Floats) -> bytes:
    """An array as little-endian float64."""
    return np.ascontiguousarray(values, dtype="<f8").tobytes()


def unpack(data: bytes) -> Floats:
    """The array that `pack` made."""
    return np.frombuffer(data, dtype="<f8").astype(np.float64)
