"""Jobs: progress, results, failures and cancellation."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from threading import Event
from typing import Any

import pytest

from writhe.errors import WritheError
from writhe.studio.protocol import JobState
from writhe.studio.server.jobs import MAX_JOBS, Job, Jobs


class Bench:
    """Jobs whose states and results are put into queues."""

    def __init__(self) -> None:
        self.pool, self.quiet_pool = ThreadPoolExecutor(2), ThreadPoolExecutor(1)
        self.news: Queue[JobState] = Queue()
        self.results: Queue[Any] = Queue()
        self.jobs = Jobs(
            self.pool,
            self.quiet_pool,
            self.news.put,
            lambda job, result: self.results.put(result),
        )

    def until(self, status: str) -> JobState:
        while True:
            state = self.news.get(timeout=10)
            if state.status == status:
                return state


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.jobs.cancel_all()
    made.pool.shutdown()
    made.quiet_pool.shutdown()


def test_work_reports_and_its_result_arrives(bench: Bench) -> None:
    def work(job: Job) -> str:
        job.report(0.5, "half")
        return "found"

    bench.jobs.start("job-0001", "Search", work)
    first = bench.news.get(timeout=10)
    assert (first.title, first.status, first.done) == ("Search", "running", 0.0)
    assert bench.results.get(timeout=10) == "found"
    assert bench.until("running").text == "half"


def test_cancelled_work_stops_at_its_next_report(bench: Bench) -> None:
    started = Event()

    def work(job: Job) -> None:
        started.set()
        while True:
            job.report(0.1)

    bench.jobs.start("job-0001", "Endless", work)
    assert started.wait(10)
    bench.jobs.cancel("job-0001")
    bench.until("cancelled")
    assert bench.results.empty()


def test_a_failure_is_reported_with_its_message(bench: Bench) -> None:
    def refuses(job: Job) -> None:
        raise WritheError("the ends are tangled")

    def breaks(job: Job) -> None:
        raise ZeroDivisionError

    bench.jobs.start("job-0001", "Connect", refuses)
    assert bench.until("failed").text == "the ends are tangled"
    bench.jobs.start("job-0002", "Connect", breaks)
    assert "log" in bench.until("failed").text


def test_a_repeated_start_runs_once_and_few_run_at_a_time(bench: Bench) -> None:
    go = Event()
    runs: list[int] = []

    def work(job: Job) -> None:
        runs.append(1)
        go.wait(10)

    for number in range(MAX_JOBS):
        for _ in range(3):
            bench.jobs.start(f"job-{number:04}", "Wait", work)
    with pytest.raises(WritheError, match="wait"):
        bench.jobs.start("job-9999", "Wait", work)
    go.set()
    for _ in range(MAX_JOBS):
        bench.results.get(timeout=10)
    assert len(runs) == MAX_JOBS


def test_a_quiet_job_does_not_wait_for_long_ones(bench: Bench) -> None:
    go = Event()
    for number in range(MAX_JOBS):
        bench.jobs.start(f"job-{number:04}", "Wait", lambda job: go.wait(10) and "late")
    bench.jobs.start("job-9999", "Check", lambda job: "early", quiet=True)
    assert bench.results.get(timeout=10) == "early"
    go.set()
