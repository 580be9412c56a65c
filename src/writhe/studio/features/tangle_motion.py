"""Tangle keys on the timeline, and the motion through them in topology space."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from writhe.arrays import Floats
from writhe.collision import certify
from writhe.errors import WritheError
from writhe.skeleton import Motion
from writhe.studio.document import Document, Key, TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.document.rows import unpack
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.scene_builder import label
from writhe.studio.editing.scene_sampling import sample_scene
from writhe.studio.editing.tangle_path import Leg, follow_frames, wind_leg
from writhe.studio.editing.tangle_setup import setup_of
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.tangles import Chain, TangleGoal, strand_of, tangle_of
from writhe.studio.features.winding import Movers, check_movers
from writhe.studio.protocol import Command, Message, Part, Task, Time
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import names_of, plain_sentence

feature = Feature("tangle_motion")
MOST_TANGLES = 8  # of one key
MOST_FRAMES = 3000


class TangleKey(msgspec.Struct, frozen=True):
    """What a key of the track of tangles holds."""

    tangles: tuple[TangleGoal, ...]
    movers: tuple[int, ...]


class TangleKeyState(Part, frozen=True):
    """A tangle key as the page shows it; `titles` name its tangles."""

    id: int
    time_s: float
    tangles: list[TangleGoal]
    titles: list[str]
    movers: list[int]


class TangleMotionState(Part, frozen=True):
    """The tangle keys in order of time."""

    keys: list[TangleKeyState]


class KeyTangle(Command, frozen=True, tag="key_tangle"):
    """Have two chains wound so at a time, beside the tangles that the key there has already."""

    time_s: Time
    tangle: TangleGoal
    movers: Movers


class DropTangle(Command, frozen=True, tag="drop_tangle"):
    """Take a tangle out of a key; a key without any goes."""

    key: int
    tangle: Annotated[int, Meta(ge=0, le=100)]


class WindKeys(Task, frozen=True, tag="wind_keys"):
    """Make the motion through all tangle keys; a tangle holds until it is keyed otherwise."""

    order: Literal["together", "given", "automatic"] = "together"


class FollowTangle(Task, frozen=True, tag="follow_tangle"):
    """Let one actor keep a tangle over a time, whatever the other one does meanwhile."""

    tangle: TangleGoal
    mover: int
    start_s: Time
    end_s: Time


class TanglesMade(Message, frozen=True, tag="tangles_made"):
    """What came of making a motion: what was not reached and why, and why in this order."""

    job: str
    reached: bool
    certified: bool
    problems: list[str]
    why: str


@feature.state
def state(stage: Stage) -> TangleMotionState:
    """The tangle keys; those whose chains are gone are left out."""
    found: list[TangleKeyState] = []
    for key in tangle_keys(stage.document):
        held = _decode(key)
        goals = [goal for goal in held.tangles if _known(stage, goal)]
        titles = [
            f"{strand_of(stage, goal.first).name} with {strand_of(stage, goal.second).name}"
            for goal in goals
        ]
        found.append(TangleKeyState(key.id, key.time_s, goals, titles, list(held.movers)))
    return TangleMotionState(found)


@feature.command("Key tangle")
def key_tangle(stage: Stage, edit: Edit, message: KeyTangle) -> None:
    """Put the tangle into the key at this time; one of the same chains is replaced."""
    check_movers(stage, [message.tangle], message.movers)
    tangle_of(stage, message.tangle)
    track = edits.track_for(stage.document, edit, TrackKind.TANGLE, "Tangles")
    tangles = [message.tangle]
    movers = dict.fromkeys(message.movers)
    for key in stage.document.keys(track):
        if abs(key.time_s - message.time_s) < edits.SAME_TIME_S:
            held = _decode(key)
            pair = (message.tangle.first, message.tangle.second)
            kept = [goal for goal in held.tangles if (goal.first, goal.second) != pair]
            tangles, movers = [*kept, message.tangle], dict.fromkeys((*held.movers, *movers))
    if len(tangles) > MOST_TANGLES:
        raise WritheError(f"a key holds at most {MOST_TANGLES} tangles")
    data = msgspec.msgpack.encode(TangleKey(tuple(tangles), tuple(movers)))
    edits.put_track_key(stage.document, edit, track, message.time_s, data)


@feature.command("Drop tangle")
def drop_tangle(stage: Stage, edit: Edit, message: DropTangle) -> None:
    """Take one tangle out of a key."""
    for key in tangle_keys(stage.document):
        if key.id == message.key:
            held = _decode(key)
            left = [goal for k, goal in enumerate(held.tangles) if k != message.tangle]
            if left:
                data = msgspec.msgpack.encode(TangleKey(tuple(left), held.movers))
                edit.update("keys", key.id, data=data)
            else:
                edit.delete("keys", key.id)
            return
    raise WritheError("that key is not there any more")


@feature.task("Motion through the tangles", needs=("tangling",))
def wind_keys(stage: Stage, message: WindKeys) -> Work:
    """Read all keys and the scene now; wind from key to key beside other work."""
    document, layout, fps = stage.document, stage.scene.layout, stage.document.fps
    keys = tangle_keys(document)
    if not keys:
        raise WritheError("key a tangle first: wind two chains, then press “Key this tangle”")
    start_f = round(_begin(document, keys) * fps)
    legs: list[tuple[Leg, int, tuple[int, ...]]] = []
    before = start_f
    movers_of_all: dict[int, None] = {}
    start = sample_scene(stage, np.array([start_f / fps]))[0]
    holding: dict[tuple[Chain, Chain], TangleGoal] = {}  # what was keyed holds until keyed anew
    for key in keys:
        held = _decode(key)
        holding |= {(goal.first, goal.second): goal for goal in held.tangles if _known(stage, goal)}
        movers = tuple(check_movers(stage, list(holding.values()), list(held.movers)))
        movers_of_all |= dict.fromkeys(movers)
        at = round(key.time_s * fps)
        around = sample_scene(stage, np.arange(before, at + 1) / fps)
        if len(around) > MOST_FRAMES:
            raise WritheError(f"tangle keys stand at most {MOST_FRAMES} frames apart")
        legs.append(
            (
                Leg(
                    f"{key.time_s:.2f} s",
                    tuple(tangle_of(stage, goal) for goal in holding.values()),
                    setup_of(stage, movers, start),
                    around,
                    _posture(document, layout.actor_q, movers, key.time_s, around[-1]),
                ),
                before,
                movers,
            )
        )
        before = at
    names = names_of(document)
    skeletons = {n: document.figure(document.actor(n).figure).skeleton for n in movers_of_all}

    def work(job: Job) -> Outcome:
        ways: list[tuple[int, Motion, float]] = []
        problems: list[str] = []
        why, clear, q = "", True, start
        for done, (leg, first, movers) in enumerate(legs):
            job.report(done / len(legs), leg.name)
            for number in set(movers_of_all) - set(movers):  # waits for its turn
                leg.around[:, layout.actor_q[label(number)]] = q[layout.actor_q[label(number)]]
            found = wind_leg(leg, q, message.order, fps)
            clear = clear and certify(layout.table, found.rows, fps).certified
            problems += [f"{leg.name}: {plain_sentence(p, names)}" for p in found.problems]
            why = found.why or why
            q = found.rows[-1]
            for number in movers:
                rows = np.ascontiguousarray(found.rows[:, layout.actor_q[label(number)]])
                ways.append((number, Motion(skeletons[number], rows, fps, "Winding"), first / fps))

        def commit(stage: Stage, edit: Edit) -> None:
            for number in movers_of_all:
                first_q = start[layout.actor_q[label(number)]]
                span = (start_f / fps, keys[-1].time_s)
                edits.clear_between(stage.document, edit, number, *span)
                edits.put_key(stage.document, edit, number, span[0], first_q)
            for number, motion, start_s in ways:
                if len(motion) > 1:
                    edits.put_way(stage.document, edit, number, motion, start_s)
                else:
                    edits.put_key(stage.document, edit, number, start_s, motion.q[0])

        show = TanglesMade(job.number, not problems, clear, problems, plain_sentence(why, names))
        return Outcome(commit=commit, show=show)

    return work


@feature.task("Keep the tangle", needs=("tangling",))
def follow_tangle(stage: Stage, message: FollowTangle) -> Work:
    """Read the scene over the time now; follow it frame by frame beside other work."""
    document, layout, fps = stage.document, stage.scene.layout, stage.document.fps
    (mover,) = check_movers(stage, [message.tangle], [message.mover])
    goal = message.tangle
    if goal.first.actor == goal.second.actor and not (goal.first.thing or goal.second.thing):
        raise WritheError("one character follows another: pick chains of two")
    first, last = round(message.start_s * fps), round(message.end_s * fps)
    if not first < last <= first + MOST_FRAMES:
        raise WritheError(f"a tangle is kept over 2 to {MOST_FRAMES} frames")
    around = sample_scene(stage, np.arange(first, last + 1) / fps)
    setup = setup_of(stage, [mover], around[0], loose=True)
    tangle, own = tangle_of(stage, goal), layout.actor_q[label(mover)]
    skeleton = document.figure(document.actor(mover).figure).skeleton
    names = names_of(document)

    def work(job: Job) -> Outcome:
        leg = Leg("start", (tangle,), setup, around[:1])
        begun = wind_leg(leg, around[0], "together", fps)
        rows = follow_frames(setup, [tangle], begun.rows[-1], around, job.report, gradually=False)
        certificate = certify(layout.table, rows, fps)
        lacks = setup.stepper([tangle])
        lacks.update(rows[-1])
        problems = [plain_sentence(p, names) for p in begun.problems]
        if not problems and not lacks.reached().all():
            problems = [f"{tangle.label} is not what it was at the end: the other one is too far"]
        way = Motion(skeleton, np.ascontiguousarray(rows[:, own]), fps, "Keeps the tangle")
        show = TanglesMade(job.number, not problems, certificate.certified, problems, "")
        return Outcome(
            commit=lambda stage, edit: edits.put_way(stage.document, edit, mover, way, first / fps),
            show=show,
        )

    return work


def tangle_keys(document: Document) -> list[Key]:
    """The keys of the scene's track of tangles, in order of time."""
    for track in document.all_tracks():
        if track.kind is TrackKind.TANGLE and track.actor == 0:
            return document.keys(track.id)
    return []


def _decode(key: Key) -> TangleKey:
    return msgspec.msgpack.decode(key.data, type=TangleKey)


def _known(stage: Stage, goal: TangleGoal) -> bool:
    """Whether both chains are still there."""
    try:
        tangle_of(stage, goal)
    except WritheError:
        return False
    return True


def _begin(document: Document, keys: list[Key]) -> float:
    """Where the motion through tangles begins: the last pose key before them, or the start."""
    movers = {number for key in keys for number in _decode(key).movers}
    times = [0.0]
    for number in movers:
        track = document.track(number, TrackKind.POSE)
        times += [] if track is None else [key.time_s for key in document.keys(track.id)]
    return max((t for t in times if t < keys[0].time_s - edits.SAME_TIME_S), default=0.0)


def _posture(
    document: Document,
    places: dict[str, slice],
    movers: tuple[int, ...],
    time_s: float,
    around: Floats,
) -> Floats | None:
    """The posture to approach at a tangle key: what pose keys at its time say, if there are any."""
    out, found = around.copy(), False
    for number in movers:
        track = document.track(number, TrackKind.POSE)
        for key in [] if track is None else document.keys(track.id):
            if abs(key.time_s - time_s) < edits.SAME_TIME_S:
                out[places[label(number)]] = unpack(key.data)
                found = True
    return out if found else None
