"""Tangles: two chains picked in the picture, wound around each other while a slider moves.

Also the other character, who keeps the tangle while one is dragged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.quantities import TangleCoordinates, WritheMatrix
from writhe.solvers.tangling import SolveOptions, Tangle, TangleStepper, solve
from writhe.studio import edits, things
from writhe.studio.document.history import Edit
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.certificate import sample_scene
from writhe.studio.jobs import Job
from writhe.studio.messages import Command, Message, Name, Part, Task, Vector3
from writhe.studio.naming import names_of, plain_sentence
from writhe.studio.stage import Stage
from writhe.studio.surroundings import label
from writhe.studio.winding import setup_of
from writhe.topology import Strand, matrix_coordinates

feature = Feature("tangles")
MOST_STEPS = 250
STEPS_A_FRAME = 2  # that the bodies take for each message while a slider moves
PATIENCE = 20  # steps without progress after which more than steps is needed
FOLLOWING_STEPS = 3  # of the other one for each frame of a drag

Writhe = Annotated[float, Meta(ge=-2.0, le=2.0)]
Place = Annotated[float, Meta(ge=-1.0, le=1.0)]
Angle = Annotated[float, Meta(ge=-1.6, le=1.6)]
Movers = Annotated[list[int], Meta(min_length=1, max_length=2)]


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


class WindStep(Message, frozen=True, tag="wind_step"):
    """A few gated steps towards coordinates; `fresh` begins anew from the poses on the stage."""

    sequence: int
    tangle: TangleGoal
    movers: Movers
    fresh: bool = False


class WoundActor(Part, frozen=True):
    """Where an actor is now."""

    actor: int
    q: bytes


class TangleStepped(Message, frozen=True, tag="tangle_stepped"):
    """The answer to WindStep; `stalled`: steps alone lead no farther."""

    sequence: int
    actors: list[WoundActor]
    winding: Winding
    reached: bool
    stalled: bool


class KeepWound(Command, frozen=True, tag="keep_wound"):
    """Make the poses that winding led to part of the document."""

    movers: Movers


class WindTangle(Task, frozen=True, tag="wind_tangle"):
    """Wind two chains, shaking what gets stuck, and say what stands in the way."""

    tangle: TangleGoal
    movers: Movers


class TangleWound(Message, frozen=True, tag="tangle_wound"):
    """What came of it; `problem` says what stood in the way."""

    job: str
    reached: bool
    writhe: float
    steps: int
    problem: str


class KeepTangle(Message, frozen=True, tag="keep_tangle"):
    """While one actor of this tangle is dragged the other one keeps it; None: no longer."""

    tangle: TangleGoal | None


class Followed(Part, frozen=True):
    """Where the other one has gone while one was dragged."""

    actor: int
    q: bytes
    winding: Winding


@dataclass
class _Live:
    """A stepper that goes on from message to message."""

    key: object
    stepper: TangleStepper
    q: Floats
    best: float = np.inf
    since: int = 0


@dataclass
class Memory:
    """What this session winds, and what it keeps wound."""

    live: _Live | None = None
    kept: TangleGoal | None = None
    follower: _Live | None = None


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
            ChainEnd(tip.name, skeleton.index(tip.joint), _vector(tip.offset_in_joint))
            for tip in skeleton.tips
        ]
        ends += [ChainEnd(name, j, (0.0, 0.0, 0.0)) for j, name in enumerate(skeleton.names)]
        found.append(ActorChains(actor.id, limbs, ends))
    strands = [
        ThingStrand(thing.id, name, [_vector(point) for point in points])
        for thing in stage.document.objects()
        for name, points in things.strands_of(thing).items()
    ]
    return TanglesState(found, strands)


@feature.question
def measure(stage: Stage, message: MeasureTangle) -> TangleMeasured:
    """The writhe matrix as things are now, drags included."""
    goal = TangleGoal(message.first, message.second, 0.0)
    return TangleMeasured(winding_of(stage, goal, now(stage)))


@feature.question
def wind_step(stage: Stage, message: WindStep) -> TangleStepped:
    """Take the bodies a few steps; what is on the stage moves along."""
    memory = stage.own(Memory)
    goal, movers = message.tangle, check_movers(stage, [message.tangle], message.movers)
    asked = [value is None for value in (goal.centre_first, goal.centre_second, goal.density)]
    key = (id(stage.scene), goal.first, goal.second, tuple(asked), tuple(movers))
    live = memory.live
    if message.fresh or live is None or live.key != key:
        q = now(stage)
        live = _Live(key, setup_of(stage, movers, q).stepper([tangle_of(stage, goal)]), q)
        memory.live = live
    live.stepper.set_target(0, tangle_of(stage, goal))
    live.stepper.update(live.q)
    lacked = live.stepper.merit(live.q)
    reached = False
    for _ in range(STEPS_A_FRAME):
        live.q = live.stepper.step(live.q)
        live.stepper.update(live.q)
        reached = bool(live.stepper.reached().all())
        if reached:
            break
    lacks = live.stepper.merit(live.q)
    moved_goal = lacked > 1.5 * live.best
    if moved_goal or lacks < 0.995 * live.best:
        live.best, live.since = lacks, 0
    else:
        live.since += STEPS_A_FRAME
    return TangleStepped(
        message.sequence,
        _show(stage, movers, live.q),
        winding_of(stage, goal, live.q),
        reached,
        not reached and live.since >= PATIENCE,
    )


@feature.command("Wind")
def keep_wound(stage: Stage, edit: Edit, message: KeepWound) -> None:
    """Make the poses that winding led to part of the document."""
    for number in message.movers:
        q = stage.puppet(stage.document.actor(number)).q
        edits.set_pose(stage.document, edit, number, q, stage.time_s)
    stage.own(Memory).live = None


@feature.task("Wind", needs=("tangling",))
def wind(stage: Stage, message: WindTangle) -> Work:
    """Read the scene now; wind beside other work; commit the poses that came of it."""
    movers = check_movers(stage, [message.tangle], message.movers)
    layout, names = stage.scene.layout, names_of(stage.document)
    start, time_s = now(stage), stage.time_s
    tangle = tangle_of(stage, message.tangle)
    stepper = setup_of(stage, movers, start).stepper([tangle])

    def work(job: Job) -> Outcome:
        def watched(step: int) -> bool:
            job.report(step / MOST_STEPS)
            return False

        result = solve(stepper, start, SolveOptions(MOST_STEPS), cancelled=watched)
        value = TangleCoordinates(tangle.first, tangle.second).value(layout.skeleton, result.q)

        def commit(stage: Stage, edit: Edit) -> None:
            for number in movers:
                pose = result.q[layout.actor_q[label(number)]]
                edits.set_pose(stage.document, edit, number, pose, time_s)

        problem = plain_sentence("; ".join(result.conflicts), names)
        show = TangleWound(
            job.number,
            result.reached,
            float(value[0]),
            len(result.path) - 1,
            "" if result.reached else problem or "no way was found",
        )
        return Outcome(commit=commit, show=show)

    return work


@feature.question
def keep(stage: Stage, message: KeepTangle) -> None:
    """Remember what is to be kept."""
    memory = stage.own(Memory)
    memory.kept = message.tangle
    if message.tangle is None:
        memory.follower = None


@feature.reading
def follow(stage: Stage, actor: int) -> Followed | None:
    """One actor was dragged a little: the other one restores the tangle by gated steps."""
    memory = stage.own(Memory)
    goal = memory.kept
    if goal is None or goal.first.actor == goal.second.actor:
        return None
    if actor not in (goal.first.actor, goal.second.actor):
        return None
    other = goal.second.actor if actor == goal.first.actor else goal.first.actor
    if other == 0 or label(other) not in stage.scene.layout.actor_q:
        return None
    q = now(stage)
    key = (id(stage.scene), goal, other, stage.time_s)
    live = memory.follower
    if live is None or live.key != key:
        stepper = setup_of(stage, [other], q, loose=True).stepper([tangle_of(stage, goal)])
        memory.follower = live = _Live(key, stepper, q)
    for _ in range(FOLLOWING_STEPS):
        q = live.stepper.step(q)
    stage.followers.add(other)
    (shown,) = _show(stage, [other], q)
    return Followed(other, shown.q, winding_of(stage, goal, q))


def now(stage: Stage) -> Floats:
    """The whole scene's configuration at the playhead, poses in the making included."""
    q = sample_scene(stage, np.array([stage.time_s]))[0]
    for number, pose in stage.poses().actors.items():
        if label(number) in stage.scene.layout.actor_q:
            q[stage.scene.layout.actor_q[label(number)]] = pose
    return q


def check_movers(stage: Stage, tangles: list[TangleGoal], movers: list[int]) -> list[int]:
    """The actors that are to move, if they can and belong to the tangles."""
    present = {chain.actor for goal in tangles for chain in (goal.first, goal.second)}
    for number in movers:
        actor = stage.document.actor(number)
        if label(number) not in stage.scene.layout.actor_q:
            raise WritheError(f"{actor.name} has no solid shapes and cannot be wound")
        if number not in present:
            raise WritheError(f"{actor.name} is not part of the tangle: choose who moves")
    return list(dict.fromkeys(movers))


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
        known = things.strands_of(thing)
        if chain.start not in known:
            raise WritheError(f"{thing.name} has no strand {chain.start!r} to wind around")
        words = f"{thing.name}, {chain.start.replace('_', ' ')}"
        return Strand.along(known[chain.start], joint=things.label(thing), name=words)
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


def _show(stage: Stage, movers: list[int], q: Floats) -> list[WoundActor]:
    """Put actors where a configuration of the whole scene has them."""
    out: list[WoundActor] = []
    for number in movers:
        pose = q[stage.scene.layout.actor_q[label(number)]].copy()
        stage.puppet(stage.document.actor(number)).q = pose
        out.append(WoundActor(number, pose.astype("<f4").tobytes()))
    return out


def _vector(values: Any) -> Vector3:
    x, y, z = (float(v) for v in values)
    return (x, y, z)
