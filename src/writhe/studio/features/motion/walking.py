"""Walks of a character to a place on the floor, or to a chair."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from writhe.studio.document.history import Edit
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.walks import plan_walk
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.protocol import Message, Task
from writhe.studio.server.jobs import Job

feature = Feature("walking")

Metres = Annotated[float, Meta(ge=-100, le=100)]


class WalkTo(Task):
    """Walk from the pose at the playhead to (x, z) on the floor, or to stand before an object."""

    actor: int
    x: Metres = 0.0
    z: Metres = 0.0
    object: int = 0


class Walked(Message):
    """A walk was added: when it ends, and the pins, limits or contacts that it does not keep."""

    job: str
    end_s: float
    conflicts: list[str]


@feature.task("Walk", needs=("planning",))
def walk_to(editor: Editor, message: WalkTo) -> Work:
    """Read the pose now; walk in the background."""
    planned = plan_walk(editor, message.actor, (message.x, message.z), message.object)

    def work(job: Job) -> Outcome:
        found = planned.solve()

        def commit(editor: Editor, edit: Edit) -> None:
            planned.commit(editor, edit, found)

        end_s = planned.begin_s + found.motion.duration_s
        conflicts = sorted({conflict.what for conflict in found.conflicts})
        return Outcome(commit=commit, show=Walked(job.number, end_s, conflicts))

    return work
