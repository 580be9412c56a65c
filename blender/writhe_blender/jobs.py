"""Operators whose work runs in the background, with progress, until it is done or cancelled."""

from __future__ import annotations

import threading

import bpy

from . import engine, scene_sync
from .process.client import EngineError

_PERIOD_S = 0.1


class Work:
    """A request in the process for long work."""

    def __init__(self, client, name: str, data: dict) -> None:
        self.answer: dict | None = None
        self.error = ""
        self.share: float | None = None
        self.what = ""
        self._thread = threading.Thread(target=self._run, args=(client, name, data), daemon=True)
        self._thread.start()

    def _run(self, client, name: str, data: dict) -> None:
        try:
            self.answer = client.request(name, data, self._progress)
        except EngineError as error:
            self.error = str(error)

    def _progress(self, share: float | None, what: str) -> None:
        self.share, self.what = share, what

    @property
    def done(self) -> bool:
        """Whether there is an answer or an error."""
        return not self._thread.is_alive()


class BackgroundOperator:
    """An operator with a request: `ask` makes its data, `finish` uses the answer.

    Started from a script (`execute`) it waits for the answer; from the interface it runs in the
    background. Escape cancels.
    """

    request = ""
    title = ""

    def ask(self, context) -> dict:
        """The data of the request."""
        raise NotImplementedError

    def finish(self, context, answer: dict) -> str:
        """Use the answer; returns what to report."""
        raise NotImplementedError

    def execute(self, context):
        """Work and wait."""
        try:
            client = engine.drags()
            scene_sync.send(context, client)
            done = self.finish(context, client.request(self.request, self.ask(context)))
        except EngineError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, done)
        return {"FINISHED"}

    def invoke(self, context, event):
        """Work in the background."""
        return self.execute(context) if bpy.app.background else self.start(context)

    def start(self, context):
        """Begin to work in the background."""
        settings = context.scene.writhe
        if settings.working:
            self.report({"WARNING"}, f"{settings.working} is still running; Escape cancels it")
            return {"CANCELLED"}
        try:
            client = engine.worker()
            scene_sync.send(context, client)
            self._work = Work(client, self.request, self.ask(context))
        except EngineError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        settings.working, settings.progress = self.title, 0.0
        manager = context.window_manager
        self._timer = manager.event_timer_add(_PERIOD_S, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        """Look whether the work is done; everything else passes through."""
        if event.type == "ESC" and event.value == "PRESS":
            engine.stop_worker()
            self._end(context)
            self.report({"INFO"}, f"{self.title} cancelled")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        work, settings = self._work, context.scene.writhe
        if not work.done:
            settings.progress = 100.0 * (work.share or 0.0)
            what = f"{self.title}: {work.what}" if work.what else self.title
            context.workspace.status_text_set(f"{what} {settings.progress:.0f} %   Esc: cancel")
            _redraw(context)
            return {"PASS_THROUGH"}
        self._end(context)
        if work.answer is None:
            self.report({"ERROR"}, work.error)
            return {"CANCELLED"}
        try:
            self.report({"INFO"}, self.finish(context, work.answer))
        except EngineError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        _redraw(context)
        return {"FINISHED"}

    def _end(self, context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        context.workspace.status_text_set(None)
        context.scene.writhe.working = ""
        _redraw(context)


def _redraw(context) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in {"VIEW_3D", "DOPESHEET_EDITOR", "GRAPH_EDITOR"}:
                area.tag_redraw()
