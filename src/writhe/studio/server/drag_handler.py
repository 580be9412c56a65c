"""Answers drag messages: a step of the actor, then what features add to it."""

from __future__ import annotations

import msgspec

from writhe.studio import protocol
from writhe.studio.editing.editor import Editor
from writhe.studio.protocol.registry import FEATURES

# functions of features to call after a drag step: those that move other actors first, then
# diagnostics
_DRAG_PARTS = [
    (f, f.drag_part_of)
    for f in sorted(FEATURES, key=lambda feature: not feature.moves_others)
    if f.drag_part_of is not None
]


def drag_result(editor: Editor, message: protocol.Drag) -> protocol.DragResult:
    """Move the actor one step, let other actors follow, and add the features' diagnostics."""
    result = editor.drag(message)
    parts = {f.name: body(editor, result.actor) for f, body in _DRAG_PARTS}
    found = {name: part for name, part in parts.items() if part is not None}
    return msgspec.structs.replace(result, features=found) if found else result
