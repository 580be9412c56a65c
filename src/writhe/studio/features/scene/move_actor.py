"""Moves and turns actors in the scene, with all their motion."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta

from writhe.arrays import Vector3
from writhe.studio.document.history import Edit
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.move_actor import move_actor
from writhe.studio.feature import Feature
from writhe.studio.protocol import Command

feature = Feature("move_actor")


class MoveActor(Command):
    """Turn an actor about the vertical axis through its root and shift it, with its motion."""

    actor: int
    shift: Vector3
    turn_rad: Annotated[float, Meta(ge=-7, le=7)]


@feature.command("Move character")
def move(editor: Editor, edit: Edit, message: MoveActor) -> None:
    """Move an actor."""
    actor = editor.document.actor(message.actor)
    move_actor(editor.document, edit, actor.id, np.array(message.shift), message.turn_rad)
