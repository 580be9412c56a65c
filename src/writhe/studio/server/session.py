"""One websocket session: reads messages, runs them on worker threads, sends the results.

Of consecutive drags, seeks and drag results only the newest is kept, so a slow solver or page is
never more than one frame behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from writhe import __version__
from writhe.errors import WritheError
from writhe.solvers.posing import method_names
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.posers import Posers
from writhe.studio.feature import Outcome
from writhe.studio.files.exports import export_suffixes
from writhe.studio.files.imports import import_suffixes
from writhe.studio.files.upload_check import check_picture
from writhe.studio.protocol.registry import MESSAGE_HANDLERS, TASKS, decoder, encoder
from writhe.studio.server.command_handlers import carry_out, commit
from writhe.studio.server.drag_handler import drag_result
from writhe.studio.server.jobs import Job, Jobs
from writhe.studio.server.preparation import Preparation
from writhe.studio.server.refused_messages import refused_message
from writhe.studio.view import state as state_view
from writhe.studio.view.choice_labels import figure_choices, method_choices, scene_choices
from writhe.studio.view.figure_mesh import figure_message

log = logging.getLogger("writhe.studio")
Result = TypeVar("Result")
MAX_WAITING = 512
POLL_S = 0.1
POLICY, TOO_MUCH = 1008, 1009  # close codes of websockets (RFC 6455)


class Mailbox:
    """A message queue that keeps only the newest of consecutive messages of a replaceable type."""

    def __init__(self, *replaceable: type) -> None:
        self._replaceable = replaceable
        self._waiting: deque[object] = deque()
        self._filled = asyncio.Event()

    def put(self, message: object) -> bool:
        """Add a message; False if more than `MAX_WAITING` wait."""
        if (
            self._waiting
            and isinstance(message, self._replaceable)
            and type(self._waiting[-1]) is type(message)
        ):
            self._waiting[-1] = message
        else:
            self._waiting.append(message)
        self._filled.set()
        return len(self._waiting) <= MAX_WAITING

    async def take(self) -> object:
        """Wait for the oldest message and remove it."""
        while not self._waiting:
            self._filled.clear()
            await self._filled.wait()
        return self._waiting.popleft()


class StudioSession:
    """The session of a page with a document."""

    def __init__(
        self,
        socket: WebSocket,
        pool: ThreadPoolExecutor,
        job_pool: ThreadPoolExecutor,
        quiet_job_pool: ThreadPoolExecutor,
        posers: Posers,
        preparation: Preparation,
    ) -> None:
        self._socket = socket
        self._pool = pool
        self._job_pool = job_pool
        self._quiet_job_pool = quiet_job_pool
        self._posers = posers
        self._preparation = preparation
        self._inbox = Mailbox(protocol.Drag, protocol.Seek)
        self._outbox = Mailbox(protocol.DragResult)
        self._figures_sent: dict[str, int] = {}  # name to version
        self.editor: Editor | None = None
        self.on_change: Callable[[StudioSession], None] = lambda _: None

    async def run(self, document: Document) -> None:
        """Serve until the page disconnects."""
        self.editor = Editor(document, self._posers)
        self._motions = state_view.MotionViews(self.editor)
        self._send(
            protocol.Welcome(
                protocol.PROTOCOL,
                __version__,
                method_choices(method_names()),
                figure_choices(),
                scene_choices(),
                import_suffixes(),
                export_suffixes(),
            )
        )
        self.show()
        self._inbox.put(_Prepare())
        loop = asyncio.get_running_loop()
        self._jobs = Jobs(
            self._job_pool,
            self._quiet_job_pool,
            lambda state: _in_loop(loop, lambda: self._outbox.put(state)),
            lambda job, outcome: _in_loop(loop, lambda: self._inbox.put(_Finished(job, outcome))),
        )
        tasks = [asyncio.create_task(job()) for job in (self._read, self._work, self._write)]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            self._jobs.cancel_all()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def show(self, request: str = "") -> None:
        """Queue sending the document's current state."""
        self._inbox.put(_Show(request))

    def _send(self, message: protocol.Message) -> None:
        if not self._outbox.put(message):
            raise WebSocketDisconnect(TOO_MUCH, "the page receives too slowly")

    async def _read(self) -> None:
        while True:
            data = await self._socket.receive_bytes()
            try:
                message = decoder.decode(data)
            except msgspec.MsgspecError as error:
                self._send(refused_message(data, error))
                self.show()  # the page shows the values that still hold
                continue
            if not self._inbox.put(message):
                raise WebSocketDisconnect(POLICY, "too many messages at once")

    async def _write(self) -> None:
        while True:
            message = await self._outbox.take()
            await self._socket.send_bytes(encoder.encode(message))

    async def _work(self) -> None:
        while True:
            message = await self._inbox.take()
            request = getattr(message, "request", "")
            try:
                await self._handle(message)
            except WritheError as error:
                self._send(protocol.ErrorMessage(request, str(error)))
                if isinstance(message, protocol.Command):
                    await self._present("")
            except WebSocketDisconnect:
                raise
            except Exception:
                # a bad message must end neither the session nor the server
                log.exception("a message failed: %s", type(message).__name__)
                self._send(protocol.ErrorMessage(request, "internal error; see the server's log"))

    async def _threaded(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def _handle(self, message: object) -> None:
        editor = self.editor
        assert editor is not None
        match message:
            case protocol.Drag():
                self._send(await self._threaded(lambda: drag_result(editor, message)))
            case protocol.Seek():
                await self._threaded(lambda: editor.seek(message.time_s))
            case protocol.CancelDrag():
                await self._threaded(editor.cancel_drag)
                await self._present("")
            case protocol.CompareMethod():
                await self._threaded(lambda: editor.compare_method(message))
            case protocol.SetRecording():
                editor.set_recording(message.on)
            case protocol.Thumbnail():
                picture = check_picture(message.picture)
                await self._threaded(lambda: editor.document.set_thumbnail(picture))
            case protocol.CancelJob():
                self._jobs.cancel(message.job)
            case protocol.Command():
                await self._threaded(lambda: carry_out(editor, message))
                await self._present(message.request)
                self.on_change(self)
            case _Show():
                await self._threaded(editor.refresh)
                await self._present(message.request)
            case _Solve():
                await self._show_solved()
            case _Prepare():
                # messages wait in the inbox; of consecutive drags it keeps the newest
                while not self._preparation.ready.is_set():
                    await asyncio.sleep(POLL_S)
                await self._threaded(editor.prepare)
            case _Finished():
                await self._finish(message.job, message.outcome)
            case protocol.Task():
                task = TASKS[type(message)]
                work = await self._threaded(lambda: task.body(editor, message))

                def when_compiled(job: Job) -> Outcome:
                    self._preparation.wait_for(job, task.needs)
                    return work(job)

                self._jobs.start(message.request, task.label, when_compiled, quiet=task.quiet)
            case protocol.Message() if type(message) in MESSAGE_HANDLERS:
                reply = await self._threaded(
                    lambda: MESSAGE_HANDLERS[type(message)](editor, message)
                )
                if reply is not None:
                    self._send(reply)
            case protocol.Open():
                raise WritheError("a document is already open on this connection")
            case _:
                raise WritheError(f"the studio does not handle {type(message).__name__}")

    async def _finish(self, job: Job, outcome: Outcome) -> None:
        """Commit and show the outcome of a finished job."""
        editor = self.editor
        assert editor is not None
        try:
            if outcome.commit is not None:
                await self._threaded(lambda: commit(editor, job.title, job.number, outcome))
                await self._present("")
                self.on_change(self)
        except WritheError as error:
            job.tell("failed", 0.0, str(error))
            return
        if outcome.show is not None:
            self._send(outcome.show)
        job.tell("done", 1.0)

    async def _present(self, request: str) -> None:
        """Send the state, preceded by the figures and motions that the page lacks."""
        editor = self.editor
        assert editor is not None

        def look() -> list[protocol.Message]:
            out: list[protocol.Message] = []
            present = state_view.state(editor, request)
            for name in sorted({actor.figure for actor in present.actors}):
                version = editor.document.figure_version(name)
                if self._figures_sent.get(name) != version:
                    out.append(figure_message(editor.document, name))
                    self._figures_sent[name] = version
            return [*out, *self._motions.changed(), present]

        for message in await self._threaded(look):
            self._send(message)
        if not self._motions.complete:
            self._inbox.put(_Solve())

    async def _show_solved(self) -> None:
        """Solve more spans and send their frames.

        Nothing is done during a drag; its release starts this again.
        """
        editor = self.editor
        assert editor is not None
        if editor.dragging:
            return
        for message in await self._threaded(lambda: self._motions.changed(state_view.SOLVE_MORE_S)):
            self._send(message)
        if not self._motions.complete:
            self._inbox.put(_Solve())


class _Solve(msgspec.Struct, frozen=True):
    """Internal message: solve more spans between keys, and send their frames."""


class _Show(msgspec.Struct, frozen=True):
    """Internal message: send the current state."""

    request: str


@dataclass(frozen=True)
class _Finished:
    """Internal message: a job has finished."""

    job: Job
    outcome: Outcome


def _in_loop(loop: asyncio.AbstractEventLoop, act: Callable[[], object]) -> None:
    """Call `act` on the event loop from any thread; does nothing if the loop is closed."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(act)


class _Prepare(msgspec.Struct, frozen=True):
    """Internal message: make the posers before the first drag."""
