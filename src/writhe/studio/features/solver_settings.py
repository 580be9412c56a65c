"""The choice of postures and weights, in plain words."""

from __future__ import annotations

from writhe.errors import UnknownNameError
from writhe.studio.document.history import Edit
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.solver_settings import FROM_FILE, Factor, Postures, Solving
from writhe.studio.feature import Feature
from writhe.studio.protocol import Choice, Command, Part

feature = Feature("solving")
_BUILT_IN = [
    Choice("basic", "Everyday", "Built-in postures of standing, walking, reaching, crossing arms."),
    Choice("chair", "Sitting", "Built-in postures on and around a chair."),
    Choice("ladder", "Climbing", "Built-in postures on a ladder."),
]
_GIVEN = Choice("given", "The server's", "The database that the server was started with.")
_NONE = Choice("none", "None", "No examples: joints move as little as they must.")


class SetSolving(Command, frozen=True, tag="set_solving"):
    """Which postures poses are drawn to, and by how much; weights are factors of the usual."""

    postures: Postures
    naturalness: Factor
    grip: Factor
    steadiness: Factor
    placed_stay: bool = True


class SolvingState(Part, frozen=True):
    """What is chosen, and what there is to choose."""

    choices: list[Choice]
    postures: str
    naturalness: float
    grip: float
    steadiness: float
    placed_stay: bool


@feature.state
def state(stage: Stage) -> SolvingState:
    """What the document says of solving."""
    given = stage.posers.given is not None
    found = Solving.of(stage.document)
    return SolvingState(
        [*([_GIVEN] if given else []), *_BUILT_IN, *_files(stage, found), _NONE],
        found.postures or ("given" if given else "basic"),
        found.naturalness,
        found.grip,
        found.steadiness,
        found.placed_stay,
    )


@feature.command("Change posing")
def change(stage: Stage, edit: Edit, message: SetSolving) -> None:
    """Other postures or weights from now on."""
    known = [choice.name for choice in state(stage).choices]
    if message.postures not in known:
        raise UnknownNameError("set of postures", message.postures, known)
    wanted = Solving(
        message.postures,
        message.naturalness,
        message.grip,
        message.steadiness,
        message.placed_stay,
    )
    stage.posers.postures(wanted)  # read it now, so that a problem is told here
    edit.setting("solving", wanted)


def _files(stage: Stage, chosen: Solving) -> list[Choice]:
    """Databases from files; one that a document names but this machine lacks is said to be away."""
    names = stage.posers.shelves.postures.names()
    found = [Choice(FROM_FILE + name, name, "A database that was opened here.") for name in names]
    wanted = (chosen.postures or "").removeprefix(FROM_FILE)
    if chosen.postures == FROM_FILE + wanted and wanted not in names:
        about = "This file is not on this machine: the everyday postures stand in for it."
        found.append(Choice(FROM_FILE + wanted, wanted, about))
    return found
