"""Messages from the server that are not of a feature; those of features are in `features/`."""

from __future__ import annotations

from typing import Literal

import msgspec

from writhe.arrays import Quaternion, Vector3
from writhe.studio.protocol.base import Message, MessagePart


class Choice(MessagePart):
    """A choice with a title and a description."""

    name: str
    title: str
    about: str


class Welcome(Message):
    """The answer to Open: version and available choices."""

    protocol: int
    version: str
    methods: list[Choice]
    figures: list[Choice]
    scenes: list[Choice]
    import_suffixes: list[str]
    export_suffixes: list[str]


class JointShape(MessagePart):
    """A joint of a figure; `kind` is a `JointKind`, `q_start` its first number in q."""

    name: str
    parent: int
    kind: int
    offset: Vector3
    rest: Quaternion
    axis: Vector3
    q_start: int


class CapsuleShape(MessagePart):
    """A capsule in its joint's frame."""

    joint: int
    start: Vector3
    end: Vector3
    radius: float
    part: str


class FigureShape(Message, tag="figure"):
    """A figure: joints, capsules and, if it has one, the skin.

    Skin arrays: vertices float32 (v, 3), triangles uint32 (t, 3), skin_joints uint16 (v, 4),
    skin_weights float32 (v, 4), empty without a skin.

    `model` is the key of the figure's glTF file, empty without one; `nodes` gives the node of each
    joint in it, `units_m` the metres per unit of each node's translation. `facing_rad` is the angle
    about the vertical axis from +Z to where a person faces at rest; 0 for other figures. `vrm`:
    whether the file is a VRM avatar, which can be exported as one.
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
    model: str
    nodes: list[int]
    units_m: list[float]
    facing_rad: float
    vrm: bool = False


class PinState(MessagePart):
    """A pinned joint and its target position; `both` means orientation too.

    It may act from `start_s` to `end_s`; None means from the start, or to the end, of the
    timeline. `acts` are the times at which it does: not between keys that have its joint in
    different places, nor in sampled motion.
    """

    joint: int
    position: Vector3
    both: bool
    start_s: float | None = None
    end_s: float | None = None
    acts: list[tuple[float, float]] = msgspec.field(default_factory=list[tuple[float, float]])


class SampledTrackState(MessagePart):
    """Sampled motion between two pose keys: planned, wound or pushed clear."""

    id: int
    name: str
    start_s: float
    end_s: float


class ActorState(MessagePart):
    """An actor of the document; `q` is its current pose at the playhead."""

    id: int
    name: str
    figure: str
    method: str
    q: bytes
    pins: list[PinState]
    animated: bool
    clip: str
    sampled_tracks: list[SampledTrackState]


class KeyState(MessagePart):
    """A key on the timeline, of an actor or of an object (the other id is 0)."""

    id: int
    actor: int
    object: int
    kind: str
    time_s: float
    ease: str


class Solid(MessagePart):
    """A shape in its object's frame: a capsule (two points) or a convex hull, with a radius."""

    kind: str
    points: list[Vector3]
    radius: float


class PlacementKey(MessagePart):
    """A placement key of an object."""

    id: int
    time_s: float
    position: Vector3
    rotation: Quaternion


class ObjectState(MessagePart):
    """An object of the scene; between keys, positions are linear and rotations slerp."""

    id: int
    name: str
    kind: str
    position: Vector3
    rotation: Quaternion
    size: Vector3
    resizable: bool
    mass_kg: float
    solids: list[Solid]
    keys: list[PlacementKey]


class State(Message):
    """The whole document except motion; `request` acknowledges that command.

    `features` holds the state of each feature by its name. `revision` counts the edits since the
    server opened the document.
    """

    request: str
    revision: int
    name: str
    actors: list[ActorState]
    keys: list[KeyState]
    objects: list[ObjectState]
    contacts: list[str]
    duration_s: float
    fps: float
    undo: str
    redo: str
    features: dict[str, MessagePart]


class MotionData(Message, tag="motion"):
    """Frames of an actor's timeline sampled at the document's rate, from number `first` on.

    `frames` is the length of the whole motion, 0 if the actor has no tracks; `q`: float32 (sent
    frames, nq), which replace those that the page has. `linking`:
    float32 (sent frames, pairs), linking of the strands over time; empty if not measured.
    """

    actor: int
    fps: float
    frames: int
    first: int
    size: int  # nq
    q: bytes
    linking: bytes


class BalanceMark(MessagePart):
    """On the ground (x, z): the centre of mass with what is carried, and the support polygon."""

    centre: tuple[float, float]
    support: list[tuple[float, float]]


class PoseReport(MessagePart):
    """A pose with the solver's status and diagnostics."""

    q: bytes
    milliseconds: float
    status: str
    touching: list[str]  # parts that overlap more than allowed
    pass_throughs: int
    clearance_m: float | None = None
    linking: list[float] | None = None
    note: str = ""
    balance: BalanceMark | None = None


class ActorPose(MessagePart):
    """An actor and its configuration `q`, float32."""

    actor: int
    q: bytes


class DragResult(Message):
    """The result of a Drag; `settled` means that repeating it would not change the pose."""

    sequence: int
    actor: int
    settled: bool
    pose: PoseReport
    comparison: PoseReport | None = None
    features: dict[str, MessagePart] = msgspec.field(default_factory=dict[str, MessagePart])


class JobState(Message, tag="job"):
    """The progress of a job, `done` from 0 to 1; a `quiet` job shows no progress bar."""

    job: str
    title: str
    quiet: bool
    done: float
    text: str
    status: Literal["running", "done", "cancelled", "failed"]


class ErrorMessage(Message, tag="error"):
    """A request failed; the page shows the text."""

    request: str
    text: str
