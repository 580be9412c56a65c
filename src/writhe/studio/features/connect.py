"""Connect two keys without penetration: alternatives to look at side by side, and one to keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from msgspec import Meta

from writhe.arrays import Floats
from writhe.collision import certify
from writhe.errors import WritheError
from writhe.planning import Energy, Plan, PlanProblem, scene_problem
from writhe.skeleton import Motion
from writhe.studio.document.history import Edit
from writhe.studio.document.rows import Key, TrackKind, unpack
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.route_search import CLOSE, WIDE, played, search, why_not
from writhe.studio.editing.scene_builder import label
from writhe.studio.editing.scene_sampling import sample_scene
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.protocol import Command, Message, Part, Task
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import names_of

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
    """Let the actor go a way that was found, from one key to the other."""

    job: str
    way: Annotated[int, Meta(ge=0, le=10)]


class WayFound(Part, frozen=True):
    """One way: its poses frame by frame (float32), its energy, and what is proven of it."""

    title: str
    about: str
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
    duration_s: float
    ways: list[WayFound]
    reason: str


@dataclass
class _Kept:
    actor: int
    start_s: float
    ways: list[Motion]


@dataclass
class Memory:
    """The ways that wait for a choice, by the job that found them."""

    kept: dict[str, _Kept] = field(default_factory=dict[str, _Kept])


@dataclass(frozen=True)
class _Kind:
    title: str
    about: str
    falloff: int
    in_turn: tuple[str, ...] = ()
    shortest: bool = False


_KINDS = (
    _Kind("Close", "Stays close to the body (fall-off 5)", CLOSE),
    _Kind("Wide", "Keeps far from the body (fall-off 2)", WIDE),
    _Kind("Shortest", "Corners are cut for as long as it stays clear", CLOSE, shortest=True),
    _Kind("Legs, then arms", "Limbs move one after the other", CLOSE, ("legs", "arms")),
)


@feature.task("Connect without penetration", needs=("planning",))
def connect(stage: Stage, message: Connect) -> Work:
    """Read both keys and all that stands around; plan beside everything else."""
    first, second = _ends(stage, message)
    fps, who = stage.document.fps, label(message.actor)
    if who not in stage.scene.layout.actor_q:
        raise WritheError("this character has no solid shapes: there is nothing to go round")
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
    skeleton = stage.document.figure(stage.document.actor(message.actor).figure).skeleton
    names, memory = names_of(stage.document), stage.own(Memory)
    duration_s = second.time_s - first.time_s

    def work(job: Job) -> Outcome:
        ways: list[WayFound] = []
        kept: list[Motion] = []
        reason = ""
        for done, kind in enumerate(_KINDS):
            job.report(done / len(_KINDS), kind.title)
            found = search(problem, kind.falloff, shortest=kind.shortest)
            if not found.solved:
                reason = why_not(found, names)
                continue
            try:
                motion = played(found, duration_s, fps, kind.in_turn)
            except WritheError as error:  # the others may still be played
                reason = str(error)
                continue
            rows = np.ascontiguousarray(motion.q[:, own])
            if any(len(rows) == len(m) and np.allclose(rows, m.q, atol=0.02) for m in kept):
                continue
            kept.append(Motion(skeleton, rows, motion.fps, f"Way round: {kind.title.lower()}"))
            ways.append(_way(kind, problem, found, motion.q, rows))
        while len(memory.kept) >= MOST_WAYS:
            memory.kept.pop(next(iter(memory.kept)))
        memory.kept[job.number] = _Kept(message.actor, first.time_s, kept)
        show = Ways(
            job.number, message.actor, first.time_s, duration_s, ways, "" if ways else reason
        )
        return Outcome(show=show)

    return work


@feature.command("Connect keys")
def use(stage: Stage, edit: Edit, message: UseWay) -> None:
    """Put the way between the two keys, in place of whatever is there."""
    kept = stage.own(Memory).kept.get(message.job)
    if kept is None or message.way >= len(kept.ways):
        raise WritheError("that way is not there any more: connect the keys again")
    edits.put_way(stage.document, edit, kept.actor, kept.ways[message.way], kept.start_s)


def _ends(stage: Stage, message: Connect) -> tuple[Key, Key]:
    track = stage.document.track(message.actor, TrackKind.POSE)
    keys = {} if track is None else {key.id: key for key in stage.document.keys(track.id)}
    if message.first not in keys or message.second not in keys:
        raise WritheError("select two pose keys of one character to connect")
    first, second = sorted((keys[message.first], keys[message.second]), key=lambda k: k.time_s)
    if first.id == second.id:
        raise WritheError("select two different keys to connect")
    return first, second


def _way(kind: _Kind, problem: PlanProblem, plan: Plan, q: Floats, own: Floats) -> WayFound:
    energy = Energy(problem.table, variable=problem.variable).along(q)
    clearance = certify(problem.table, q).min_clearance_m
    return WayFound(
        title=kind.title,
        about=kind.about,
        q=own.astype("<f4").tobytes(),
        frames=len(own),
        energy=[float(e) for e in np.log10(energy + 1e-9)],
        length_rad=plan.length_rad,
        clearance_m=1.0 if clearance is None else min(1.0, clearance),
    )
