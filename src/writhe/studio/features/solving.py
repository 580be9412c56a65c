"""The choice of postures and weights, in plain words."""

from __future__ import annotations

from writhe.studio.document.history import Edit
from writhe.studio.feature import Feature
from writhe.studio.messages import Choice, Command, Part
from writhe.studio.solving import Factor, Postures, Solving
from writhe.studio.stage import Stage

feature = Feature("solving")
_BUILT_IN = [
    Choice("basic", "Everyday", "Built-in postures of standing, walking, reaching, crossing arms."),
    Choice("chair", "Sitting", "Built-in postures on and around a chair."),
    Choice("ladder", "Climbing", "Built-in postures on a ladder."),
]
_GIVEN = Choice("given", "Your own", "The database that the server was started with.")
_NONE = Choice("none", "None", "No examples: joints move as little as they must.")


class SetSolving(Command, frozen=True, tag="set_solving"):
    """Which postures poses are drawn to, and by how much; weights are factors of the usual."""

    postures: Postures
    naturalness: Factor
    grip: Factor
    steadiness: Factor


class SolvingState(Part, frozen=True):
    """What is chosen, and what there is to choose."""

    choices: list[Choice]
    postures: str
    naturalness: float
    grip: float
    steadiness: float


@feature.state
def state(stage: Stage) -> SolvingState:
    """What the document says of solving."""
    given = stage.posers.given is not None
    found = Solving.of(stage.document)
    return SolvingState(
        [*([_GIVEN] if given else []), *_BUILT_IN, _NONE],
        found.postures or ("given" if given else "basic"),
        found.naturalness,
        found.grip,
        found.steadiness,
    )


@feature.command("Change posing")
def change(stage: Stage, edit: Edit, message: SetSolving) -> None:
    """Other postures or weights from now on."""
    wanted = Solving(message.postures, message.naturalness, message.grip, message.steadiness)
    stage.posers.postures(wanted)  # read it now, so that a problem is told here
    edit.setting("solving", wanted)
