"""The other character of a tangle, who keeps it while one of the two is dragged."""

from __future__ import annotations

from dataclasses import dataclass

from writhe.solvers.tangling import TangleStepper
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.scene_builder import label
from writhe.studio.editing.tangle_setup import setup_of
from writhe.studio.feature import Feature
from writhe.studio.features.tangles import TangleGoal, Winding, now, tangle_of, winding_of
from writhe.studio.features.winding import put_actors
from writhe.studio.protocol import Message, Part

feature = Feature("partner")
STEPS_A_FRAME = 3  # of the other one for each frame of a drag


class KeepTangle(Message, frozen=True, tag="keep_tangle"):
    """While one actor of this tangle is dragged the other one keeps it; None: no longer."""

    tangle: TangleGoal | None


class Followed(Part, frozen=True):
    """Where the other one has gone while one was dragged."""

    actor: int
    q: bytes
    winding: Winding


@dataclass
class Memory:
    """What this session keeps wound, and the stepper that does it with what it was made for."""

    kept: TangleGoal | None = None
    key: object = None
    stepper: TangleStepper | None = None


@feature.question
def keep(stage: Stage, message: KeepTangle) -> None:
    """Remember what is to be kept."""
    memory = stage.own(Memory)
    memory.kept = message.tangle
    if message.tangle is None:
        memory.stepper = None


@feature.reading
def follow(stage: Stage, actor: int) -> Followed | None:
    """One actor was dragged a little: the other one restores the tangle by gated steps."""
    memory = stage.own(Memory)
    goal = memory.kept
    if goal is None or goal.first.actor == goal.second.actor:
        return None
    if actor not in (goal.first.actor, goal.second.actor):
        return None
    other = goal.second.actor if actor == goal.first.actor else goal.first.actor
    if other == 0 or label(other) not in stage.scene.layout.actor_q:
        return None
    q = now(stage)
    key = (id(stage.scene), goal, other, stage.time_s)
    stepper = memory.stepper
    if stepper is None or memory.key != key:
        stepper = setup_of(stage, [other], q, loose=True).stepper([tangle_of(stage, goal)])
        memory.stepper, memory.key = stepper, key
    for _ in range(STEPS_A_FRAME):
        q = stepper.step(q)
    stage.followers.add(other)
    (shown,) = put_actors(stage, [other], q)
    return Followed(other, shown.q, winding_of(stage, goal, q))
