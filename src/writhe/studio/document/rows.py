"""What a document holds, row by row."""

from __future__ import annotations

from enum import StrEnum

import msgspec
import numpy as np

from writhe.arrays import Floats

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class TrackKind(StrEnum):
    """What the keys of a track hold."""

    POSE = "pose"  # keys: configurations
    CLIP = "clip"  # no keys; data: sampled configurations, the ground that pose keys are laid over
    TANGLE = "tangle"  # keys: linking values wanted of strand pairs
    PATH = "path"  # keys: positions of a joint or an object


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
    """A typed track of one actor. Clips start at `start_s` and hold `data` at `fps`."""

    id: int
    actor: int
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


class Thing(msgspec.Struct, frozen=True):
    """An object of the scene; `kind` says what `data` holds."""

    id: int
    name: str
    kind: str
    data: bytes


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
