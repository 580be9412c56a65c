"""Features of the studio; docs/studio-features.md shows one from end to end.

A feature is one module in a folder of `writhe.studio.features` with a `feature = Feature("name")`,
message structs, and functions that handle them, registered by the decorators below. The type of a
function's last parameter is the message that it handles. Every `Message` of the module and every
`MessagePart` (a struct inside a message) is exported to TypeScript.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, TypeVar, get_type_hints

from writhe.errors import WritheError
from writhe.studio.document.history import Edit
from writhe.studio.editing.editor import Editor
from writhe.studio.protocol import Command, Message, MessagePart, Task
from writhe.studio.server.jobs import Job

CommandHandler = TypeVar("CommandHandler", bound=Callable[[Editor, Edit, Any], None])
QueryBody = TypeVar("QueryBody", bound=Callable[[Editor, Any], Message])
SessionBody = TypeVar("SessionBody", bound=Callable[[Editor, Any], Message | None])
StateBody = TypeVar("StateBody", bound=Callable[[Editor], MessagePart])
DragHandler = TypeVar("DragHandler", bound=Callable[[Editor, int], MessagePart | None])


@dataclass(frozen=True)
class Outcome:
    """The result of a task: an edit to commit as one command, a message to show, or both."""

    commit: Callable[[Editor, Edit], None] | None = None
    show: Message | None = None


Work = Callable[[Job], Outcome]
TaskBody = TypeVar("TaskBody", bound=Callable[[Editor, Any], Work])


class TaskEntry(NamedTuple):
    """A registered task; `quiet`: its progress is not shown in the page.

    `needs` names the stages of `writhe.warmup` that must be compiled before its work starts.
    """

    label: str
    body: Callable[[Editor, Any], Work]
    quiet: bool
    needs: tuple[str, ...]


class DragPartKind(IntEnum):
    """When a feature runs in a drag step; in this order."""

    FOLLOWER = 0  # if there are other actors
    DIAGNOSTIC = 1  # always
    PREVIEW = 2  # if the dragged actor has keys


class DragPart(NamedTuple):
    """What a feature does after each drag step of an actor."""

    kind: DragPartKind
    body: Callable[[Editor, int], MessagePart | None]


class Feature:
    """Messages of one feature and the functions that handle them.

    All functions run on worker threads, one at a time for each session, except the `Work` that a
    task returns: it runs in parallel with other functions, so it must not use the editor.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.commands: dict[type[Message], tuple[str, Callable[[Editor, Edit, Any], None]]] = {}
        self.messages: dict[type[Message], Callable[[Editor, Any], Message | None]] = {}
        self.tasks: dict[type[Message], TaskEntry] = {}
        self.state_of: Callable[[Editor], MessagePart] | None = None
        self.drag_part: DragPart | None = None

    def command(self, label: str) -> Callable[[CommandHandler], CommandHandler]:
        """Register `body(editor, edit, message)`, which edits the document; undo shows `label`."""

        def register(body: CommandHandler) -> CommandHandler:
            self.commands[_handled(body, Command)] = (label, body)
            return body

        return register

    def query(self, body: QueryBody) -> QueryBody:
        """Register `body(editor, message)`, which reads the editor and returns a message."""
        self.messages[_handled(body, Message)] = body
        return body

    def session_step(self, body: SessionBody) -> SessionBody:
        """Register `body(editor, message)`, which changes the session but not the document.

        It may solve, move the current poses of actors and keep `session_data`. It returns a message
        for the page, or None.
        """
        self.messages[_handled(body, Message)] = body
        return body

    def task(
        self, label: str, *, quiet: bool = False, needs: tuple[str, ...] = ()
    ) -> Callable[[TaskBody], TaskBody]:
        """Register `body(editor, message)`, which reads the document and returns the long work."""

        def register(body: TaskBody) -> TaskBody:
            self.tasks[_handled(body, Task)] = TaskEntry(label, body, quiet, needs)
            return body

        return register

    def state(self, body: StateBody) -> StateBody:
        """Register `body(editor)`, which returns what the feature adds to every `State` message."""
        self.state_of = body
        return body

    def drag_diagnostic(self, body: DragHandler) -> DragHandler:
        """Register `body(editor, actor)`, which measures the pose after each drag step of an actor.

        It reads only and returns the feature's part of the DragResult, or None.
        """
        self.drag_part = DragPart(DragPartKind.DIAGNOSTIC, body)
        return body

    def drag_preview(self, body: DragHandler) -> DragHandler:
        """Register `body(editor, actor)`, which shows what a drag step of a keyed actor changes.

        It reads only and returns the feature's part of the DragResult, or None.
        """
        self.drag_part = DragPart(DragPartKind.PREVIEW, body)
        return body

    def drag_follower(self, body: DragHandler) -> DragHandler:
        """Register `body(editor, actor)`, which moves other actors after each drag step of one.

        It may solve, and adds the actors that it moves to `editor.followers`. Followers run before
        the diagnostics. It returns the feature's part of the DragResult, or None.
        """
        self.drag_part = DragPart(DragPartKind.FOLLOWER, body)
        return body

    @property
    def incoming(self) -> list[type[Message]]:
        """The messages that the page may send."""
        return [*self.commands, *self.messages, *self.tasks]


def _handled(body: Callable[..., Any], kind: type[Message]) -> type[Message]:
    """The type of a function's last parameter, which is the message it handles."""
    hints = get_type_hints(body)
    hints.pop("return", None)
    found = list(hints.values())[-1]
    if not (isinstance(found, type) and issubclass(found, kind)):
        raise WritheError(
            f"the last parameter of {body.__name__} must be a {kind.__name__}, not {found}"
        )
    return found
