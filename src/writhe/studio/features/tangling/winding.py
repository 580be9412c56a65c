"""Winds two chains around each other: step by step while a slider moves, or as a job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.quantities import TangleCoordinates
from writhe.solvers.tangling import LiveWinding, SolveOptions, solve
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene.scene_builder import actor_label
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.tangling.tangles import (
    TangleGoal,
    Winding,
    tangle_of,
    tangle_setup_of,
    winding_of,
)
from writhe.studio.protocol import ActorPose, Command, Message, Task
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import display_names, display_sentence

feature = Feature("winding")
MAX_STEPS = 250
STEPS_A_FRAME = 2  # solver steps for each WindStep message

Movers = Annotated[list[int], Meta(min_length=1, max_length=2)]


class WindStep(Message):
    """Take a few gated steps towards a goal; `fresh` restarts from the current poses."""

    sequence: int
    tangle: TangleGoal
    movers: Movers
    fresh: bool = False


class WindStepResult(Message):
    """The result of WindStep; `stalled` means that further steps make no progress."""

    sequence: int
    actors: list[ActorPose]
    winding: Winding
    reached: bool
    stalled: bool


class CommitWinding(Command):
    """Save the poses that winding reached."""

    movers: Movers


class WindTangle(Task):
    """Wind two chains in the background with perturbations where it stalls."""

    tangle: TangleGoal
    movers: Movers


class WindResult(Message):
    """The result of WindTangle; `problem` says what blocked it."""

    job: str
    reached: bool
    writhe: float
    steps: int
    problem: str


@dataclass
class WindingSession:
    """The live winding of a session, and what it was made for."""

    live: LiveWinding | None = None
    key: object = None


@feature.session_step
def wind_step(editor: Editor, message: WindStep) -> WindStepResult:
    """Take a few steps and update the editor's current poses."""
    session = editor.session_data(WindingSession)
    goal, movers = message.tangle, check_movers(editor, [message.tangle], message.movers)
    free = [value is None for value in (goal.centre_first, goal.centre_second, goal.density)]
    key = (id(editor.scene), goal.first, goal.second, tuple(free), tuple(movers))
    live = session.live
    if message.fresh or live is None or session.key != key:
        q = editor.configuration
        live = LiveWinding(tangle_setup_of(editor, movers, q).stepper([tangle_of(editor, goal)]), q)
        session.live, session.key = live, key
    reached, stalled = live.move(tangle_of(editor, goal), STEPS_A_FRAME)
    return WindStepResult(
        message.sequence,
        put_actors(editor, movers, live.q),
        winding_of(editor, goal, live.q),
        reached,
        stalled,
    )


@feature.command("Wind")
def commit_winding(editor: Editor, edit: Edit, message: CommitWinding) -> None:
    """Save the poses that winding reached."""
    for number in message.movers:
        q = editor.posed_actor(editor.document.actor(number)).q
        edits.set_pose(editor.document, edit, number, q, editor.time_s)
    editor.session_data(WindingSession).live = None


@feature.task("Wind", needs=("tangling",))
def wind(editor: Editor, message: WindTangle) -> Work:
    """Read the scene now; solve in the background and commit the resulting poses."""
    movers = check_movers(editor, [message.tangle], message.movers)
    layout, names = editor.scene.layout, display_names(editor.document)
    start, time_s = editor.configuration, editor.time_s
    tangle = tangle_of(editor, message.tangle)
    stepper = tangle_setup_of(editor, movers, start).stepper([tangle])

    def work(job: Job) -> Outcome:
        def watched(step: int) -> bool:
            job.report(step / MAX_STEPS)
            return False

        result = solve(stepper, start, SolveOptions(MAX_STEPS), cancelled=watched)
        value = TangleCoordinates(tangle.first, tangle.second).value(layout.skeleton, result.q)

        def commit(editor: Editor, edit: Edit) -> None:
            for number in movers:
                pose = result.q[layout.actor_q[actor_label(number)]]
                edits.set_pose(editor.document, edit, number, pose, time_s)

        problem = display_sentence("; ".join(result.conflicts), names)
        show = WindResult(
            job.number,
            result.reached,
            float(value[0]),
            len(result.path) - 1,
            "" if result.reached else problem or "no solution was found",
        )
        return Outcome(commit=commit, show=show)

    return work


def check_movers(editor: Editor, tangles: list[TangleGoal], movers: list[int]) -> list[int]:
    """The actors to move without duplicates; raises if one cannot move or is not in the tangles."""
    present = {chain.actor for goal in tangles for chain in (goal.first, goal.second)}
    for number in movers:
        actor = editor.document.actor(number)
        if actor_label(number) not in editor.scene.layout.actor_q:
            raise WritheError(f"{actor.name} has no solid shapes and cannot be wound")
        if number not in present:
            raise WritheError(
                f"{actor.name} is not part of the tangle: choose one of its characters to move"
            )
    return list(dict.fromkeys(movers))


def put_actors(editor: Editor, movers: list[int], q: Floats) -> list[ActorPose]:
    """Set the current poses of actors from a configuration of the scene."""
    out: list[ActorPose] = []
    for number in movers:
        pose = q[editor.scene.layout.actor_q[actor_label(number)]].copy()
        editor.posed_actor(editor.document.actor(number)).q = pose
        out.append(ActorPose(number, pose.astype("<f4").tobytes()))
    return out
