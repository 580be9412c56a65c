"""The studio opens at once and prepares posing in other processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from writhe import warmup
from writhe.progress import Progress
from writhe.studio.protocol import JobState
from writhe.studio.server import preparation
from writhe.studio.server.jobs import Cancelled, Job
from writhe.studio.server.preparation import Preparation
from writhe.warmup import CompileTask


class Steps:
    """Stands for the processes that prepare: `go` lets the next step happen."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
        monkeypatch.setenv("WRITHE_CACHE_DIR", str(cache))
        monkeypatch.setenv("WRITHE_PREBUILT", "0")
        works = {"the body": CompileTask("", 10), "posing": CompileTask("", 30)}
        monkeypatch.setattr(preparation, "FIRST", works)
        monkeypatch.setattr(preparation, "LATER", {"planning": CompileTask("", 5)})
        monkeypatch.setattr(preparation, "run_all", self._run)
        monkeypatch.setattr(Preparation, "_load", lambda _: None)
        self.go = threading.Semaphore(0)
        self.fails = False

    def _run(
        self,
        works: dict[str, CompileTask],
        progress: Progress,
        done: Callable[[str], None],
        background: bool,
    ) -> None:
        total, made = sum(work.kernels for work in works.values()), 0
        for name, work in works.items():
            progress(made / total, name)
            self.go.acquire()
            if self.fails:
                raise ValueError("the disk is full")
            made += work.kernels
            done(name)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Steps:
    return Steps(monkeypatch, tmp_path / "cache")


def eventually(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_it_says_how_far_it_is(steps: Steps) -> None:
    made = Preparation()
    made.start()
    eventually(lambda: made.state().what == "the body")
    assert not made.state().visible and not made.state().ready
    steps.go.release()
    eventually(lambda: made.state().what == "posing")
    assert made.state().visible and not made.state().ready
    assert made.state().done == 0.25
    steps.go.release()
    eventually(lambda: made.state().ready)
    assert made.state().done == 1.0
    assert not made.finished.is_set()  # planning is compiled while bodies are dragged
    steps.go.release()
    eventually(made.finished.is_set)


def test_what_is_cached_is_not_prepared_again(steps: Steps) -> None:
    for name in ("the body", "posing", "planning"):
        warmup.mark_done(name)
    made = Preparation()
    made.start()
    eventually(made.finished.is_set)
    assert made.ready.is_set()


def test_a_failed_preparation_leaves_a_working_studio(steps: Steps) -> None:
    steps.fails = True
    made = Preparation()
    made.start()
    steps.go.release()
    eventually(made.finished.is_set)
    assert made.state().ready
    assert "disk is full" in made.state().problem


def a_job(tell: Callable[[JobState], None]) -> Job:
    return Job("1", "Connect", False, tell)


def test_a_job_reports_that_it_waits_until_its_kernels_are_compiled(steps: Steps) -> None:
    made = Preparation()
    told: list[str] = []
    job = a_job(lambda state: told.append(state.text))
    waiting = threading.Thread(target=lambda: made.wait_for(job, ("planning",)))
    waiting.start()
    eventually(lambda: bool(told))
    assert "ompiling" in told[0]
    assert waiting.is_alive()
    warmup.mark_done("planning")
    waiting.join(20)
    assert not waiting.is_alive()


def test_a_waiting_job_can_be_cancelled(steps: Steps) -> None:
    job = a_job(lambda _: None)
    job.cancel()
    with pytest.raises(Cancelled):
        Preparation().wait_for(job, ("planning",))
