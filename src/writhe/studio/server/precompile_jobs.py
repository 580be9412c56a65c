"""Compiles the kernels of jobs in a separate process, so that drags never wait for it.

Posing is compiled before the page opens (`precompile_posing`); planning, tangling and trajectories,
which are used later if at all, are compiled in the background. Compiling holds Python's global
interpreter lock and would block drags inside the server. One process per machine compiles, however
many servers run: it holds a claim file whose modification time it renews.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from writhe.cache import cache_root
from writhe.studio.server.jobs import Job
from writhe.warmup import missing, warm_up

STAGES = ("planning", "tangling", "trajectories")
_FRESH_S = 60.0  # a claim not renewed for this long belongs to a process that ended
_RENEW_S = 5.0
_POLL_S = 0.2


def start_compiling() -> subprocess.Popen[bytes] | None:
    """Start the process, unless everything is compiled or another process is compiling."""
    if not missing(STAGES) or _claimed():
        return None
    claim = _claim()
    claim.parent.mkdir(parents=True, exist_ok=True)
    claim.touch()
    command = [
        sys.executable,
        "-c",
        "from writhe.studio.server.precompile_jobs import main; main()",
    ]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_until_compiled(job: Job, stages: tuple[str, ...]) -> None:
    """Wait until the stages are compiled, or no process is compiling them."""
    while missing(stages) and _claimed():
        job.report(0.0, "Compiling, only the first time on this machine")
        time.sleep(_POLL_S)


def main() -> None:
    """Entry point of the process: compile all stages and renew the claim."""
    if hasattr(os, "nice"):
        os.nice(5)
    claim = _claim()
    threading.Thread(target=_renew, args=(claim,), daemon=True).start()
    try:
        for stage in STAGES:
            warm_up(stages=missing((stage,)))
    finally:
        claim.unlink(missing_ok=True)


def _claim() -> Path:
    return cache_root() / "warm" / "compiling"


def _claimed() -> bool:
    try:
        return time.time() - _claim().stat().st_mtime < _FRESH_S
    except FileNotFoundError:
        return False


def _renew(claim: Path) -> None:
    while True:
        claim.touch()
        time.sleep(_RENEW_S)
