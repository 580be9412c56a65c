"""Work waits for kernels that another process compiles, and never for one that is gone."""

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
    """A machine that has compiled nothing, with a process that says it is compiling."""
    monkeypatch.setenv("WRITHE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(warmup, "STAGES", QUICK)
    place = tmp_path / "warm" / "compiling"
    place.parent.mkdir()
    place.touch()
    return place


def a_job(tell: Callable[[JobState], None]) -> Job:
    return Job("1", "Connect", False, tell)


def test_a_job_says_that_it_waits_and_goes_on_when_its_kernels_are_there(claim: Path) -> None:
    told: list[str] = []
    threading.Timer(0.5, lambda: warmup.warm_up(stages=("planning",))).start()
    start = time.monotonic()
    wait_until_compiled(a_job(lambda state: told.append(state.text)), ("planning",))
    assert time.monotonic() - start >= 0.4
    assert told and "ompiling" in told[0]
    assert claim.exists()  # the rest is still being compiled; this job did not need it


def test_a_waiting_job_can_be_given_up(claim: Path) -> None:
    job = a_job(lambda _: None)
    threading.Timer(0.3, job.cancel).start()
    with pytest.raises(Cancelled):
        wait_until_compiled(job, ("planning",))


def test_nobody_waits_for_a_process_that_was_killed(claim: Path) -> None:
    long_ago = time.time() - 600
    os.utime(claim, (long_ago, long_ago))
    wait_until_compiled(a_job(lambda _: pytest.fail("it waited")), ("planning",))


def test_one_process_compiles_on_a_machine(claim: Path) -> None:
    assert start_compiling() is None  # the claim is another's
    claim.unlink()
    warmup.warm_up()
    assert start_compiling() is None  # there is nothing to compile
