"""Actors can be moved about the scene and turned, with all their motion."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta

from writhe.arrays import Vector3
from writhe.studio.document.history import Edit
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.move_actor import move_actor
from writhe.studio.feature import Feature
from writhe.studio.protocol import Command

feature = Feature("placing")


class MoveActor(Command, frozen=True, tag="move_actor"):
    """Turn an actor about the vertical through its root and shift it, its whole motion too."""

    actor: int
    shift: Vector3
    turn_rad: Annotated[float, Meta(ge=-7, le=7)]


@feature.command("Move character")
def move(stage: Stage, edit: Edit, message: MoveActor) -> None:
    """Another place for an actor."""
    actor = stage.document.actor(message.actor)
    move_actor(stage.document, edit, actor.id, np.array(message.shift), message.turn_rad)
