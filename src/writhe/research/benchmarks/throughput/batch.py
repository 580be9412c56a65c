"""`writhe bench batch`: throughput per core, parallel efficiency, overhead, and killed workers.

The clips of `--clips` are certified and cleaned in one process, then on two; speeds are in seconds
of the operations themselves. Without clips, built-in movements are used. Killed workers: a run of
500 short clips during which a worker process is killed every ten seconds; every clip must have
exactly one row in the journal and one output.
"""

from __future__ import annotations

import contextlib
import os
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from writhe.batch.journal import FOLDER
from writhe.batch.parallel import Engine
from writhe.batch.rows import Row
from writhe.batch.run import BatchOptions, run_batch
from writhe.batch.settings import Settings
from writhe.batch.sources import Source, find_sources
from writhe.errors import WritheError
from writhe.io import save
from writhe.postures.synthetic_clips import builtin_movements
from writhe.progress import Progress
from writhe.research.benchmarks.throughput.scheduler import measure_scheduler
from writhe.skeleton import Motion

_JOBS = 2
_KILL_S = 10.0


def run(
    progress: Progress,
    *,
    clips: Path | None = None,
    quick: bool = False,
    full: bool = False,
    part: str | None = None,
) -> dict[str, Any]:
    """Figures of one run; `full` cleans all clips instead of every sixth.

    part: `killed` or `scheduler` run that measurement alone.
    """
    if part == "killed":
        with tempfile.TemporaryDirectory(prefix="writhe-bench-batch-") as name:
            return {"killed_workers": _killed(Path(name), 20 if quick else 500)}
    if part == "scheduler":
        return {"scheduler": measure_scheduler(progress, 1_000 if quick else 100_000)}
    if part is not None:
        raise WritheError(f"the part must be killed or scheduler, not {part!r}")
    with tempfile.TemporaryDirectory(prefix="writhe-bench-batch-") as name:
        work = Path(name)
        sources = find_sources([clips]) if clips else _own_clips(work / "clips", 24)
        if quick:
            sources = sources[::12]
        cleaned_sources = sources if full else sources[::6]
        _rows(sources[:1], "certify", work / "load", 1)  # loads the kernels
        _rows(sources[:1], "clean", work / "load", 1)
        progress(None, "certify")
        certify, seconds = _rows(sources, "certify", work / "certify", 1)
        progress(None, "clean")
        clean, _ = _rows(cleaned_sources, "clean", work / "clean", 1)
        progress(None, f"{_JOBS} processes")
        parallel = _parallel(sources, work)
        progress(None, "killed workers")
        killed = _killed(work, 20 if quick else 500)
    speeds = sorted(_speed(row) for row in clean if row.error is None)
    return {
        "clips": len(sources),
        "cleaned_clips": len(speeds),
        "failed": sum(r.error is not None for r in (*certify, *clean)),
        "certify_frames_per_s_core": round(
            sum(r.frames or 0 for r in certify) / sum(r.seconds for r in certify), 1
        ),
        "clean_frames_per_s_core_median": round(statistics.median(speeds), 1),
        "clean_frames_per_s_core_min": round(speeds[0], 1),
        "parallel_efficiency": round(parallel, 3),
        "overhead_ms_clip": round(
            1e3 * (seconds - sum(r.seconds for r in certify)) / len(sources), 2
        ),
        "killed_workers": killed,
    }


def _own_clips(folder: Path, count: int) -> list[Source]:
    """Short clips of built-in movements, repeated under other names."""
    folder.mkdir(parents=True)
    motions = [take for takes in builtin_movements().values() for take in takes]
    for i in range(count):
        motion = motions[i % len(motions)]
        clip = Motion(motion.skeleton, motion.q[: 40 + i % 20], fps=motion.fps, name=f"clip {i}")
        save(clip, folder / f"{i:04d}.bvh")
    return find_sources([folder])


def _rows(
    sources: Iterable[Source], operation: str, folder: Path, jobs: int
) -> tuple[list[Row], float]:
    """The rows of a run, and its duration in seconds."""
    options = BatchOptions(folder, engine=Engine(jobs=jobs))
    start = time.perf_counter()
    return list(run_batch(sources, Settings(operation), options)), time.perf_counter() - start


def _speed(row: Row) -> float:
    return (row.frames or 0) / max(row.seconds, 1e-9)


def _parallel(sources: list[Source], work: Path) -> float:
    """Work done per second by two processes over twice that of one, once the workers are loaded.

    The first clips of each worker load its kernels; they are left out on both sides.
    """
    from distributed import Client, LocalCluster

    from writhe.batch.parallel import run_on_client
    from writhe.batch.task import BatchTask, run_task

    settings = Settings("certify")
    tasks = [BatchTask(source, None, settings, settings.digest) for source in sources]
    start = time.perf_counter()
    for task in tasks:
        run_task(task)
    alone = time.perf_counter() - start
    with (
        LocalCluster(
            n_workers=_JOBS, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        Client(cluster) as client,
    ):
        list(run_on_client(client, tasks[: 4 * _JOBS]))
        start = time.perf_counter()
        list(run_on_client(client, tasks))
        together = time.perf_counter() - start
    return alone / (_JOBS * together)


def _killed(work: Path, count: int) -> dict[str, Any]:
    """Convert clips while workers are killed; count rows that are lost or duplicated."""
    sources = _own_clips(work / "short", count)
    folder = work / "killed"
    stop = threading.Event()
    kills: list[int] = []
    killer = threading.Thread(target=_kill_workers, args=(stop, kills), daemon=True)
    engine, settings = Engine(jobs=_JOBS, retries=100), Settings("convert", suffix=".glb")
    rows: list[Row] = []
    for row in run_batch(sources, settings, BatchOptions(folder, engine=engine)):
        if not rows:
            killer.start()
        rows.append(row)
    stop.set()
    killer.join()
    journal = [line for p in (folder / FOLDER).glob("*.jsonl") for line in p.open()]
    names = [row.file for row in rows]
    missing = [row.file for row in rows if not Path(row.output or "").is_file()]
    return {
        "runs": len(sources),
        "kills": len(kills),
        "lost": len({s.name for s in sources} - set(names)) + len(missing),
        "duplicated": len(names) - len(set(names)) + max(0, len(journal) - len(sources)),
        "failed": sum(row.error is not None for row in rows),
    }


def _kill_workers(stop: threading.Event, kills: list[int]) -> None:
    """Kill the oldest worker process of this process, which is at work, every `_KILL_S` seconds."""
    while not stop.wait(_KILL_S):
        workers = _worker_processes()
        if workers:
            os.kill(workers[0], signal.SIGKILL)
            kills.append(workers[0])


def _worker_processes() -> list[int]:
    """Process numbers of Dask's worker processes below this one (Linux), oldest first."""
    import psutil

    found: list[tuple[float, int]] = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if "spawn_main" in " ".join(child.cmdline()):
                found.append((child.create_time(), child.pid))
    return [pid for _, pid in sorted(found)]
