"""Compiles, generates and loads what dragging needs, while the page is already open.

The server listens immediately. Missing cache entries are built in worker processes
(`writhe.warmup.processes`), those needed for dragging first, and then loaded by the server. With a
wheel that has machine code, nothing is missing. Planning, tangling and trajectories, which are used
later if at all, are compiled last, while bodies are dragged.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import NamedTuple

from writhe.progress import Progress
from writhe.studio.server.jobs import Job
from writhe.warmup import STAGES, CompileTask, mark_done, missing, run_all

log = logging.getLogger("writhe.studio")

_HERE = "writhe.studio.server.preparation_steps"
_POLL_S = 0.2

# title shown in the page: number of kernels that it compiles, as a measure of time. Two processes
# that need the same kernels in the same order wait for each other, so on two processors the body
# and posing are compiled beside collisions and postures
FIRST: dict[str, CompileTask] = {
    "the body": CompileTask(f"{_HERE}:body", 35),
    "collisions": CompileTask(f"{_HERE}:collisions", 50),
    "posing": CompileTask(f"{_HERE}:posing", 120),
    "postures": CompileTask(f"{_HERE}:postures", 60),
    "what a drag measures": CompileTask(f"{_HERE}:diagnostics", 5),
}
LATER: dict[str, CompileTask] = {
    "other posing methods": CompileTask(f"{_HERE}:other_methods", 30),
    "preset poses": CompileTask(f"{_HERE}:preset_poses", 15),
    "moved objects": CompileTask(f"{_HERE}:pushing", 20),
    **{name: STAGES[name] for name in ("planning", "tangling", "trajectories")},
}
WORKS = {**FIRST, **LATER}


class PreparationState(NamedTuple):
    """The progress of the preparation."""

    done: float  # from 0 to 1
    what: str
    seconds_left: float | None
    visible: bool  # whether figures can be shown
    ready: bool  # whether bodies can be dragged
    problem: str


class Preparation:
    """Compiles and loads what the studio needs, in its own threads and processes."""

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress
        self._began = time.monotonic()
        self._share, self._what, self._problem = 0.0, "", ""
        self.visible, self.ready, self.finished = (threading.Event() for _ in range(3))

    @staticmethod
    def nothing_to_do() -> Preparation:
        """A preparation that is already complete: everything is loaded when it is used."""
        made = Preparation()
        for event in (made.visible, made.ready, made.finished):
            event.set()
        return made

    def start(self) -> None:
        """Begin, in a thread."""
        threading.Thread(target=self._run, daemon=True, name="preparation").start()

    def state(self) -> PreparationState:
        """The current progress."""
        share = self._share
        spent = time.monotonic() - self._began
        left = spent * (1 - share) / share if share > 0.05 and spent > 5 else None
        ready = self.ready.is_set()
        return PreparationState(
            1.0 if ready else share,
            self._what,
            None if ready else left,
            self.visible.is_set(),
            ready,
            self._problem,
        )

    def wait_for(self, job: Job, stages: tuple[str, ...]) -> None:
        """Wait until the stages of `writhe.warmup` that a job needs are compiled."""
        while not self.finished.is_set() and missing(stages):
            job.report(0.0, "Compiling, only the first time on this machine")
            self.finished.wait(_POLL_S)

    def _run(self) -> None:
        try:
            self._make(FIRST)
            self._report(0.99, "the kernels")
            self._load()
            self._report(1.0)
            self.ready.set()
            self._make(LATER, background=True)
        except Exception as error:
            # after an error, what is missing is compiled or generated on first use
            log.exception("preparing the studio failed")
            self._problem = str(error)
        finally:
            for event in (self.visible, self.ready, self.finished):
                event.set()

    def _make(self, works: dict[str, CompileTask], background: bool = False) -> None:
        lacking = {name: works[name] for name in missing(works)}
        if "the body" not in lacking:
            self.visible.set()
        if lacking:
            run_all(lacking, self._report, self._made, background=background)

    def _made(self, name: str) -> None:
        mark_done(name)
        if name == "the body":
            self.visible.set()

    def _load(self) -> None:
        from writhe.studio.server import preparation_steps as steps

        for step in (steps.body, steps.postures, steps.posing, steps.diagnostics):
            step()

    def _report(self, share: float | None, what: str = "", /) -> None:
        self._share, self._what = share or 0.0, what
        if self._progress is not None and not self.ready.is_set():
            self._progress(share, what)
