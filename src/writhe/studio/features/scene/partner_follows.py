"""Keeps a tangle of two characters: while one is dragged, the other one follows."""

from __future__ import annotations

from dataclasses import dataclass

from writhe.solvers.tangling import TangleStepper
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene.scene_builder import actor_label
from writhe.studio.feature import Feature
from writhe.studio.features.tangling.tangles import (
    TangleGoal,
    Winding,
    tangle_of,
    tangle_setup_of,
    winding_of,
)
from writhe.studio.features.tangling.winding import put_actors
from writhe.studio.protocol import Message, MessagePart

feature = Feature("partner")
STEPS_A_FRAME = 3  # solver steps of the partner for each drag step


class KeepTangle(Message):
    """Keep this tangle while one of its two actors is dragged; None stops it."""

    tangle: TangleGoal | None


class PartnerPose(MessagePart):
    """The pose of the partner after a drag step, and the tangle."""

    actor: int
    q: bytes
    winding: Winding


@dataclass
class PartnerTangle:
    """The tangle that this session keeps, its stepper, and the key the stepper was made for."""

    goal: TangleGoal | None = None
    key: object = None
    stepper: TangleStepper | None = None


@feature.session_step
def keep(editor: Editor, message: KeepTangle) -> None:
    """Set the tangle to keep."""
    kept = editor.session_data(PartnerTangle)
    kept.goal = message.tangle
    if message.tangle is None:
        kept.stepper = None


@feature.drag_follower
def follow(editor: Editor, actor: int) -> PartnerPose | None:
    """After a drag step of one actor, restore the tangle by gated steps of its partner."""
    kept = editor.session_data(PartnerTangle)
    goal = kept.goal
    if goal is None or goal.first.actor == goal.second.actor:
        return None
    if actor not in (goal.first.actor, goal.second.actor):
        return None
    other = goal.second.actor if actor == goal.first.actor else goal.first.actor
    if other == 0 or actor_label(other) not in editor.scene.layout.actor_q:
        return None
    q = editor.configuration
    key = (id(editor.scene), goal, other, editor.time_s)
    stepper = kept.stepper
    if stepper is None or kept.key != key:
        stepper = tangle_setup_of(editor, [other], q, loose=True).stepper([tangle_of(editor, goal)])
        kept.stepper, kept.key = stepper, key
    for _ in range(STEPS_A_FRAME):
        q = stepper.step(q)
    editor.followers.add(other)
    (shown,) = put_actors(editor, [other], q)
    return PartnerPose(other, shown.q, winding_of(editor, goal, q))
