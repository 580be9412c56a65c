"""What a feature of the studio brings along; docs/studio-features.md shows one from end to end.

A feature is one module in `writhe.studio.features` with a `feature = Feature("name")` and the
messages it speaks, each handled by a function decorated here. The message a function handles is the
type of its last parameter. Every `Part` and `Message` of the module reaches TypeScript by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, get_type_hints

from writhe.errors import WritheError
from writhe.studio.document.history import Edit
from writhe.studio.editing.editor import Stage
from writhe.studio.protocol import Command, Message, Part, Task
from writhe.studio.server.jobs import Job

CommandBody = TypeVar("CommandBody", bound=Callable[[Stage, Edit, Any], None])
QuestionBody = TypeVar("QuestionBody", bound=Callable[[Stage, Any], Message | None])
StateBody = TypeVar("StateBody", bound=Callable[[Stage], Part])
ReadingBody = TypeVar("ReadingBody", bound=Callable[[Stage, int], Part | None])


@dataclass(frozen=True)
class Outcome:
    """What long work came to: an edit to commit as one command, a message to show, or both."""

    commit: Callable[[Stage, Edit], None] | None = None
    show: Message | None = None


Work = Callable[[Job], Outcome]
TaskBody = TypeVar("TaskBody", bound=Callable[[Stage, Any], Work])


class TaskEntry(NamedTuple):
    """A task as it is registered; the progress of a quiet one is not shown.

    `needs` names the stages of `writhe.warmup` that its work waits for.
    """

    label: str
    body: Callable[[Stage, Any], Work]
    quiet: bool
    needs: tuple[str, ...]


class Feature:
    """Messages of one feature and the functions that handle them.

    All functions run on worker threads, one at a time for each session, except the `Work` that a
    task returns: it runs beside everything else and must not touch the stage.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.commands: dict[type[Message], tuple[str, Callable[[Stage, Edit, Any], None]]] = {}
        self.questions: dict[type[Message], Callable[[Stage, Any], Message | None]] = {}
        self.tasks: dict[type[Message], TaskEntry] = {}
        self.state_of: Callable[[Stage], Part] | None = None
        self.reading_of: Callable[[Stage, int], Part | None] | None = None

    def command(self, label: str) -> Callable[[CommandBody], CommandBody]:
        """`body(stage, edit, message)` changes the document; `label` is what undo shows."""

        def register(body: CommandBody) -> CommandBody:
            self.commands[_handled(body, Command)] = (label, body)
            return body

        return register

    def question(self, body: QuestionBody) -> QuestionBody:
        """`body(stage, message)` answers with a message, or None; the document stays as it is."""
        self.questions[_handled(body, Message)] = body
        return body

    def task(
        self, label: str, *, quiet: bool = False, needs: tuple[str, ...] = ()
    ) -> Callable[[TaskBody], TaskBody]:
        """`body(stage, message)` reads what it needs and returns the long work as a function."""

        def register(body: TaskBody) -> TaskBody:
            self.tasks[_handled(body, Task)] = TaskEntry(label, body, quiet, needs)
            return body

        return register

    def state(self, body: StateBody) -> StateBody:
        """`body(stage)` is the feature's share of every State."""
        self.state_of = body
        return body

    def reading(self, body: ReadingBody) -> ReadingBody:
        """`body(stage, actor)` is the feature's share of the answer to a drag; None: nothing."""
        self.reading_of = body
        return body

    @property
    def incoming(self) -> list[type[Message]]:
        """The messages that the page may send."""
        return [*self.commands, *self.questions, *self.tasks]


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
