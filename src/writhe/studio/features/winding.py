"""Winding two chains around each other: live while a slider moves, or as a job that says why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.quantities import TangleCoordinates
from writhe.solvers.tangling import SolveOptions, TangleStepper, solve
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.scene_builder import label
from writhe.studio.editing.tangle_setup import setup_of
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.tangles import TangleGoal, Winding, now, tangle_of, winding_of
from writhe.studio.protocol import Command, Message, Part, Task
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import names_of, plain_sentence

feature = Feature("winding")
MOST_STEPS = 250
STEPS_A_FRAME = 2  # that the bodies take for each message while a slider moves
PATIENCE = 20  # steps without progress after which more than steps is needed

Movers = Annotated[list[int], Meta(min_length=1, max_length=2)]


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


@dataclass
class _Live:
    """A stepper that goes on from message to message, and how long it has come no nearer."""

    key: object
    stepper: TangleStepper
    q: Floats
    best: float = np.inf
    since: int = 0


@dataclass
class Memory:
    """What this session winds."""

    live: _Live | None = None


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
        put_actors(stage, movers, live.q),
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


def put_actors(stage: Stage, movers: list[int], q: Floats) -> list[WoundActor]:
    """Put actors where a configuration of the whole scene has them."""
    out: list[WoundActor] = []
    for number in movers:
        pose = q[stage.scene.layout.actor_q[label(number)]].copy()
        stage.puppet(stage.document.actor(number)).q = pose
        out.append(WoundActor(number, pose.astype("<f4").tobytes()))
    return out
