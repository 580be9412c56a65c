"""Compile what jobs need in a process of its own, so that dragging never waits for it.

Posing is compiled before the page opens (`prepare`); planning, tangling and whole trajectories,
which are asked for minutes later if at all, are compiled beside it. Compiling holds Python's global
lock, so inside the server it would hold up everybody's drags. One process compiles on a machine,
whatever the number of servers: it claims the work with a file that it keeps fresh.
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
_FRESH_S = 60.0  # a claim that was not renewed for so long is of a process that is gone
_RENEW_S = 5.0
_LOOK_S = 0.2


def start_compiling() -> subprocess.Popen[bytes] | None:
    """Start the process, unless all is compiled or another one is at it already."""
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
    """Return when the stages are compiled, or when nobody is compiling them."""
    while missing(stages) and _claimed():
        job.report(0.0, "Compiling what this needs, once on a machine")
        time.sleep(_LOOK_S)


def main() -> None:
    """What the process does: compile, renewing the claim that its parent made."""
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
