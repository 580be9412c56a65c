"""What the server sends."""

from __future__ import annotations

from typing import Literal

import msgspec

from writhe.arrays import Quaternion, Vector3
from writhe.studio.protocol.base import Message, Part


class Choice(Part, frozen=True):
    """Something to choose, with a title and a plain sentence about it."""

    name: str
    title: str
    about: str


class Welcome(Message, frozen=True, tag="welcome"):
    """The answer to Open: what there is to choose from."""

    protocol: int
    version: str
    methods: list[Choice]
    figures: list[Choice]
    scenes: list[Choice]
    import_suffixes: list[str]
    export_suffixes: list[str]


class JointShape(Part, frozen=True):
    """A joint as the page needs it to place its bone."""

    name: str
    parent: int
    kind: int
    offset: Vector3
    rest: Quaternion
    axis: Vector3
    q_start: int


class CapsuleShape(Part, frozen=True):
    """A capsule of the body."""

    joint: int
    start: Vector3
    end: Vector3
    radius: float
    part: str


class FigureShape(Message, frozen=True, tag="figure"):
    """A body: joints, capsules and, where there is one, the skin.

    skin arrays: vertices float32 (v, 3), triangles uint32 (t, 3), skin_joints uint16 (v, 4),
    skin_weights float32 (v, 4), all empty without a skin.
    """

    figure: str
    joints: list[JointShape]
    capsules: list[CapsuleShape]
    strands: list[str]
    height: float
    vertices: bytes
    triangles: bytes
    skin_joints: bytes
    skin_weights: bytes


class PinState(Part, frozen=True):
    """A pinned joint and where it is held."""

    joint: int
    position: Vector3
    both: bool


class WayState(Part, frozen=True):
    """Sampled motion between two pose keys: planned, wound or pushed clear."""

    id: int
    name: str
    start_s: float
    end_s: float


class ActorState(Part, frozen=True):
    """An actor as the document has it; `q` is its pose at the playhead."""

    id: int
    name: str
    figure: str
    method: str
    q: bytes
    pins: list[PinState]
    animated: bool
    clip: str
    ways: list[WayState]


class KeyState(Part, frozen=True):
    """A key on the timeline, of an actor or of an object (the other one is 0)."""

    id: int
    actor: int
    thing: int
    kind: str
    time_s: float
    ease: str


class Solid(Part, frozen=True):
    """A shape in its object's frame: a capsule (two points) or a hull, inflated by a radius."""

    kind: str
    points: list[Vector3]
    radius: float


class PlaceKey(Part, frozen=True):
    """Where an object is at a time."""

    id: int
    time_s: float
    position: Vector3
    rotation: Quaternion


class ThingState(Part, frozen=True):
    """An object of the scene; between its keys it goes straight and turns evenly."""

    id: int
    name: str
    kind: str
    position: Vector3
    rotation: Quaternion
    size: Vector3
    resizable: bool
    solids: list[Solid]
    keys: list[PlaceKey]


class State(Message, frozen=True, tag="state"):
    """The whole document apart from motion; `request` acknowledges that command.

    `features` holds what each feature says of itself, by its name.
    """

    request: str
    name: str
    actors: list[ActorState]
    keys: list[KeyState]
    things: list[ThingState]
    contacts: list[str]
    duration_s: float
    fps: float
    undo: str
    redo: str
    features: dict[str, Part]


class MotionData(Message, frozen=True, tag="motion"):
    """An actor's timeline sampled at the document's rate; frames 0 where it has none.

    `linking`: float32 (frames, pairs), the strands' linking over time; empty where not measured.
    """

    actor: int
    fps: float
    frames: int
    q: bytes
    linking: bytes


class Posed(Part, frozen=True):
    """A pose and how it came about."""

    q: bytes
    milliseconds: float
    status: str
    touching: list[str]
    pass_throughs: int
    clearance_m: float | None = None
    linking: list[float] | None = None
    note: str = ""


class Answer(Message, frozen=True, tag="answer"):
    """The answer to a Drag; `settled` says that asking again would change nothing."""

    sequence: int
    actor: int
    settled: bool
    pose: Posed
    duel: Posed | None = None
    features: dict[str, Part] = msgspec.field(default_factory=dict[str, Part])


class JobState(Message, frozen=True, tag="job"):
    """How far something long has come; `done` from 0 to 1. What is quiet needs no bar."""

    job: str
    title: str
    quiet: bool
    done: float
    text: str
    status: Literal["running", "done", "cancelled", "failed"]


class Problem(Message, frozen=True, tag="problem"):
    """Something could not be done; the page shows the text and the rest goes on."""

    request: str
    text: str
