"""Background jobs of a session, with progress and cancellation."""

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
MAX_JOBS = 4  # jobs of one session, waiting or running, without the quiet ones
TELL_EVERY_S = 0.1


class Cancelled(Exception):
    """Raised inside the work of a cancelled job."""


class Job:
    """A running job: reports progress and tells the work when to stop."""

    def __init__(
        self, number: str, title: str, quiet: bool, tell: Callable[[JobState], None]
    ) -> None:
        self.number = number
        self.title = title
        self.quiet = quiet
        self._tell = tell
        self._cancelled = Event()
        self._told_s = 0.0

    def report(self, share: float | None, what: str = "") -> None:
        """Report progress (a `Progress`); raises `Cancelled` if the job was cancelled."""
        self.check()
        now = time.monotonic()
        if now - self._told_s >= TELL_EVERY_S:
            self._told_s = now
            self.tell("running", share or 0.0, what)

    def check(self) -> None:
        """Raise `Cancelled` if the job was cancelled."""
        if self._cancelled.is_set():
            raise Cancelled

    @property
    def cancelled(self) -> bool:
        """Whether the job was cancelled, for solvers that take a callable."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Stop the job at its next report or check."""
        self._cancelled.set()

    def tell(self, status: Any, done: float, text: str = "") -> None:
        """Send a JobState."""
        share = min(1.0, max(0.0, float(done)))
        self._tell(JobState(self.number, self.title, self.quiet, share, text[:300], status))


class Jobs:
    """The jobs of one session. `tell` and `finished` are called from worker threads.

    Quiet jobs are short; they have a pool of their own, so that they never wait for long jobs.
    """

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        quiet_pool: ThreadPoolExecutor,
        tell: Callable[[JobState], None],
        finished: Callable[[Job, Any], None],
    ) -> None:
        self._pool = pool
        self._quiet_pool = quiet_pool
        self._tell = tell
        self._finished = finished
        self._running: dict[str, Job] = {}

    def start(
        self, number: str, title: str, work: Callable[[Job], Any], *, quiet: bool = False
    ) -> None:
        """Run work; its result goes to `finished`."""
        if number in self._running:
            return  # the page repeats requests that were not acknowledged
        if not quiet and sum(not job.quiet for job in list(self._running.values())) >= MAX_JOBS:
            raise WritheError(f"at most {MAX_JOBS} jobs can run at once; wait for one or cancel it")
        job = Job(number, title, quiet, self._tell)
        self._running[number] = job
        job.tell("running", 0.0)
        (self._quiet_pool if quiet else self._pool).submit(self._run, job, work)

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
            job.tell("failed", 0.0, "internal error; see the server's log")
        else:
            self._finished(job, result)
        finally:
            self._running.pop(job.number, None)

    def cancel(self, number: str) -> None:
        """Cancel a job; does nothing if it has finished."""
        if job := self._running.get(number):
            job.cancel()

    def cancel_all(self) -> None:
        """Cancel all jobs at the end of the session."""
        for job in list(self._running.values()):
            job.cancel()
