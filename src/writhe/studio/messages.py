"""Everything that travels between the page and the server, defined once.

Messages are MessagePack maps whose `type` names the struct; `generate` writes the TypeScript twins.
Poses travel as float32 (`q`), geometry as float32 and uint32, all little-endian.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

PROTOCOL = 1

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Name = Annotated[str, Meta(max_length=80)]
Request = Annotated[str, Meta(min_length=8, max_length=40)]
Picture = Annotated[bytes, Meta(max_length=200_000)]
KeyNumbers = Annotated[list[int], Meta(max_length=20_000)]


class Message(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """Anything that travels on its own."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Anything that travels inside a message."""


# ---- from the page ----


class Open(Message, frozen=True, tag="open"):
    """Work on a document; the first message of every connection."""

    protocol: int
    document: Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]


class Hold(Part, frozen=True):
    """One finger: a point of a joint and where it should be."""

    joint: int
    point_in_joint: Vector3
    position_in_world: Vector3
    orientation_in_world: Quaternion | None = None


class Drag(Message, frozen=True, tag="drag"):
    """Move an actor towards what the fingers hold.

    `frames` says how many 60ths of a second passed since the last one, so that the figure moves
    at the same speed on a slow screen.
    """

    sequence: int
    actor: int
    holds: Annotated[list[Hold], Meta(min_length=1, max_length=10)]
    frames: Annotated[int, Meta(ge=1, le=4)] = 1


class Seek(Message, frozen=True, tag="seek"):
    """The playhead stands at another time."""

    time_s: Annotated[float, Meta(ge=0, le=36_000)]


class Duel(Message, frozen=True, tag="duel"):
    """Show a second character under the same gesture, posed by this method; None ends it."""

    actor: int
    method: Name | None


class SetRecording(Message, frozen=True, tag="set_recording"):
    """From now on (or no longer) drags are recorded as motion from the playhead on."""

    on: bool


class Thumbnail(Message, frozen=True, tag="thumbnail"):
    """A small picture of the document for the start page."""

    picture: Picture


class Command(Message, frozen=True):
    """A change to the document: saved, undoable, acknowledged by a State with its request."""

    request: Request


class Release(Command, frozen=True, tag="release"):
    """The fingers let go: the pose becomes part of the document."""

    actor: int


class Undo(Command, frozen=True, tag="undo"):
    """Take the last command back."""


class Redo(Command, frozen=True, tag="redo"):
    """Bring back what was undone."""


class Rename(Command, frozen=True, tag="rename"):
    """Give the document another title."""

    name: Name


class SetPin(Command, frozen=True, tag="set_pin"):
    """Pin a joint where it is, or free it."""

    actor: int
    joint: int
    hold: Literal["none", "position", "both"]


class ChooseMethod(Command, frozen=True, tag="choose_method"):
    """Pose an actor by another method."""

    actor: int
    method: Name


class ChooseFigure(Command, frozen=True, tag="choose_figure"):
    """Give an actor another body."""

    actor: int
    figure: Name


class AddActor(Command, frozen=True, tag="add_actor"):
    """Add a character."""

    figure: Name


class RemoveActor(Command, frozen=True, tag="remove_actor"):
    """Remove a character."""

    actor: int


class MirrorPose(Command, frozen=True, tag="mirror_pose"):
    """Swap left and right."""

    actor: int


class ResetPose(Command, frozen=True, tag="reset_pose"):
    """Back to the starting pose; with a joint, only its limb."""

    actor: int
    joint: int | None = None


class SavePose(Command, frozen=True, tag="save_pose"):
    """Keep the pose for later."""

    actor: int
    name: Name
    picture: Picture


class ApplyPose(Command, frozen=True, tag="apply_pose"):
    """Put an actor into a saved pose."""

    actor: int
    pose: int


class DeletePose(Command, frozen=True, tag="delete_pose"):
    """Forget a saved pose."""

    pose: int


class SetKey(Command, frozen=True, tag="set_key"):
    """Key the actor's present pose at a time."""

    actor: int
    time_s: Annotated[float, Meta(ge=0, le=3600)]


class MoveKeys(Command, frozen=True, tag="move_keys"):
    """Shift keys in time."""

    keys: KeyNumbers
    by_s: Annotated[float, Meta(ge=-3600, le=3600)]


class CopyKeys(Command, frozen=True, tag="copy_keys"):
    """Copy keys so that the earliest stands at a time."""

    keys: KeyNumbers
    to_s: Annotated[float, Meta(ge=0, le=3600)]


class DeleteKeys(Command, frozen=True, tag="delete_keys"):
    """Remove keys."""

    keys: KeyNumbers


class SetTimeline(Command, frozen=True, tag="set_timeline"):
    """Length and frame rate of the timeline."""

    duration_s: Annotated[float, Meta(ge=0.1, le=3600)]
    fps: Annotated[float, Meta(ge=1, le=240)]


class ChooseScene(Command, frozen=True, tag="choose_scene"):
    """Put an object into the scene instead of what is there; "empty" clears it."""

    scene: Name


class DeclareContact(Command, frozen=True, tag="declare_contact"):
    """A part rests on what is nearest to it: they may touch from now on."""

    actor: int
    joint: int


class ForgetContacts(Command, frozen=True, tag="forget_contacts"):
    """No declared contacts any more."""


class ClearMotion(Command, frozen=True, tag="clear_motion"):
    """Remove all keys and the clip of an actor."""

    actor: int


# ---- from the server ----


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


class KeyState(Part, frozen=True):
    """A key on the timeline."""

    id: int
    actor: int
    time_s: float


class PoseState(Part, frozen=True):
    """A saved pose."""

    id: int
    name: str
    figure: str
    picture: bytes


class Solid(Part, frozen=True):
    """A shape of an object: a capsule (two points) or the hull of points, inflated by a radius."""

    kind: str
    points: list[Vector3]
    radius: float


class ThingState(Part, frozen=True):
    """An object of the scene."""

    id: int
    kind: str
    solids: list[Solid]


class State(Message, frozen=True, tag="state"):
    """The whole document apart from motion; `request` acknowledges that command."""

    request: str
    name: str
    actors: list[ActorState]
    keys: list[KeyState]
    poses: list[PoseState]
    things: list[ThingState]
    contacts: list[str]
    duration_s: float
    fps: float
    undo: str
    redo: str


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


class Problem(Message, frozen=True, tag="problem"):
    """Something could not be done; the page shows the text and the rest goes on."""

    request: str
    text: str


Incoming = (
    Open | Drag | Seek | Duel | SetRecording | Thumbnail
    | Release | Undo | Redo | Rename | SetPin | ChooseMethod | ChooseFigure | AddActor | RemoveActor
    | MirrorPose | ResetPose | SavePose | ApplyPose | DeletePose
    | ChooseScene | DeclareContact | ForgetContacts
    | SetKey | MoveKeys | CopyKeys | DeleteKeys | SetTimeline | ClearMotion
)  # fmt: skip
Outgoing = Welcome | FigureShape | State | MotionData | Answer | Problem

encoder = msgspec.msgpack.Encoder()
decoder: msgspec.msgpack.Decoder[Incoming] = msgspec.msgpack.Decoder(Incoming)
