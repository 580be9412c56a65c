"""Moving holds: a pose that is held between two keys breathes instead of freezing."""

from __future__ import annotations

import numpy as np

from writhe.animation.body.moving_hold import moving_hold
from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.skeleton import Figure, Motion, forward
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import SAME_TIME_S
from writhe.studio.editing import edits, held_joints
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.in_betweens import actor_pins
from writhe.studio.editing.scene.scene_builder import (
    SceneKey,
    actor_label,
    build_scene,
    sample_document,
)
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.protocol import Message, Task, Time
from writhe.studio.server.jobs import Job

feature = Feature("moving_hold")

_SAME_POSE_M = 1e-3
_SHORTEST_S = 0.5
_AFTER_S = 2.0  # after the last key


class MakeMovingHold(Task):
    """Let a character breathe between the keys around a time, which have the same pose.

    After its last key it breathes for two seconds.
    """

    actor: int
    time_s: Time


class MovingHoldMade(Message):
    """A moving hold was added: its range, and what it does not keep."""

    job: str
    start_s: float
    end_s: float
    conflicts: list[str]


@feature.task("Moving hold", needs=("planning",))
def make_moving_hold(editor: Editor, message: MakeMovingHold) -> Work:
    """Read the keys and the scene around them now; solve in the background."""
    document, number = editor.document, message.actor
    actor = document.actor(number)
    figure, fps = document.figure(actor.figure), document.fps
    start_s, end_s, q = _held(editor, figure, number, message.time_s)
    if held_joints.joined_actors(document, number, start_s):
        raise WritheError("a character that holds on to another one cannot breathe on its own")
    scene = build_scene(document, SceneKey.of(document, (start_s, end_s)))
    if actor_label(number) not in scene.layout.actor_q:
        raise WritheError("this character has no solid shapes, so nothing can be kept apart")
    rows = sample_document(document, scene, np.arange(start_s, end_s + 0.5 / fps, 1.0 / fps))
    held = actor_pins(figure.skeleton, actor.pins, (start_s, end_s), np.stack([q, q]))
    pins = [timed.pin for timed in held]
    holds = held_joints.on_own_tree(document, number, start_s)

    def around(times_s: Floats) -> Floats:
        return rows[np.clip(np.rint(times_s * fps).astype(np.int64), 0, len(rows) - 1)]

    def work(job: Job) -> Outcome:
        found = moving_hold(
            scene,
            q,
            end_s - start_s,
            fps=fps,
            pins=[*pins, *holds],
            actor=actor_label(number),
            environment=around,
        )
        motion = Motion(figure.skeleton, found.motion.q, fps, "Moving hold")
        conflicts = sorted({conflict.what for conflict in found.conflicts})

        def commit(editor: Editor, edit: Edit) -> None:
            edits.put_sampled_track(editor.document, edit, number, motion, start_s)
            if editor.document.duration_s < end_s:
                edit.setting("duration_s", end_s)

        return Outcome(
            commit=commit,
            show=MovingHoldMade(job.number, start_s, end_s, conflicts),
        )

    return work


def _held(editor: Editor, figure: Figure, actor: int, time_s: float) -> tuple[float, float, Floats]:
    """Start and end of the range around a time in which a pose (nq) is held, and the pose."""
    keys = editor.document.timeline(actor).keys
    if keys is None or not len(keys.times_s):
        raise WritheError("nothing is keyed yet: key a pose first (K)")
    times = [float(t) for t in keys.times_s]
    ranges = [*zip(times[:-1], times[1:], keys.q[:-1], keys.q[1:], strict=True)]
    ranges.append((times[-1], times[-1] + _AFTER_S, keys.q[-1], keys.q[-1]))
    # at a key, the range after it is looked at first
    for start, end, first, last in reversed(ranges):
        within = start - SAME_TIME_S <= time_s <= end + SAME_TIME_S
        if not (within or start == times[-1] <= time_s) or end - start < _SHORTEST_S:
            continue
        ends = forward(figure.skeleton, np.stack([first, last])).positions
        if np.linalg.norm(ends[1] - ends[0], axis=1).max() < _SAME_POSE_M:
            return start, end, first.copy()
    raise WritheError(
        "no pose is held here: put the playhead between two keys with the same pose, half a second"
        " apart or more. To hold a pose, go to where it ends and key it again (K)"
    )
