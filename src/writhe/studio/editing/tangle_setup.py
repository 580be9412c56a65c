"""Setup of the tangle solver for a document: its actors and pins."""

from __future__ import annotations

from collections.abc import Sequence

from writhe.arrays import Floats
from writhe.solvers.tangling import TangleSetup
from writhe.solvers.tangling.actor_setup import TangleMover, actor_setup
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene_builder import actor_label


def tangle_setup_of(
    editor: Editor, movers: Sequence[int], q: Floats, *, loose: bool = False
) -> TangleSetup:
    """The tangle setup for moving these actors; with `loose`, pins have a low weight."""
    document = editor.document
    actors = [document.actor(number) for number in movers]
    found = [
        TangleMover(
            actor_label(actor.id),
            document.figure(actor.figure),
            tuple((pin.joint, pin.position_in_world) for pin in actor.pins),
        )
        for actor in actors
    ]
    return actor_setup(editor.scene.layout, found, q, loose=loose)
