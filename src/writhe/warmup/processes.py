"""Runs pieces of work in parallel processes and reports how much of it is done.

Compiling holds Python's global interpreter lock, so threads would not run in parallel, and a server
that compiles would not respond. Kernels that two processes need are compiled by one of them
(`writhe.machine_code.compile_locks`).
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import IO, Any, NamedTuple

from writhe.errors import WritheError
from writhe.progress import Progress


class CompileTask(NamedTuple):
    """A function to call in a process ("module:function"), and the kernels that it compiles."""

    function: str
    kernels: int


class _Process:
    """A process that calls functions one after another (`writhe.warmup.worker`)."""

    def __init__(
        self, events: queue.Queue[tuple[_Process, dict[str, Any]]], background: bool
    ) -> None:
        self.name: str | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", "writhe.warmup.worker", *(["--nice"] if background else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.end)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input: IO[str] = self._process.stdin
        output = self._process.stdout

        def read() -> None:
            for line in output:
                events.put((self, json.loads(line)))
            events.put((self, {"ended": self._process.wait()}))

        threading.Thread(target=read, daemon=True).start()

    def start(self, name: str, function: str) -> None:
        """Start a function call; its completion is reported as an event."""
        self.name = name
        self._input.write(function + "\n")
        self._input.flush()

    def end(self) -> None:
        """Kill the process."""
        atexit.unregister(self.end)
        self._process.terminate()


def run_all(
    works: Mapping[str, CompileTask],
    progress: Progress | None = None,
    done: Callable[[str], None] | None = None,
    processes: int | None = None,
    background: bool = False,
) -> None:
    """Run all works, in their order, in as many processes as there are processors.

    `done` is called with the name of each finished one. With `background`, they run at low
    priority. Raises the first error.
    """
    waiting = list(works)
    total = sum(work.kernels for work in works.values())
    compiled = dict.fromkeys(works, 0)
    count = min(len(waiting), processes or max(1, min(4, os.cpu_count() or 1)))
    events: queue.Queue[tuple[_Process, dict[str, Any]]] = queue.Queue()
    running: list[_Process] = []

    def report() -> None:
        if progress is not None:
            names = [process.name for process in running if process.name is not None]
            progress(min(1.0, sum(compiled.values()) / max(1, total)), " and ".join(names))

    try:
        for _ in range(count):
            running.append(_Process(events, background))
            name = waiting.pop(0)
            running[-1].start(name, works[name].function)
        report()
        while any(process.name is not None for process in running):
            process, event = events.get()
            name = process.name
            if name is None:
                continue
            if "error" in event or "ended" in event:
                raise WritheError(
                    f"preparing {name} failed: {event.get('error', 'its process ended')}"
                )
            if "compiling" in event:
                compiled[name] = min(compiled[name] + 1, works[name].kernels - 1)
            if "done" in event:
                compiled[name] = works[name].kernels
                process.name = None
                if done is not None:
                    done(name)
                if waiting:
                    following = waiting.pop(0)
                    process.start(following, works[following].function)
            report()
    finally:
        for process in running:
            process.end()
