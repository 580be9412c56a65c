"""Jobs wait for kernels that another process compiles, but not for a process that ended."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from writhe import warmup
from writhe.studio.protocol import JobState
from writhe.studio.server.jobs import Cancelled, Job
from writhe.studio.server.precompile_jobs import start_compiling, wait_until_compiled

QUICK = {name: lambda: None for name in ("planning", "tangling", "trajectories")}


@pytest.fixture
def claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty kernel cache with the claim of a compiling process."""
    monkeypatch.setenv("WRITHE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(warmup, "STAGES", QUICK)
    place = tmp_path / "warm" / "compiling"
    place.parent.mkdir()
    place.touch()
    return place


def a_job(tell: Callable[[JobState], None]) -> Job:
    return Job("1", "Connect", False, tell)


def test_a_job_reports_that_it_waits_until_its_kernels_are_compiled(claim: Path) -> None:
    told: list[str] = []
    threading.Timer(0.5, lambda: warmup.warm_up(stages=("planning",))).start()
    start = time.monotonic()
    wait_until_compiled(a_job(lambda state: told.append(state.text)), ("planning",))
    assert time.monotonic() - start >= 0.4
    assert told and "ompiling" in told[0]
    assert claim.exists()  # the rest is still being compiled; this job did not need it


def test_a_waiting_job_can_be_cancelled(claim: Path) -> None:
    job = a_job(lambda _: None)
    threading.Timer(0.3, job.cancel).start()
    with pytest.raises(Cancelled):
        wait_until_compiled(job, ("planning",))


def test_jobs_do_not_wait_for_a_killed_process(claim: Path) -> None:
    long_ago = time.time() - 600
    os.utime(claim, (long_ago, long_ago))
    wait_until_compiled(a_job(lambda _: pytest.fail("it waited")), ("planning",))


def test_one_process_compiles_on_a_machine(claim: Path) -> None:
    assert start_compiling() is None  # the claim is another's
    claim.unlink()
    warmup.warm_up()
    assert start_compiling() is None  # there is nothing to compile
