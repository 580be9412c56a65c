"""Answers drag messages: a step of the actor, then what features add to it."""

from __future__ import annotations

import msgspec

from writhe.studio import protocol
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import DragPartKind
from writhe.studio.protocol.registry import FEATURES

_DRAG_PARTS = sorted(
    (feature.drag_part.kind, feature.name, feature.drag_part.body)
    for feature in FEATURES
    if feature.drag_part is not None
)


def drag_result(editor: Editor, message: protocol.Drag) -> protocol.DragResult:
    """Move the actor one step, let other actors follow, and add the features' diagnostics."""
    result = editor.drag(message)
    runs = {
        DragPartKind.FOLLOWER: len(editor.scene.actors) > 1,
        DragPartKind.DIAGNOSTIC: True,
        DragPartKind.PREVIEW: editor.dragged_has_keys,
    }
    parts = {name: body(editor, result.actor) for kind, name, body in _DRAG_PARTS if runs[kind]}
    found = {name: part for name, part in parts.items() if part is not None}
    return msgspec.structs.replace(result, features=found) if found else result
