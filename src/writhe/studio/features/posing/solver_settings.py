"""Solver settings: posture database, weights and soft pins."""

from __future__ import annotations

from writhe.errors import UnknownNameError
from writhe.studio.document.history import Edit
from writhe.studio.document.solver_settings import FROM_FILE, Factor, Postures, SolverSettings
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import Feature
from writhe.studio.protocol import Choice, Command, MessagePart

feature = Feature("solver_settings")
_BUILT_IN = [
    Choice("basic", "Everyday", "Built-in postures of standing, walking, reaching, crossing arms."),
    Choice("chair", "Sitting", "Built-in postures on and around a chair."),
    Choice("ladder", "Climbing", "Built-in postures on a ladder."),
]
_GIVEN = Choice("given", "The server's", "The database that the server was started with.")
_NONE = Choice("none", "None", "No example postures: joints move as little as possible.")


class SetSolverSettings(Command):
    """Set the posture database and the factors of the default weights."""

    postures: Postures
    naturalness: Factor
    grip: Factor
    steadiness: Factor
    soft_pins: bool = True
    gaze: bool = True
    balance: bool = True
    steps: bool = False


class SolverSettingsState(MessagePart):
    """The current settings and the available posture databases."""

    choices: list[Choice]
    postures: str
    naturalness: float
    grip: float
    steadiness: float
    soft_pins: bool
    gaze: bool
    balance: bool
    steps: bool


@feature.state
def state(editor: Editor) -> SolverSettingsState:
    """The document's solver settings."""
    given = editor.posers.given is not None
    found = SolverSettings.of(editor.document)
    return SolverSettingsState(
        [*([_GIVEN] if given else []), *_BUILT_IN, *_files(editor, found), _NONE],
        found.postures or ("given" if given else "basic"),
        found.naturalness,
        found.grip,
        found.steadiness,
        found.soft_pins,
        found.gaze,
        found.balance,
        found.steps,
    )


@feature.command("Change posing")
def change(editor: Editor, edit: Edit, message: SetSolverSettings) -> None:
    """Store new solver settings."""
    known = [choice.name for choice in state(editor).choices]
    if message.postures not in known:
        raise UnknownNameError("set of postures", message.postures, known)
    settings = SolverSettings(
        message.postures,
        message.naturalness,
        message.grip,
        message.steadiness,
        message.soft_pins,
        message.gaze,
        message.balance,
        message.steps,
    )
    editor.posers.postures(settings)  # loads the database, so that errors appear here
    edit.setting("solving", settings)


def _files(editor: Editor, chosen: SolverSettings) -> list[Choice]:
    """Databases from shared files; a missing one that the document names is listed as such."""
    names = editor.posers.shared_files.postures.names()
    found = [Choice(FROM_FILE + name, name, "A database that was opened here.") for name in names]
    name = (chosen.postures or "").removeprefix(FROM_FILE)
    if chosen.postures == FROM_FILE + name and name not in names:
        about = "This file is not on this server; the everyday postures are used instead."
        found.append(Choice(FROM_FILE + name, name, about))
    return found
