"""Tangle keys on the timeline, and motion between them in topology space."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.planning.tangle_motion import TangleInterval, keep_tangle, wind_intervals
from writhe.skeleton import Motion
from writhe.studio.document import Document, KeyRow, TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import SAME_TIME_S, unpack
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene.scene_builder import actor_label
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.tangling.tangles import (
    TangleChain,
    TangleGoal,
    strand_of,
    tangle_of,
    tangle_setup_of,
)
from writhe.studio.features.tangling.winding import Movers, check_movers
from writhe.studio.protocol import Command, Message, MessagePart, Task, Time
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import display_names, display_sentence

feature = Feature("tangle_motion")
MAX_TANGLES = 8  # per key
MAX_FRAMES = 3000


class TangleKey(msgspec.Struct, frozen=True):
    """The data of a key of the tangle track."""

    tangles: tuple[TangleGoal, ...]
    movers: tuple[int, ...]


class TangleKeyState(MessagePart):
    """A tangle key; `titles` are the names of its tangles."""

    id: int
    time_s: float
    tangles: list[TangleGoal]
    titles: list[str]
    movers: list[int]


class TangleMotionState(MessagePart):
    """The tangle keys in order of time."""

    keys: list[TangleKeyState]


class KeyTangle(Command):
    """Key a tangle at a time, in addition to the other tangles of the key there."""

    time_s: Time
    tangle: TangleGoal
    movers: Movers


class RemoveTangle(Command):
    """Remove a tangle from a key; an empty key is deleted."""

    key: int
    tangle: Annotated[int, Meta(ge=0, le=100)]


class WindKeys(Task):
    """Compute the motion through all tangle keys; a tangle holds until it is keyed again."""

    order: Literal["together", "given", "automatic"] = "together"


class FollowTangle(Task):
    """Let one actor keep a tangle over a time interval while the other one moves."""

    tangle: TangleGoal
    mover: int
    start_s: Time
    end_s: Time


class TangleMotionResult(Message):
    """The result: tangles that were not reached and why, and the reason for the order."""

    job: str
    reached: bool
    certified: bool
    problems: list[str]
    why: str


@feature.state
def state(editor: Editor) -> TangleMotionState:
    """The tangle keys, without tangles whose chains no longer exist."""
    found: list[TangleKeyState] = []
    for key in tangle_keys(editor.document):
        held = _decode(key)
        goals = [goal for goal in held.tangles if _known(editor, goal)]
        titles = [
            f"{strand_of(editor, goal.first).name} with {strand_of(editor, goal.second).name}"
            for goal in goals
        ]
        found.append(TangleKeyState(key.id, key.time_s, goals, titles, list(held.movers)))
    return TangleMotionState(found)


@feature.command("Key tangle")
def key_tangle(editor: Editor, edit: Edit, message: KeyTangle) -> None:
    """Add the tangle to the key at this time, replacing one of the same chains."""
    check_movers(editor, [message.tangle], message.movers)
    tangle_of(editor, message.tangle)
    track = edits.track_for(editor.document, edit, TrackKind.TANGLE, "Tangles")
    tangles = [message.tangle]
    movers = dict.fromkeys(message.movers)
    for key in editor.document.keys(track):
        if abs(key.time_s - message.time_s) < SAME_TIME_S:
            held = _decode(key)
            pair = (message.tangle.first, message.tangle.second)
            kept = [goal for goal in held.tangles if (goal.first, goal.second) != pair]
            tangles, movers = [*kept, message.tangle], dict.fromkeys((*held.movers, *movers))
    if len(tangles) > MAX_TANGLES:
        raise WritheError(f"a key holds at most {MAX_TANGLES} tangles")
    data = msgspec.msgpack.encode(TangleKey(tuple(tangles), tuple(movers)))
    edits.put_track_key(editor.document, edit, track, message.time_s, data)


@feature.command("Remove tangle")
def remove_tangle(editor: Editor, edit: Edit, message: RemoveTangle) -> None:
    """Remove one tangle from a key."""
    for key in tangle_keys(editor.document):
        if key.id == message.key:
            held = _decode(key)
            remaining = [goal for k, goal in enumerate(held.tangles) if k != message.tangle]
            if remaining:
                data = msgspec.msgpack.encode(TangleKey(tuple(remaining), held.movers))
                edit.update("keys", key.id, data=data)
            else:
                edit.delete("keys", key.id)
            return
    raise WritheError("that key no longer exists")


@feature.task("Motion through the tangles", needs=("tangling",))
def wind_keys(editor: Editor, message: WindKeys) -> Work:
    """Read all keys and the scene now; solve from key to key in the background."""
    document, layout, fps = editor.document, editor.scene.layout, editor.document.fps
    keys = tangle_keys(document)
    if not keys:
        raise WritheError("key a tangle first: wind two chains, then press “Key this tangle”")
    start_f = round(_begin(document, keys) * fps)
    intervals: list[TangleInterval] = []
    starts: list[tuple[int, tuple[int, ...]]] = []  # first frame and movers of each interval
    before = start_f
    movers_of_all: dict[int, None] = {}
    start = editor.sample(np.array([start_f / fps]))[0]
    # the goals in effect: a tangle holds until it is keyed again
    active: dict[tuple[TangleChain, TangleChain], TangleGoal] = {}
    for key in keys:
        held = _decode(key)
        active |= {(goal.first, goal.second): goal for goal in held.tangles if _known(editor, goal)}
        movers = tuple(check_movers(editor, list(active.values()), list(held.movers)))
        movers_of_all |= dict.fromkeys(movers)
        at = round(key.time_s * fps)
        around = editor.sample(np.arange(before, at + 1) / fps)
        if len(around) > MAX_FRAMES:
            raise WritheError(f"two tangle keys can be at most {MAX_FRAMES} frames apart")
        intervals.append(
            TangleInterval(
                f"{key.time_s:.2f} s",
                tuple(tangle_of(editor, goal) for goal in active.values()),
                tangle_setup_of(editor, movers, start),
                around,
                _posture(document, layout.actor_q, movers, key.time_s, around[-1]),
                tuple(actor_label(number) for number in movers),
            )
        )
        starts.append((before, movers))
        before = at
    names = display_names(document)
    skeletons = {n: document.figure(document.actor(n).figure).skeleton for n in movers_of_all}

    def work(job: Job) -> Outcome:
        found = wind_intervals(layout, intervals, start, message.order, fps, job.report)
        motions: list[tuple[int, Motion, float]] = []
        for rows, (first, movers) in zip(found.rows, starts, strict=True):
            for number in movers:
                actor_rows = np.ascontiguousarray(rows[:, layout.actor_q[actor_label(number)]])
                motion = Motion(skeletons[number], actor_rows, fps, "Winding")
                motions.append((number, motion, first / fps))
        problems = [f"{name}: {display_sentence(p, names)}" for name, p in found.problems]
        why, clear = found.why, found.certified

        def commit(editor: Editor, edit: Edit) -> None:
            for number in movers_of_all:
                first_q = start[layout.actor_q[actor_label(number)]]
                span = (start_f / fps, keys[-1].time_s)
                edits.clear_between(editor.document, edit, number, *span)
                edits.put_key(editor.document, edit, number, span[0], first_q)
            for number, motion, start_s in motions:
                if len(motion) > 1:
                    edits.put_sampled_track(editor.document, edit, number, motion, start_s)
                else:
                    edits.put_key(editor.document, edit, number, start_s, motion.q[0])

        show = TangleMotionResult(
            job.number, not problems, clear, problems, display_sentence(why, names)
        )
        return Outcome(commit=commit, show=show)

    return work


@feature.task("Keep the tangle", needs=("tangling",))
def follow_tangle(editor: Editor, message: FollowTangle) -> Work:
    """Sample the scene now; follow it frame by frame in the background."""
    document, layout, fps = editor.document, editor.scene.layout, editor.document.fps
    (mover,) = check_movers(editor, [message.tangle], [message.mover])
    goal = message.tangle
    if goal.first.actor == goal.second.actor and not (goal.first.object or goal.second.object):
        raise WritheError("pick chains of two characters: one follows the other")
    first, last = round(message.start_s * fps), round(message.end_s * fps)
    if not first < last <= first + MAX_FRAMES:
        raise WritheError(f"a tangle can be kept over 2 to {MAX_FRAMES} frames")
    around = editor.sample(np.arange(first, last + 1) / fps)
    setup = tangle_setup_of(editor, [mover], around[0], loose=True)
    tangle, own = tangle_of(editor, goal), layout.actor_q[actor_label(mover)]
    skeleton = document.figure(document.actor(mover).figure).skeleton
    names = display_names(document)

    def work(job: Job) -> Outcome:
        found = keep_tangle(setup, tangle, around, fps, job.report)
        problems = [display_sentence(p, names) for p in found.problems]
        motion = Motion(skeleton, np.ascontiguousarray(found.rows[:, own]), fps, "Keeps the tangle")
        show = TangleMotionResult(job.number, not problems, found.certified, problems, "")
        return Outcome(
            commit=lambda editor, edit: edits.put_sampled_track(
                editor.document, edit, mover, motion, first / fps
            ),
            show=show,
        )

    return work


def tangle_keys(document: Document) -> list[KeyRow]:
    """The keys of the tangle track, in order of time."""
    for track in document.all_tracks():
        if track.kind is TrackKind.TANGLE and track.actor == 0:
            return document.keys(track.id)
    return []


def _decode(key: KeyRow) -> TangleKey:
    """The tangles of a key; documents of earlier versions call `TangleChain.object` `thing`."""
    data = msgspec.msgpack.decode(key.data)
    for chain in (goal[side] for goal in data["tangles"] for side in ("first", "second")):
        if "thing" in chain:
            chain["object"] = chain.pop("thing")
    return msgspec.convert(data, TangleKey)


def _known(editor: Editor, goal: TangleGoal) -> bool:
    """Whether both chains still exist."""
    try:
        tangle_of(editor, goal)
    except WritheError:
        return False
    return True


def _begin(document: Document, keys: list[KeyRow]) -> float:
    """Start time of the motion: the last pose key before the tangle keys, or 0."""
    movers = {number for key in keys for number in _decode(key).movers}
    times = [0.0]
    for number in movers:
        track = document.track(number, TrackKind.POSE)
        times += [] if track is None else [key.time_s for key in document.keys(track.id)]
    return max((t for t in times if t < keys[0].time_s - SAME_TIME_S), default=0.0)


def _posture(
    document: Document,
    actor_q: dict[str, slice],
    movers: tuple[int, ...],
    time_s: float,
    around: Floats,
) -> Floats | None:
    """The reference posture at a tangle key: pose keys at its time, or None."""
    out, found = around.copy(), False
    for number in movers:
        track = document.track(number, TrackKind.POSE)
        for key in [] if track is None else document.keys(track.id):
            if abs(key.time_s - time_s) < SAME_TIME_S:
                out[actor_q[actor_label(number)]] = unpack(key.data)
                found = True
    return out if found else None
