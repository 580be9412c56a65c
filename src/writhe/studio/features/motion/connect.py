"""Connects two keys by penetration-free paths: several alternatives, of which one is used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from msgspec import Meta

from writhe.arrays import Floats
from writhe.collision import certify
from writhe.errors import WritheError
from writhe.planning import Energy, Plan, scene_problem
from writhe.planning.connect import KINDS, PathKind, Stepping, connection
from writhe.skeleton import Motion
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import KeyRow, TrackKind, unpack
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene.scene_builder import actor_label
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.protocol import Command, Message, MessagePart, Task
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import display_name, display_names

feature = Feature("connect")
Joints = Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=12)]
MAX_SEARCHES = 8  # results that a session keeps


class Connect(Task):
    """Plan paths between two pose keys of an actor; `planted` joints stay in place."""

    actor: int
    first: int
    second: int
    planted: Joints


class UsePath(Command):
    """Use a found path between its two keys."""

    job: str
    path: Annotated[int, Meta(ge=0, le=10)]


class FoundPath(MessagePart):
    """A path: poses per frame (float32), log10 of the energy per frame, length and clearance."""

    title: str
    about: str
    q: bytes
    frames: int
    energy: list[float]
    length_rad: float
    clearance_m: float


class FoundPaths(Message):
    """The paths found; if there are none, the reason."""

    job: str
    actor: int
    start_s: float
    duration_s: float
    paths: list[FoundPath]
    reason: str


@dataclass
class _FoundPaths:
    actor: int
    start_s: float
    motions: list[Motion]


@dataclass
class SearchResults:
    """The found motions of recent searches, by job."""

    by_job: dict[str, _FoundPaths] = field(default_factory=dict[str, _FoundPaths])


@feature.task("Connect without penetration", needs=("planning",))
def connect(editor: Editor, message: Connect) -> Work:
    """Read both keys and the scene now; plan in the background."""
    first, second = _ends(editor, message)
    fps, who = editor.document.fps, actor_label(message.actor)
    if who not in editor.scene.layout.actor_q:
        raise WritheError("this character has no solid shapes, so nothing can collide with it")
    around = editor.sample(np.array([first.time_s]))[0]
    problem = scene_problem(
        editor.scene,
        who,
        unpack(first.data),
        unpack(second.data),
        planted=tuple(message.planted),
        around=around,
    )
    actor_q = editor.scene.layout.actor_q[who]
    body = Stepping(editor.scene.actor(who).figure, f"{who}.", actor_q)
    stepping = None if message.planted else body
    skeleton = editor.document.figure(editor.document.actor(message.actor).figure).skeleton

    names, results = display_names(editor.document), editor.session_data(SearchResults)
    duration_s = second.time_s - first.time_s

    def work(job: Job) -> Outcome:
        paths: list[FoundPath] = []
        motions: list[Motion] = []
        reason = ""
        for done, kind in enumerate(KINDS):
            job.report(done / len(KINDS), kind.title)
            found = connection(
                problem,
                kind,
                duration_s,
                fps,
                stepping=stepping,
                name_of=lambda part: display_name(part, names),
            )
            if found is None:
                continue
            motion, reason = found.motion, found.reason or reason
            if motion is None:
                continue
            rows = np.ascontiguousarray(motion.q[:, actor_q])
            if any(len(rows) == len(m) and np.allclose(rows, m.q, atol=0.02) for m in motions):
                continue
            motions.append(Motion(skeleton, rows, motion.fps, f"Path: {kind.title.lower()}"))
            paths.append(_found_path(kind, found.plan, motion.q, rows))
        while len(results.by_job) >= MAX_SEARCHES:
            results.by_job.pop(next(iter(results.by_job)))
        results.by_job[job.number] = _FoundPaths(message.actor, first.time_s, motions)
        show = FoundPaths(
            job.number, message.actor, first.time_s, duration_s, paths, "" if paths else reason
        )
        return Outcome(show=show)

    return work


@feature.command("Connect keys")
def use(editor: Editor, edit: Edit, message: UsePath) -> None:
    """Insert the path between the two keys, replacing what is there."""
    found = editor.session_data(SearchResults).by_job.get(message.job)
    if found is None or message.path >= len(found.motions):
        raise WritheError("that path is no longer stored: connect the keys again")
    edits.put_sampled_track(
        editor.document, edit, found.actor, found.motions[message.path], found.start_s
    )


def _ends(editor: Editor, message: Connect) -> tuple[KeyRow, KeyRow]:
    track = editor.document.track(message.actor, TrackKind.POSE)
    keys = {} if track is None else {key.id: key for key in editor.document.keys(track.id)}
    if message.first not in keys or message.second not in keys:
        raise WritheError("select two pose keys of one character to connect")
    first, second = sorted((keys[message.first], keys[message.second]), key=lambda k: k.time_s)
    if first.id == second.id:
        raise WritheError("select two different keys to connect")
    return first, second


def _found_path(kind: PathKind, plan: Plan, q: Floats, own: Floats) -> FoundPath:
    problem = plan.problem
    energy = Energy(problem.table, variable=problem.variable).along(q)
    clearance = certify(problem.table, q, fps=1.0).min_clearance_m
    return FoundPath(
        title=kind.title,
        about=kind.about,
        q=own.astype("<f4").tobytes(),
        frames=len(own),
        energy=[float(e) for e in np.log10(energy + 1e-9)],
        length_rad=plan.length_rad,
        clearance_m=1.0 if clearance is None else min(1.0, clearance),
    )
