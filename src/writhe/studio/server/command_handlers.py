"""Executes command messages as edits of the document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from writhe.animation.mirror import mirrored_pose
from writhe.arrays import Floats
from writhe.skeleton import Figure
from writhe.studio import protocol
from writhe.studio.document.history import Edit
from writhe.studio.editing import edits, held_joints, starting_poses
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import Outcome
from writhe.studio.protocol.registry import COMMANDS


def carry_out(editor: Editor, message: protocol.Command) -> None:
    """Execute a command; a repeated request does nothing."""
    document = editor.document
    if document.carried_out(message.request):
        return
    if isinstance(message, protocol.Release):
        editor.release(message)
    elif isinstance(message, protocol.Undo):
        document.undo(message.request)
    elif isinstance(message, protocol.Redo):
        document.redo(message.request)
    else:
        label, body = (_BODIES | COMMANDS)[type(message)]
        with document.edit(label, message.request) as edit:
            body(editor, edit, message)
    editor.refresh()


def commit(editor: Editor, label: str, request: str, outcome: Outcome) -> None:
    """Commit the outcome of a task as one command."""
    if outcome.commit is not None and not editor.document.carried_out(request):
        with editor.document.edit(label, request) as edit:
            outcome.commit(editor, edit)
        editor.refresh()


def _figure_and_pose(editor: Editor, number: int) -> tuple[Figure, Floats]:
    actor = editor.document.actor(number)
    return editor.document.figure(actor.figure), editor.posed_actor(actor).q


def _rename(editor: Editor, edit: Edit, m: protocol.Rename) -> None:
    edit.setting("name", m.name.strip() or "Untitled")


def _set_pin(editor: Editor, edit: Edit, m: protocol.SetPin) -> None:
    figure, q = _figure_and_pose(editor, m.actor)
    edits.set_pin(editor.document, edit, m.actor, q, figure.skeleton.joint_name(m.joint), m.hold)


def _choose_method(editor: Editor, edit: Edit, m: protocol.ChooseMethod) -> None:
    edits.choose_method(editor.document, edit, m.actor, m.method)


def _choose_figure(editor: Editor, edit: Edit, m: protocol.ChooseFigure) -> None:
    edits.choose_figure(editor.document, edit, m.actor, m.figure)


def _add_actor(editor: Editor, edit: Edit, m: protocol.AddActor) -> None:
    edits.add_actor(editor.document, edit, m.figure)


def _remove_actor(editor: Editor, edit: Edit, m: protocol.RemoveActor) -> None:
    edits.remove_actor(editor.document, edit, m.actor)


def _mirror_pose(editor: Editor, edit: Edit, m: protocol.MirrorPose) -> None:
    figure, q = _figure_and_pose(editor, m.actor)
    mirrored = mirrored_pose(figure, q)
    edits.set_pose(editor.document, edit, m.actor, mirrored, editor.time_s)
    edits.update_pins(editor.document, edit, m.actor, mirrored)
    edits.mirror_contacts(editor.document, edit, m.actor)


def _reset_pose(editor: Editor, edit: Edit, m: protocol.ResetPose) -> None:
    figure, q = _figure_and_pose(editor, m.actor)
    if m.joint is None:
        fresh = starting_poses.starting_pose(figure)
    else:
        fresh = starting_poses.limb_reset(figure, q, figure.skeleton.joint_name(m.joint))
    edits.set_pose(editor.document, edit, m.actor, fresh, editor.time_s)
    edits.update_pins(editor.document, edit, m.actor, fresh)


def _set_key(editor: Editor, edit: Edit, m: protocol.SetKey) -> None:
    """Key the actor, and those who hold each other with it."""
    joined = held_joints.joined_actors(editor.document, m.actor, m.time_s)
    for number in (m.actor, *sorted(joined)):
        _, q = _figure_and_pose(editor, number)
        edits.put_key(editor.document, edit, number, m.time_s, q)


def _move_keys(editor: Editor, edit: Edit, m: protocol.MoveKeys) -> None:
    edits.move_keys(editor.document, edit, m.keys, m.by_s)


def _copy_keys(editor: Editor, edit: Edit, m: protocol.CopyKeys) -> None:
    edits.copy_keys(editor.document, edit, m.keys, m.to_s)


def _delete_keys(editor: Editor, edit: Edit, m: protocol.DeleteKeys) -> None:
    edits.delete_keys(editor.document, edit, m.keys)


def _set_ease(editor: Editor, edit: Edit, m: protocol.SetEase) -> None:
    edits.set_ease(editor.document, edit, m.keys, m.ease)


def _set_timeline(editor: Editor, edit: Edit, m: protocol.SetTimeline) -> None:
    edit.setting("duration_s", m.duration_s)
    edit.setting("fps", m.fps)


# label (shown as "Undo ...") and body of each command
_BODIES: dict[type[protocol.Message], tuple[str, Callable[[Editor, Edit, Any], None]]] = {
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
