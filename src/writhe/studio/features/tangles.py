"""Tangles: two chains picked in the picture, wound around each other by topology coordinates."""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.quantities import TangleCoordinates, WritheMatrix
from writhe.skeleton import Motion
from writhe.solvers.tangling import (
    SolveOptions,
    Tangle,
    TangleOptions,
    TangleStepper,
    motion_cost,
    solve,
)
from writhe.studio import edits
from writhe.studio.document import TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.certificate import sample_scene
from writhe.studio.jobs import Job
from writhe.studio.messages import Message, Name, Part, Task
from writhe.studio.stage import Stage
from writhe.studio.surroundings import label
from writhe.terms import Term, joint_limits, reach
from writhe.topology import Strand, matrix_coordinates

feature = Feature("tangles")
MOST_STEPS = 250
_PIN_WEIGHT = 60.0

Writhe = Annotated[float, Meta(ge=-2.0, le=2.0)]
Place = Annotated[float, Meta(ge=-1.0, le=1.0)]
Angle = Annotated[float, Meta(ge=-1.6, le=1.6)]


class Chain(Part, frozen=True):
    """A path across an actor's skeleton between two joints or tips."""

    actor: int
    start: Name
    end: Name


class Limb(Part, frozen=True):
    """A chain that a click on one of its joints picks."""

    name: str
    start: str
    end: str
    joints: list[int]


class ActorChains(Part, frozen=True):
    """The limbs of an actor, and every end that a chain may have."""

    actor: int
    limbs: list[Limb]
    ends: list[str]


class TanglesState(Part, frozen=True):
    """What can be tangled."""

    actors: list[ActorChains]


class MeasureTangle(Message, frozen=True, tag="measure_tangle"):
    """How are two chains wound at the playhead?"""

    first: Chain
    second: Chain


class TangleMeasured(Message, frozen=True, tag="tangle_measured"):
    """The writhe matrix (float32, row by row) and its coordinates."""

    rows: int
    columns: int
    matrix: bytes
    writhe: float
    centre_first: float
    centre_second: float
    density: float


class WindTangle(Task, frozen=True, tag="wind_tangle"):
    """Wind two chains to these coordinates by moving one actor; None leaves a coordinate free.

    With `as_clip` the certified way there becomes the actor's motion from the playhead on.
    """

    first: Chain
    second: Chain
    mover: int
    writhe: Writhe
    centre_first: Place | None = None
    centre_second: Place | None = None
    density: Angle | None = None
    as_clip: bool = False


class TangleWound(Message, frozen=True, tag="tangle_wound"):
    """What came of it; `problem` says what stood in the way."""

    job: str
    reached: bool
    writhe: float
    steps: int
    problem: str


@feature.state
def state(stage: Stage) -> TanglesState:
    """The limbs and ends of every actor."""
    found: list[ActorChains] = []
    for actor in stage.document.actors():
        figure = stage.document.figure(actor.figure)
        skeleton = figure.skeleton
        limbs = [
            Limb(name, names[0], names[-1], [skeleton.index(n) for n in names if n in skeleton])
            for name, names in figure.strands
        ]
        ends = [*(tip.name for tip in skeleton.tips), *skeleton.names]
        found.append(ActorChains(actor.id, limbs, ends))
    return TanglesState(found)


@feature.question
def measure(stage: Stage, message: MeasureTangle) -> TangleMeasured:
    """The writhe matrix as things are now, drags included."""
    q = _now(stage)
    first, second = _strand(stage, message.first), _strand(stage, message.second)
    skeleton = stage.scene.layout.skeleton
    rows, columns = len(first.joints) - 1, len(second.joints) - 1
    matrix = WritheMatrix(first, second).value(skeleton, q).reshape(rows, columns)
    found = matrix_coordinates(matrix)
    return TangleMeasured(
        rows,
        columns,
        matrix.astype("<f4").tobytes(),
        found.writhe,
        *found.centre,
        found.density,
    )


@feature.task("Wind")
def wind(stage: Stage, message: WindTangle) -> Work:
    """Read the scene now; wind beside other work; commit the pose, the key and the way."""
    document, layout = stage.document, stage.scene.layout
    actor = document.actor(message.mover)
    name = label(actor.id)
    if name not in layout.actor_q:
        raise WritheError(f"{actor.name} has no solid shapes and cannot be wound")
    if message.mover not in (message.first.actor, message.second.actor):
        raise WritheError("one of the two actors of a tangle must move")
    tangle = Tangle(
        _strand(stage, message.first),
        _strand(stage, message.second),
        message.writhe,
        (message.centre_first, message.centre_second),
        message.density,
    )
    start, fps, time_s = _now(stage), document.fps, stage.time_s
    variables = np.zeros(layout.skeleton.dof_count, dtype=np.bool_)
    variables[layout.actor_v[name]] = True
    terms: list[Term] = joint_limits(layout.skeleton, only_under=name)
    terms += [
        reach(f"{name}.{pin.joint}", pin.position_in_world, weight=_PIN_WEIGHT)
        for pin in actor.pins
    ]
    figure = document.figure(actor.figure)

    def work(job: Job) -> Outcome:
        stepper = TangleStepper(
            layout.table,
            [tangle],
            terms,
            TangleOptions(writhe_stride=0.03),
            variables=variables,
            metric=motion_cost(layout.skeleton),
        )

        def watched(step: int) -> bool:
            job.report(step / MOST_STEPS)
            return False

        result = solve(stepper, start, SolveOptions(MOST_STEPS), cancelled=watched)
        path = result.path[:, layout.actor_q[name]]
        value = TangleCoordinates(tangle.first, tangle.second).value(layout.skeleton, result.q)

        def commit(stage: Stage, edit: Edit) -> None:
            if message.as_clip:
                motion = Motion(figure.skeleton, path, fps, "Winding")
                edits.put_clip(stage.document, edit, actor.id, motion, time_s)
            else:
                edits.set_pose(stage.document, edit, actor.id, path[-1], time_s)
            end_s = time_s + (len(path) - 1) / fps if message.as_clip else time_s
            track = edits.track_for(
                stage.document, edit, TrackKind.TANGLE, "Tangle", actor=actor.id
            )
            edits.put_track_key(stage.document, edit, track, end_s, encode_key(message))

        show = TangleWound(
            job.number,
            result.reached,
            float(value[0]),
            len(path) - 1,
            "; ".join(result.conflicts) or ("" if result.reached else "no way was found"),
        )
        return Outcome(commit=commit, show=show)

    return work


def encode_key(message: WindTangle) -> bytes:
    """A tangle as its key on the timeline holds it."""
    return msgspec.msgpack.encode(message)


def _now(stage: Stage) -> Floats:
    """The whole scene's configuration at the playhead, poses in the making included."""
    q = sample_scene(stage, np.array([stage.time_s]))[0]
    for number, pose in stage.poses().actors.items():
        if label(number) in stage.scene.layout.actor_q:
            q[stage.scene.layout.actor_q[label(number)]] = pose
    return q


def _strand(stage: Stage, chain: Chain) -> Strand:
    prefix = label(stage.document.actor(chain.actor).id)
    skeleton = stage.scene.layout.skeleton
    title = f"{stage.document.actor(chain.actor).name}: {chain.start} to {chain.end}"
    return Strand.between(
        skeleton, f"{prefix}.{chain.start}", f"{prefix}.{chain.end}", name=title.replace("_", " ")
    )
