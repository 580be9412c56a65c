"""Run every installed method on every workload and write the results."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from writhe.progress import Progress
from writhe.research.benchmarks.throughput import scaling
from writhe.research.peers import planning, workloads
from writhe.research.peers.environments import ENVIRONMENTS, python_of
from writhe.research.peers.metrics import MotionEvaluator, MotionMetrics, summary
from writhe.research.peers.pool import Pool, Worker
from writhe.research.peers.report import write_report
from writhe.research.peers.workloads import PosingTask
from writhe.skeleton.figures import figure as built_in

RESULTS = Path("out/peers")

# name: adapter and variant; the environment is the adapter's name, or writhe's own
METHODS = {
    "writhe": "writhe:default",
    "writhe-half-space": "writhe:half-space",
    "momentum": "momentum:plain",
    "momentum-collision": "momentum:collision",
    "mink": "mink:plain",
    "mink-collision": "mink:collision",
    "pink": "pink:plain",
    "pink-collision": "pink:collision",
    "blender": "blender:",
    "scipy": "scipy_ls:plain",
    "scipy-collision": "scipy_ls:collision",
}


@dataclass(frozen=True)
class Size:
    """Sizes of the workloads."""

    drag_rounds: int
    every_drag: int  # one drag of this many is run
    tangles: int
    sweeps: int
    clips: int
    frames: int
    plans: int  # of each level
    plan_cap_s: float


FULL = Size(
    drag_rounds=1,
    every_drag=2,
    tangles=24,
    sweeps=21,
    clips=8,
    frames=75,
    plans=4,
    plan_cap_s=5.0,
)
QUICK = Size(
    drag_rounds=1, every_drag=4, tangles=8, sweeps=7, clips=3, frames=50, plans=1, plan_cap_s=3.0
)


def run(
    progress: Progress,
    *,
    clips: Path | None = None,
    quick: bool = False,
    methods: tuple[str, ...] | None = None,
    folder: Path | None = RESULTS,
) -> dict[str, Any]:
    """Alternate the methods task by task, each in its own process, one running at a time."""
    figure = built_in("human")
    body = workloads.export_body(figure)
    size = QUICK if quick else FULL
    tasks = _tasks(size, clips, progress)
    judge = MotionEvaluator(figure, body)
    seen: dict[str, dict[str, list[MotionMetrics]]] = {name: {} for name in tasks}
    absent: dict[str, str] = {}
    with Pool(body) as pool:
        workers: list[Worker] = []
        for name in methods or tuple(METHODS):
            progress(None, f"starting {name}")
            adapter = METHODS[name].partition(":")[0]
            python = python_of(adapter) if adapter in ENVIRONMENTS else Path(sys.executable)
            if python is None:
                absent[name] = "not installed: run `python -m writhe.research.peers.environments`"
                continue
            try:
                workers.append(pool.start(name, METHODS[name], python))
            except RuntimeError as problem:
                absent[name] = str(problem)
        for workload, listed in tasks.items():
            for number, task in enumerate(listed):
                for worker in list(workers):
                    if len(task.ball) and not worker.avoids_ball:
                        continue
                    progress(None, f"{workload} {number + 1} of {len(listed)}: {worker.name}")
                    try:
                        answer = pool.play(worker, task)
                    except RuntimeError as problem:
                        absent[worker.name] = f"failed in {workload} {number + 1}: {problem}"
                        workers.remove(worker)
                        continue
                    if not worker.first_answer_s:
                        worker.first_answer_s = worker.cold_start_s + answer.milliseconds[0] / 1e3
                    seen[workload].setdefault(worker.name, []).append(judge.evaluate(task, answer))
        result = {
            "workloads": {
                workload: {
                    "tasks": len(tasks[workload]),
                    "hash": _hash(tasks[workload]),
                    "methods": {name: summary(list_) for name, list_ in by_method.items()},
                }
                for workload, by_method in seen.items()
            }
            | {"planning": planning.run(figure, body, size.plans, size.plan_cap_s, progress)},
            "methods": {
                worker.name: {
                    "cold_start_s": round(worker.first_answer_s, 2),
                    "peak_memory_mb": worker.peak_memory_mb,
                    "settings": worker.settings,
                }
                for worker in workers
            },
            "scaling": scaling.run(
                lambda share, what="": progress(share, f"scaling: {what}"), quick=quick
            ),
            "absent": absent,
            "capsules": len(body.capsules),
            "pairs": len(body.pairs),
            "clips": None if clips is None else "given folder",
            "quick": quick,
            "environment": _environment(),
        }
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "results.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
        write_report(result, folder)
    return result


def _tasks(size: Size, clips: Path | None, progress: Progress) -> dict[str, list[PosingTask]]:
    figure = built_in("human")
    if clips is None:
        motions = workloads.library_motions(figure, size.clips, size.frames)
    else:
        motions = workloads.recorded_motions(clips, figure, size.clips, size.frames, progress)
    tasks = {
        "drags": workloads.drags(figure, size.drag_rounds)[:: size.every_drag],
        "tangled": workloads.tangled(figure, size.tangles),
        "swept": workloads.swept(figure, size.sweeps),
    }
    for name, effectors in workloads.EFFECTORS.items():
        tasks[name] = workloads.reconstructions(figure, motions, effectors, 30.0)
    return tasks


def _hash(tasks: list[PosingTask]) -> str:
    return hashlib.sha256("".join(task.digest for task in tasks).encode()).hexdigest()[:12]


def _processor() -> str:
    """Name of the processor: from /proc on Linux, `platform` elsewhere."""
    cpu_info = Path("/proc/cpuinfo")
    lines = cpu_info.read_text(encoding="utf-8").splitlines() if cpu_info.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())


def _environment() -> dict[str, Any]:
    return {
        "date": date.today().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in ("writhe", "numpy", "numba", "scipy", "daqp")},
        "float": str(np.dtype(float)),
    }
