"""Tangles: chains that can be picked, goals for two chains, and their current writhe matrix.

`winding` moves actors towards a goal, `partner_follows` keeps it during drags, `tangle_motion` keys
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from writhe.arrays import Floats, Vector3, vector3
from writhe.errors import WritheError
from writhe.quantities import WritheMatrix
from writhe.solvers.tangling import Tangle, TangleSetup
from writhe.solvers.tangling.actor_setup import TangleMover, actor_setup
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import scene_objects
from writhe.studio.editing.scene.scene_builder import actor_label
from writhe.studio.feature import Feature
from writhe.studio.protocol import Message, MessagePart, Name
from writhe.topology import Strand, matrix_coordinates

feature = Feature("tangles")

Writhe = Annotated[float, Meta(ge=-2.0, le=2.0)]
Centre = Annotated[float, Meta(ge=-1.0, le=1.0)]
Angle = Annotated[float, Meta(ge=-1.6, le=1.6)]


class TangleChain(MessagePart):
    """A path across an actor's skeleton between two joints or tips, or a strand of an object.

    For an object (`object` above 0) `start` is the strand's name and `end` is empty.
    """

    actor: int
    start: Name
    end: Name = ""
    object: int = 0


class LimbChain(MessagePart):
    """A chain that is picked by a click on one of its joints."""

    name: str
    start: str
    end: str
    joints: list[int]


class ChainEnd(MessagePart):
    """A joint or tip at which a chain may begin or end."""

    name: str
    joint: int
    offset: Vector3


class ActorChains(MessagePart):
    """The limbs of an actor and all possible chain ends."""

    actor: int
    limbs: list[LimbChain]
    ends: list[ChainEnd]


class ObjectStrand(MessagePart):
    """A named strand of an object, in its frame."""

    object: int
    name: str
    points: list[Vector3]


class TanglesState(MessagePart):
    """The chains and strands that can be tangled."""

    actors: list[ActorChains]
    strands: list[ObjectStrand]


class TangleGoal(MessagePart):
    """Target topology coordinates of two chains; None leaves a coordinate free."""

    first: TangleChain
    second: TangleChain
    writhe: Writhe
    centre_first: Centre | None = None
    centre_second: Centre | None = None
    density: Angle | None = None


class Winding(MessagePart):
    """The writhe matrix (float32, row-major), its coordinates and the names of the vertices."""

    rows: list[str]
    columns: list[str]
    matrix: bytes
    writhe: float
    centre_first: float
    centre_second: float
    density: float


class MeasureTangle(Message):
    """Request the winding of two chains in the current poses."""

    first: TangleChain
    second: TangleChain


class TangleMeasured(Message):
    """The answer to MeasureTangle."""

    winding: Winding


@feature.state
def state(editor: Editor) -> TanglesState:
    """The limbs and ends of every actor, the strands of every object."""
    found: list[ActorChains] = []
    for actor in editor.document.actors():
        figure = editor.document.figure(actor.figure)
        skeleton = figure.skeleton
        limbs = [
            LimbChain(
                name, names[0], names[-1], [skeleton.index(n) for n in names if n in skeleton]
            )
            for name, names in figure.strands
        ]
        ends = [
            ChainEnd(tip.name, skeleton.index(tip.joint), vector3(tip.offset_in_joint))
            for tip in skeleton.tips
        ]
        ends += [ChainEnd(name, j, (0.0, 0.0, 0.0)) for j, name in enumerate(skeleton.names)]
        found.append(ActorChains(actor.id, limbs, ends))
    strands = [
        ObjectStrand(item.id, name, [vector3(point) for point in points])
        for item in editor.document.objects()
        for name, points in scene_objects.strands_of(item).items()
    ]
    return TanglesState(found, strands)


@feature.query
def measure(editor: Editor, message: MeasureTangle) -> TangleMeasured:
    """The writhe matrix in the current poses, including an ongoing drag."""
    goal = TangleGoal(message.first, message.second, 0.0)
    return TangleMeasured(winding_of(editor, goal, editor.configuration))


def tangle_of(editor: Editor, goal: TangleGoal) -> Tangle:
    """The solver's goal for a TangleGoal."""
    first, second = strand_of(editor, goal.first), strand_of(editor, goal.second)
    if goal.first == goal.second:
        raise WritheError("pick two different chains")
    return Tangle(
        first,
        second,
        goal.writhe,
        (goal.centre_first, goal.centre_second),
        goal.density,
        name=f"{first.name} with {second.name}",
    )


def strand_of(editor: Editor, chain: TangleChain) -> Strand:
    """A chain as a strand of the scene, with the name users see."""
    document = editor.document
    if chain.object:
        item = document.object_row(chain.object)
        known = scene_objects.strands_of(item)
        if chain.start not in known:
            raise WritheError(f"{item.name} has no strand {chain.start!r} to wind around")
        words = f"{item.name}, {chain.start.replace('_', ' ')}"
        return Strand.along(known[chain.start], joint=scene_objects.object_label(item), name=words)
    actor = document.actor(chain.actor)
    figure, prefix = document.figure(actor.figure), actor_label(actor.id)
    words = next(
        (
            name
            for name, names in figure.strands
            if (names[0], names[-1]) == (chain.start, chain.end)
        ),
        f"{chain.start} to {chain.end}",
    ).replace("_", " ")
    if len(document.actors()) > 1:
        words = f"{actor.name}’s {words}"
    if prefix not in editor.scene.layout.actor_q:
        raise WritheError(f"{actor.name} has no solid shapes and cannot be wound")
    skeleton = editor.scene.layout.skeleton
    return Strand.between(skeleton, f"{prefix}.{chain.start}", f"{prefix}.{chain.end}", name=words)


def winding_of(editor: Editor, goal: TangleGoal, q: Floats) -> Winding:
    """The writhe matrix of a goal's chains and its coordinates."""
    first, second = strand_of(editor, goal.first), strand_of(editor, goal.second)
    shape = (len(first.joints) - 1, len(second.joints) - 1)
    matrix = WritheMatrix(first, second).value(editor.scene.layout.skeleton, q).reshape(shape)
    found = matrix_coordinates(matrix)
    return Winding(
        _vertices(goal.first, first),
        _vertices(goal.second, second),
        matrix.astype("<f4").tobytes(),
        found.writhe,
        *found.centre,
        found.density,
    )


def _vertices(chain: TangleChain, strand: Strand) -> list[str]:
    """The names of a strand's vertices: joints and tips without their owner."""
    if chain.object:
        return ["", *[""] * (len(strand.joints) - 2), chain.start]
    names = [str(joint).partition(".")[2] for joint in strand.joints]
    names[0], names[-1] = chain.start, chain.end
    return names


def tangle_setup_of(
    editor: Editor, movers: Sequence[int], q: Floats, *, loose: bool = False
) -> TangleSetup:
    """The tangle setup for moving these actors; with `loose`, pins have a low weight."""
    document = editor.document
    actors = [document.actor(number) for number in movers]
    found = [
        TangleMover(
            actor_label(actor.id),
            document.figure(actor.figure),
            tuple((pin.joint, pin.position_in_world) for pin in actor.pins),
        )
        for actor in actors
    ]
    return actor_setup(editor.scene.layout, found, q, loose=loose)
