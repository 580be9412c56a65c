"""Turns command messages into edits of the document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.skeleton import Figure
from writhe.studio import protocol
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits, starting_poses
from writhe.studio.editing.editor import Stage
from writhe.studio.feature import Outcome
from writhe.studio.protocol.registry import COMMANDS, FEATURES


def carry_out(stage: Stage, message: protocol.Command) -> None:
    """Do what a command says, once: a repeated request is acknowledged and nothing else."""
    document = stage.document
    if document.carried_out(message.request):
        return
    if isinstance(message, protocol.Release):
        stage.release(message)
    elif isinstance(message, protocol.Undo):
        document.undo(message.request)
    elif isinstance(message, protocol.Redo):
        document.redo(message.request)
    else:
        label, body = (_BODIES | COMMANDS)[type(message)]
        with document.edit(label, message.request) as edit:
            body(stage, edit, message)
    stage.refresh()


def commit(stage: Stage, label: str, request: str, outcome: Outcome) -> None:
    """Make what long work came to one command."""
    if outcome.commit is not None and not stage.document.carried_out(request):
        with stage.document.edit(label, request) as edit:
            outcome.commit(stage, edit)
        stage.refresh()


def answer_drag(stage: Stage, message: protocol.Drag) -> protocol.Answer:
    """Move the actor a step, with what features read from the new pose."""
    answer = stage.drag(message)
    readings = {f.name: f.reading_of(stage, answer.actor) for f in FEATURES if f.reading_of}
    found = {name: reading for name, reading in readings.items() if reading is not None}
    return msgspec.structs.replace(answer, features=found) if found else answer


def _figure_and_pose(stage: Stage, number: int) -> tuple[Figure, Floats]:
    actor = stage.document.actor(number)
    return stage.document.figure(actor.figure), stage.puppet(actor).q


def _joint(figure: Figure, number: int) -> str:
    if not 0 <= number < len(figure.skeleton):
        raise WritheError(f"this figure has no joint number {number}")
    return figure.skeleton.names[number]


def _rename(stage: Stage, edit: Edit, m: protocol.Rename) -> None:
    edit.setting("name", m.name.strip() or "Untitled")


def _set_pin(stage: Stage, edit: Edit, m: protocol.SetPin) -> None:
    figure, q = _figure_and_pose(stage, m.actor)
    edits.set_pin(stage.document, edit, m.actor, q, _joint(figure, m.joint), m.hold)


def _choose_method(stage: Stage, edit: Edit, m: protocol.ChooseMethod) -> None:
    edits.choose_method(stage.document, edit, m.actor, m.method)


def _choose_figure(stage: Stage, edit: Edit, m: protocol.ChooseFigure) -> None:
    edits.choose_figure(stage.document, edit, m.actor, m.figure)


def _add_actor(stage: Stage, edit: Edit, m: protocol.AddActor) -> None:
    edits.add_actor(stage.document, edit, m.figure)


def _remove_actor(stage: Stage, edit: Edit, m: protocol.RemoveActor) -> None:
    edits.remove_actor(stage.document, edit, m.actor)


def _mirror_pose(stage: Stage, edit: Edit, m: protocol.MirrorPose) -> None:
    figure, q = _figure_and_pose(stage, m.actor)
    turned = starting_poses.mirrored(figure, q)
    edits.set_pose(stage.document, edit, m.actor, turned, stage.time_s)
    edits.repin(stage.document, edit, m.actor, turned)
    edits.mirror_contacts(stage.document, edit, m.actor)


def _reset_pose(stage: Stage, edit: Edit, m: protocol.ResetPose) -> None:
    figure, q = _figure_and_pose(stage, m.actor)
    if m.joint is None:
        fresh = starting_poses.starting_pose(figure)
    else:
        fresh = starting_poses.limb_reset(figure, q, _joint(figure, m.joint))
    edits.set_pose(stage.document, edit, m.actor, fresh, stage.time_s)
    edits.repin(stage.document, edit, m.actor, fresh)


def _set_key(stage: Stage, edit: Edit, m: protocol.SetKey) -> None:
    _, q = _figure_and_pose(stage, m.actor)
    edits.put_key(stage.document, edit, m.actor, m.time_s, q)


def _move_keys(stage: Stage, edit: Edit, m: protocol.MoveKeys) -> None:
    edits.move_keys(stage.document, edit, m.keys, m.by_s)


def _copy_keys(stage: Stage, edit: Edit, m: protocol.CopyKeys) -> None:
    edits.copy_keys(stage.document, edit, m.keys, m.to_s)


def _delete_keys(stage: Stage, edit: Edit, m: protocol.DeleteKeys) -> None:
    edits.delete_keys(stage.document, edit, m.keys)


def _set_ease(stage: Stage, edit: Edit, m: protocol.SetEase) -> None:
    edits.set_ease(stage.document, edit, m.keys, m.ease)


def _set_timeline(stage: Stage, edit: Edit, m: protocol.SetTimeline) -> None:
    edit.setting("duration_s", m.duration_s)
    edit.setting("fps", m.fps)


# the label (what "Undo ..." shows) and the body of each command
_BODIES: dict[type[protocol.Message], tuple[str, Callable[[Stage, Edit, Any], None]]] = {
    protocol.Rename: ("Rename", _rename),
    protocol.SetPin: ("Pin", _set_pin),
    protocol.ChooseMethod: ("Choose method", _choose_method),
    protocol.ChooseFigure: ("Choose body", _choose_figure),
    protocol.AddActor: ("Add character", _add_actor),
    protocol.RemoveActor: ("Remove character", _remove_actor),
    protocol.MirrorPose: ("Mirror pose", _mirror_pose),
    protocol.ResetPose: ("Reset pose", _reset_pose),
    protocol.SetKey: ("Set key", _set_key),
    protocol.MoveKeys: ("Move keys", _move_keys),
    protocol.CopyKeys: ("Copy keys", _copy_keys),
    protocol.DeleteKeys: ("Delete keys", _delete_keys),
    protocol.SetEase: ("Change easing", _set_ease),
    protocol.SetTimeline: ("Change timeline", _set_timeline),
}
