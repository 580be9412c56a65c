"""A drag of an actor with keys shows the frames around the playhead."""

from __future__ import annotations

from pathlib import Path

from writhe.skeleton import forward
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor
from writhe.studio.server.drag_handler import drag_result


def test_keys_that_are_set_during_a_drag_are_shown_with_it(tmp_path: Path) -> None:
    document = Document.create(tmp_path / "a.writhe", "A")
    document.add_actor("human")
    editor, actor = Editor(document), document.actors()[0]
    posed = editor.posed_actor(actor)
    joint = posed.figure.skeleton.index("right_wrist")
    x, y, z = forward(posed.figure.skeleton, posed.q).positions[joint].tolist()

    def shown(number: int) -> bool:
        handle = protocol.DragHandle(joint, (0.0, 0.0, 0.0), (x + 0.01 * number, y, z))
        answer = drag_result(editor, protocol.Drag(number, actor.id, [handle]))
        return "live_in_betweens" in answer.features

    assert not shown(1)
    for time_s in (0.0, 1.0):
        document.set_key(actor.id, time_s, posed.q)
    assert shown(2)
