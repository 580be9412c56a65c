"""Row types of a document's tables."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec
import numpy as np

from writhe.arrays import Floats, Quaternion, Vector3

SAME_TIME_S = 1e-4  # keys nearer in time than this count as simultaneous


class TrackKind(StrEnum):
    """What the keys of a track hold."""

    POSE = "pose"  # keys: configurations
    CLIP = "clip"  # no keys; data: sampled configurations; pose keys are offsets from it
    SAMPLED = "way"  # no keys; data: sampled configurations from one pose key to a later one
    TANGLE = "tangle"  # keys: target tangles of pairs of strands
    PATH = "path"  # keys: a drawn path that a limb follows from this time
    PLACEMENT = "place"  # keys: position and quaternion of an object


class PinRow(msgspec.Struct, frozen=True):
    """A joint held in position, and in orientation where one is given.

    It is active from `start_s` to `end_s`; None means from the start, or to the end, of the
    timeline.
    """

    joint: str
    position_in_world: Vector3
    orientation_in_world: Quaternion | None = None
    start_s: float | None = None
    end_s: float | None = None

    def holds(self, time_s: float) -> bool:
        """Whether the pin is active at a time."""
        after = self.start_s is None or time_s >= self.start_s - SAME_TIME_S
        return after and (self.end_s is None or time_s <= self.end_s + SAME_TIME_S)


class ActorRow(msgspec.Struct, frozen=True):
    """A character of the document with its pose (used where it has no keys) and its pins."""

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


class TrackRow(msgspec.Struct, frozen=True):
    """A typed track of one actor or object (the other id is 0; the column is named `thing`).

    Clips and sampled tracks start at `start_s` and hold `data` at `fps`.
    """

    id: int
    actor: int
    object: int = msgspec.field(name="thing")
    kind: TrackKind
    name: str
    start_s: float
    fps: float
    data: bytes


class KeyRow(msgspec.Struct, frozen=True):
    """A key of a track. `ease`, to the next key, as `writhe.easing.read_ease` returns it."""

    id: int
    track: int
    time_s: float
    data: bytes
    ease: str = "smooth"


class ShapeRow(msgspec.Struct, frozen=True):
    """A shape in its object's frame: a capsule (two points) or a convex hull, with a radius."""

    core: Literal["capsule", "hull"]
    points: tuple[Vector3, ...]
    radius_m: float


class ObjectData(msgspec.Struct, frozen=True):
    """Placement and size of an object; shapes and strands of one from a file.

    `size` holds the full extents in metres of a box, ball, capsule or cylinder along x, y, z (the
    latter two are upright along y). It is not used for built-in objects and those from files.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    size: Vector3 = (1.0, 1.0, 1.0)
    shapes: tuple[ShapeRow, ...] = ()
    strands: tuple[tuple[str, tuple[Vector3, ...]], ...] = ()
    mass_kg: float | None = None  # None: by volume


class ObjectRow(msgspec.Struct, frozen=True):
    """An object of the scene: box, ball, capsule, cylinder, a built-in one, or "own"."""

    id: int
    name: str
    kind: str
    data: ObjectData


class SavedPoseRow(msgspec.Struct, frozen=True):
    """A saved pose with a PNG picture."""

    id: int
    name: str
    figure: str
    q: bytes
    picture: bytes = b""


def pack(values: Floats) -> bytes:
    """The bytes of an array as little-endian float64."""
    return np.ascontiguousarray(values, dtype="<f8").tobytes()


def unpack(data: bytes) -> Floats:
    """The flat array from the bytes that `pack` returned."""
    return np.frombuffer(data, dtype="<f8").astype(np.float64)
