"""Long work of a session: beside everything else, with progress, and to be given up at any time."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

from writhe.errors import WritheError
from writhe.studio.protocol import JobState

log = logging.getLogger("writhe.studio")
MOST_JOBS = 4  # of one session, waiting or running
TELL_EVERY_S = 0.1


class Cancelled(Exception):
    """Raised inside the work when nobody wants it any more."""


class Job:
    """What the work holds on to while it runs."""

    def __init__(
        self, number: str, title: str, quiet: bool, tell: Callable[[JobState], None]
    ) -> None:
        self.number = number
        self.title = title
        self.quiet = quiet
        self._tell = tell
        self._cancelled = Event()
        self._told_s = 0.0

    def report(self, done: float, text: str = "") -> None:
        """Say how far it has come, 0 to 1; raises `Cancelled` when it should stop."""
        self.check()
        now = time.monotonic()
        if now - self._told_s >= TELL_EVERY_S:
            self._told_s = now
            self.tell("running", done, text)

    def check(self) -> None:
        """Raise `Cancelled` when it should stop."""
        if self._cancelled.is_set():
            raise Cancelled

    @property
    def cancelled(self) -> bool:
        """Whether it should stop; for solvers that take a callable to ask."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Have it stop at its next report."""
        self._cancelled.set()

    def tell(self, status: Any, done: float, text: str = "") -> None:
        """Send a JobState."""
        share = min(1.0, max(0.0, float(done)))
        self._tell(JobState(self.number, self.title, self.quiet, share, text[:300], status))


class Jobs:
    """The jobs of one session. `tell` and `finished` are called from worker threads."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        tell: Callable[[JobState], None],
        finished: Callable[[Job, Any], None],
    ) -> None:
        self._pool = pool
        self._tell = tell
        self._finished = finished
        self._running: dict[str, Job] = {}

    def start(
        self, number: str, title: str, work: Callable[[Job], Any], *, quiet: bool = False
    ) -> None:
        """Run work; its result goes to `finished`."""
        if number in self._running:
            return  # the page repeats what it does not know to have arrived
        if len(self._running) >= MOST_JOBS:
            raise WritheError("wait until something that runs is done, or cancel it")
        job = Job(number, title, quiet, self._tell)
        self._running[number] = job
        job.tell("running", 0.0)
        self._pool.submit(self._run, job, work)

    def _run(self, job: Job, work: Callable[[Job], Any]) -> None:
        try:
            job.check()
            result = work(job)
            job.check()
        except Cancelled:
            job.tell("cancelled", 0.0)
        except WritheError as error:
            job.tell("failed", 0.0, str(error))
        except Exception:
            log.exception("a job failed: %s", job.title)
            job.tell("failed", 0.0, "something went wrong in the server; see its log")
        else:
            self._finished(job, result)
        finally:
            self._running.pop(job.number, None)

    def cancel(self, number: str) -> None:
        """Have a job stop; one that is over is left alone."""
        if job := self._running.get(number):
            job.cancel()

    def cancel_all(self) -> None:
        """The session is over."""
        for job in list(self._running.values()):
            job.cancel()
