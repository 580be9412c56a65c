"""Tangles: which chains can be picked, what is wanted of two of them, how they are wound now.

`winding` takes the bodies to a tangle, `partner` keeps one while somebody drags, `tangle_motion`
keys them.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta

from writhe.arrays import Floats, Vector3, vector3
from writhe.errors import WritheError
from writhe.quantities import WritheMatrix
from writhe.solvers.tangling import Tangle
from writhe.studio.editing import scene_objects
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.scene_builder import label
from writhe.studio.editing.scene_sampling import sample_scene
from writhe.studio.feature import Feature
from writhe.studio.protocol import Message, Name, Part
from writhe.topology import Strand, matrix_coordinates

feature = Feature("tangles")

Writhe = Annotated[float, Meta(ge=-2.0, le=2.0)]
Place = Annotated[float, Meta(ge=-1.0, le=1.0)]
Angle = Annotated[float, Meta(ge=-1.6, le=1.6)]


class Chain(Part, frozen=True):
    """A path across an actor's skeleton between two joints or tips, or a strand of an object.

    Of an object (`thing` above 0) `start` names the strand and `end` is empty.
    """

    actor: int
    start: Name
    end: Name = ""
    thing: int = 0


class Limb(Part, frozen=True):
    """A chain that a click on one of its joints picks."""

    name: str
    start: str
    end: str
    joints: list[int]


class ChainEnd(Part, frozen=True):
    """A joint or tip that a chain may begin or end at."""

    name: str
    joint: int
    offset: Vector3


class ActorChains(Part, frozen=True):
    """The limbs of an actor, and every end that a chain may have."""

    actor: int
    limbs: list[Limb]
    ends: list[ChainEnd]


class ThingStrand(Part, frozen=True):
    """A named line along an object, in its frame."""

    thing: int
    name: str
    points: list[Vector3]


class TanglesState(Part, frozen=True):
    """What can be tangled."""

    actors: list[ActorChains]
    strands: list[ThingStrand]


class TangleGoal(Part, frozen=True):
    """How two chains are to be wound; None leaves a coordinate free."""

    first: Chain
    second: Chain
    writhe: Writhe
    centre_first: Place | None = None
    centre_second: Place | None = None
    density: Angle | None = None


class Winding(Part, frozen=True):
    """The writhe matrix (float32, row by row) and its coordinates; what the vertices are called."""

    rows: list[str]
    columns: list[str]
    matrix: bytes
    writhe: float
    centre_first: float
    centre_second: float
    density: float


class MeasureTangle(Message, frozen=True, tag="measure_tangle"):
    """How are two chains wound at the playhead?"""

    first: Chain
    second: Chain


class TangleMeasured(Message, frozen=True, tag="tangle_measured"):
    """The answer to MeasureTangle."""

    winding: Winding


@feature.state
def state(stage: Stage) -> TanglesState:
    """The limbs and ends of every actor, the strands of every object."""
    found: list[ActorChains] = []
    for actor in stage.document.actors():
        figure = stage.document.figure(actor.figure)
        skeleton = figure.skeleton
        limbs = [
            Limb(name, names[0], names[-1], [skeleton.index(n) for n in names if n in skeleton])
            for name, names in figure.strands
        ]
        ends = [
            ChainEnd(tip.name, skeleton.index(tip.joint), vector3(tip.offset_in_joint))
            for tip in skeleton.tips
        ]
        ends += [ChainEnd(name, j, (0.0, 0.0, 0.0)) for j, name in enumerate(skeleton.names)]
        found.append(ActorChains(actor.id, limbs, ends))
    strands = [
        ThingStrand(thing.id, name, [vector3(point) for point in points])
        for thing in stage.document.objects()
        for name, points in scene_objects.strands_of(thing).items()
    ]
    return TanglesState(found, strands)


@feature.question
def measure(stage: Stage, message: MeasureTangle) -> TangleMeasured:
    """The writhe matrix as things are now, drags included."""
    goal = TangleGoal(message.first, message.second, 0.0)
    return TangleMeasured(winding_of(stage, goal, now(stage)))


def now(stage: Stage) -> Floats:
    """The whole scene's configuration at the playhead, poses in the making included."""
    q = sample_scene(stage, np.array([stage.time_s]))[0]
    for number, pose in stage.poses().actors.items():
        if label(number) in stage.scene.layout.actor_q:
            q[stage.scene.layout.actor_q[label(number)]] = pose
    return q


def tangle_of(stage: Stage, goal: TangleGoal) -> Tangle:
    """The solver's wish for a goal."""
    first, second = strand_of(stage, goal.first), strand_of(stage, goal.second)
    if goal.first == goal.second:
        raise WritheError("pick two different chains: nothing winds around itself")
    return Tangle(
        first,
        second,
        goal.writhe,
        (goal.centre_first, goal.centre_second),
        goal.density,
        name=f"{first.name} with {second.name}",
    )


def strand_of(stage: Stage, chain: Chain) -> Strand:
    """A chain as a strand of the whole scene, with a name for people."""
    document = stage.document
    if chain.thing:
        thing = document.thing(chain.thing)
        known = scene_objects.strands_of(thing)
        if chain.start not in known:
            raise WritheError(f"{thing.name} has no strand {chain.start!r} to wind around")
        words = f"{thing.name}, {chain.start.replace('_', ' ')}"
        return Strand.along(known[chain.start], joint=scene_objects.label(thing), name=words)
    actor = document.actor(chain.actor)
    figure, prefix = document.figure(actor.figure), label(actor.id)
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
    if prefix not in stage.scene.layout.actor_q:
        raise WritheError(f"{actor.name} has no solid shapes and cannot be wound")
    skeleton = stage.scene.layout.skeleton
    return Strand.between(skeleton, f"{prefix}.{chain.start}", f"{prefix}.{chain.end}", name=words)


def winding_of(stage: Stage, goal: TangleGoal, q: Floats) -> Winding:
    """The writhe matrix of a goal's chains and its coordinates."""
    first, second = strand_of(stage, goal.first), strand_of(stage, goal.second)
    shape = (len(first.joints) - 1, len(second.joints) - 1)
    matrix = WritheMatrix(first, second).value(stage.scene.layout.skeleton, q).reshape(shape)
    found = matrix_coordinates(matrix)
    return Winding(
        _vertices(goal.first, first),
        _vertices(goal.second, second),
        matrix.astype("<f4").tobytes(),
        found.writhe,
        *found.centre,
        found.density,
    )


def _vertices(chain: Chain, strand: Strand) -> list[str]:
    """What the vertices of a strand are called: joints and tips without their owner."""
    if chain.thing:
        return ["", *[""] * (len(strand.joints) - 2), chain.start]
    names = [str(joint).partition(".")[2] for joint in strand.joints]
    names[0], names[-1] = chain.start, chain.end
    return names
