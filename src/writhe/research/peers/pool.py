"""Peers in separate processes, run one at a time so that none disturbs another."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from writhe.research.peers.body import PeerBody
from writhe.research.peers.workloads import PosingTask

SOURCES = Path(__file__).resolve().parents[3]


@dataclass
class PeerMotion:
    """A peer's motion for a task."""

    motion: np.ndarray
    milliseconds: np.ndarray
    ball: np.ndarray  # its actual position at the end of each frame


@dataclass
class Worker:
    """One peer: its process, settings and timings."""

    name: str
    process: subprocess.Popen[str]
    cold_start_s: float
    settings: dict[str, Any]
    avoids_ball: bool = False
    peak_memory_mb: float | None = None
    first_answer_s: float = 0.0  # from starting the process to its first pose


class Pool:
    """Starts peers and runs tasks on them; a context manager."""

    def __init__(self, body: PeerBody) -> None:
        self._folder = TemporaryDirectory(prefix="writhe-peers-")
        self.folder = Path(self._folder.name)
        body.save(self.folder / "body.json")
        self.workers: list[Worker] = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.process.kill()
            worker.process.wait()
        self._folder.cleanup()

    def start(self, name: str, adapter: str, python: Path) -> Worker:
        """Start a peer and wait until it is ready; raises RuntimeError with its output if it fails.

        It is started twice and the second start is timed, since the first fills bytecode and other
        caches.
        """
        rehearsed = self._launch(name, adapter, python)
        try:
            self._read(rehearsed)
        finally:
            rehearsed.process.kill()
            rehearsed.process.wait()
        began = time.perf_counter()
        worker = self._launch(name, adapter, python)
        said = self._read(worker)
        worker.cold_start_s = time.perf_counter() - began
        worker.settings = said["settings"]
        worker.avoids_ball = said["avoids_ball"]
        self.workers.append(worker)
        return worker

    def _launch(self, name: str, adapter: str, python: Path) -> Worker:
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(SOURCES),
            # bytecode is always cached, whatever the caller's setting
            "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        log = self.folder / f"{name}.log"
        with log.open("w") as errors:
            process = subprocess.Popen(
                [python, "-m", "writhe.research.peers.worker", adapter, self.folder / "body.json"],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        return Worker(name, process, 0.0, {})

    def play(self, worker: Worker, task: PosingTask) -> PeerMotion:
        """Run one task on one peer; raises RuntimeError if the peer fails."""
        given, answered = self.folder / "task.npz", self.folder / "answer.npz"
        task.save(given)
        assert worker.process.stdin is not None
        worker.process.stdin.write(json.dumps({"task": str(given), "answer": str(answered)}) + "\n")
        worker.process.stdin.flush()
        worker.peak_memory_mb = self._read(worker)["peak_memory_mb"]
        with np.load(answered) as data:
            return PeerMotion(data["motion"], data["milliseconds"], data["ball"])

    def _read(self, worker: Worker) -> dict[str, Any]:
        assert worker.process.stdout is not None
        line = worker.process.stdout.readline()
        if not line:
            worker.process.wait()
            output = (self.folder / f"{worker.name}.log").read_text(errors="replace").strip()
            last = output.splitlines()[-1] if output else "the process ended without output"
            raise RuntimeError(f"{worker.name}: {last}")
        return json.loads(line)
