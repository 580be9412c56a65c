"""Connect two keys without penetration: alternatives to look at side by side, and one to keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from msgspec import Meta

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.planning import (
    DefaultPlanner,
    Energy,
    EnergyOptions,
    Plan,
    PlanOptions,
    PlanProblem,
    Style,
    scene_problem,
    to_motion,
)
from writhe.studio import edits
from writhe.studio.document.history import Edit
from writhe.studio.document.rows import Key, TrackKind, unpack
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.certificate import sample_scene
from writhe.studio.jobs import Job
from writhe.studio.messages import Command, Message, Part, Task
from writhe.studio.stage import Stage
from writhe.studio.surroundings import label

feature = Feature("connect")
Joints = Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=12)]
MOST_WAYS = 8  # that a session keeps until one is chosen


class Connect(Task, frozen=True, tag="connect"):
    """Find ways between two pose keys of an actor; `planted` names joints that stay in place."""

    actor: int
    first: int
    second: int
    planted: Joints


class UseWay(Command, frozen=True, tag="use_way"):
    """Key the frames of a way that was found."""

    job: str
    way: Annotated[int, Meta(ge=0, le=10)]


class WayFound(Part, frozen=True):
    """One way: its poses frame by frame (float32), its energy, and what is proven of it."""

    title: str
    q: bytes
    frames: int
    energy: list[float]
    length_rad: float
    clearance_m: float


class Ways(Message, frozen=True, tag="ways"):
    """The alternatives; none with a reason when there is no way."""

    job: str
    actor: int
    start_s: float
    fps: float
    ways: list[WayFound]
    reason: str


@dataclass
class _Kept:
    actor: int
    start_s: float
    fps: float
    rows: list[Floats]


@dataclass
class Memory:
    """The ways that wait for a choice, by the job that found them."""

    kept: dict[str, _Kept] = field(default_factory=dict[str, _Kept])


# name, fall-off of the energy, limbs in turn
_KINDS: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("Close to the body", 5, ()),
    ("Wide", 2, ()),
    ("Legs, then arms", 5, ("legs", "arms")),
)


@feature.task("Connect without penetration")
def connect(stage: Stage, message: Connect) -> Work:
    """Read both keys and all that stands around; plan beside everything else."""
    first, second = _ends(stage, message)
    fps, who = stage.document.fps, label(message.actor)
    around = sample_scene(stage, np.array([first.time_s]))[0]
    problem = scene_problem(
        stage.scene,
        who,
        unpack(first.data),
        unpack(second.data),
        planted=tuple(message.planted),
        around=around,
    )
    own = stage.scene.layout.actor_q[who]
    memory = stage.own(Memory)

    def work(job: Job) -> Outcome:
        ways: list[WayFound] = []
        rows: list[Floats] = []
        reason = ""
        for done, (title, falloff, in_turn) in enumerate(_KINDS):
            job.report(done / len(_KINDS), title.lower())
            options = PlanOptions(energy=EnergyOptions(falloff=falloff))
            found = DefaultPlanner(options).plan(problem)
            if not found.solved:
                reason = found.notes[0] if found.notes else "no way was found"
                continue
            style = Style(duration_s=second.time_s - first.time_s, fps=fps, in_turn=in_turn)
            q = to_motion(found, style).resample(fps).q
            if any(len(q) == len(r) and np.allclose(q[:, own], r, atol=1e-3) for r in rows):
                continue
            rows.append(np.ascontiguousarray(q[:, own]))
            ways.append(_way(title, problem, found, q, rows[-1]))
        while len(memory.kept) >= MOST_WAYS:
            memory.kept.pop(next(iter(memory.kept)))
        memory.kept[job.number] = _Kept(message.actor, first.time_s, fps, rows)
        show = Ways(job.number, message.actor, first.time_s, fps, ways, "" if ways else reason)
        return Outcome(show=show)

    return work


@feature.command("Connect keys")
def use(stage: Stage, edit: Edit, message: UseWay) -> None:
    """Replace the keys between the two by the frames of the way."""
    kept = stage.own(Memory).kept.get(message.job)
    if kept is None or message.way >= len(kept.rows):
        raise WritheError("that way is not there any more: connect the keys again")
    document, rows = stage.document, kept.rows[message.way]
    end_s = kept.start_s + (len(rows) - 1) / kept.fps
    track = document.track(kept.actor, TrackKind.POSE)
    if track is not None:
        for key in document.keys(track.id):
            if kept.start_s + 1e-4 < key.time_s < end_s - 1e-4:
                edit.delete("keys", key.id)
    for i, q in enumerate(rows):
        edits.put_key(document, edit, kept.actor, kept.start_s + i / kept.fps, q)


def _ends(stage: Stage, message: Connect) -> tuple[Key, Key]:
    track = stage.document.track(message.actor, TrackKind.POSE)
    keys = {} if track is None else {key.id: key for key in stage.document.keys(track.id)}
    if message.first not in keys or message.second not in keys:
        raise WritheError("select two pose keys of one character to connect")
    first, second = sorted((keys[message.first], keys[message.second]), key=lambda k: k.time_s)
    if first.id == second.id:
        raise WritheError("select two different keys to connect")
    return first, second


def _way(title: str, problem: PlanProblem, plan: Plan, q: Floats, own: Floats) -> WayFound:
    energy = Energy(problem.table, variable=problem.variable).along(q)
    clearance = plan.certificate.min_clearance_m
    return WayFound(
        title=title,
        q=own.astype("<f4").tobytes(),
        frames=len(own),
        energy=[float(e) for e in np.log10(energy + 1e-9)],
        length_rad=plan.length_rad,
        clearance_m=1.0 if clearance is None else min(1.0, clearance),
    )
