"""`writhe bench batch`: throughput per core, parallel efficiency, overhead, and killed workers.

The clips of `--clips` are certified and cleaned in one process; speeds are frames of the source per
second of CPU time, reading and writing included. Without clips, built-in movements are used.
Efficiency and overhead are measured in wall-clock time, so they need a quiet machine. Killed
workers: 500 short clips are converted, and excerpts of clips cleaned, while a worker process is
killed every ten seconds; every clip must have exactly one row in the journal and one output.
"""

from __future__ import annotations

import contextlib
import os
import signal
import statistics
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from writhe.batch.journal import FOLDER
from writhe.batch.parallel import Engine, connected, run_on_client
from writhe.batch.result_row import Row
from writhe.batch.run import BatchOptions, run_batch
from writhe.batch.settings import Settings
from writhe.batch.sources import Source, find_sources
from writhe.batch.task import BatchTask, run_task
from writhe.errors import WritheError
from writhe.io import load, save
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

    part: `killed`, `parallel` or `scheduler` runs that measurement alone.
    """
    if part == "killed":
        with tempfile.TemporaryDirectory(prefix="writhe-bench-batch-") as name:
            return {"killed_workers": _killed(progress, Path(name), clips, quick)}
    if part == "scheduler":
        return {"scheduler": measure_scheduler(progress, 1_000 if quick else 100_000)}
    if part == "parallel":
        if clips is None:
            raise WritheError("give a folder of clips with --clips")
        return _parallel(find_sources([clips]))
    if part is not None:
        raise WritheError(f"the part must be killed, parallel or scheduler, not {part!r}")
    with tempfile.TemporaryDirectory(prefix="writhe-bench-batch-") as name:
        work = Path(name)
        sources = find_sources([clips]) if clips else _own_clips(work / "clips", 24)
        if quick:
            sources = sources[::12]
        for operation in ("certify", "clean"):  # loads the kernels
            _alone(progress, sources[:1], operation, work / "load")
        certify = _alone(progress, sources, "certify", work / "certify")
        clean = _alone(progress, sources if full else sources[::6], "clean", work / "clean")
        progress(None, "overhead")
        overhead_s = _overhead(sources, work / "overhead")
        progress(None, f"{_JOBS} processes")
        parallel = _parallel(sources)
        killed = _killed(progress, work, clips, quick)
    failed = [row for row, _ in (*certify, *clean) if row.error is not None]
    speeds = sorted((row.frames or 0) / s for row, s in clean if row.error is None)
    return {
        "clips": len(sources),
        "cleaned_clips": len(speeds),
        "failed": len(failed),
        "certify_frames_per_s_core": round(
            sum(row.frames or 0 for row, _ in certify) / sum(s for _, s in certify), 1
        ),
        "certify_frames_per_s_core_min": round(
            min((row.frames or 0) / s for row, s in certify if row.error is None), 1
        ),
        "clean_frames_per_s_core_median": round(statistics.median(speeds), 1),
        "clean_frames_per_s_core_min": round(speeds[0], 1),
        **parallel,
        "overhead_ms_clip": round(1e3 * overhead_s, 2),
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


def _alone(
    progress: Progress, sources: list[Source], operation: str, folder: Path
) -> list[tuple[Row, float]]:
    """The row of each source and its seconds of CPU time, in this process."""
    settings = Settings(operation)
    found: list[tuple[Row, float]] = []
    for i, source in enumerate(sources):
        progress(i / len(sources), f"{operation} {source.name}")
        output = None if operation == "certify" else str(folder / source.name)
        start = time.process_time()
        row = run_task(BatchTask(source, output, settings, settings.digest))
        found.append((row, time.process_time() - start))
    return found


def _overhead(sources: list[Source], folder: Path) -> float:
    """Seconds for each clip, in one process, besides the operation itself: hashes and journal."""
    start = time.perf_counter()
    rows = list(run_batch(sources, Settings("certify"), BatchOptions(folder)))
    return (time.perf_counter() - start - sum(row.seconds for row in rows)) / len(rows)


def _parallel(sources: list[Source]) -> dict[str, float]:
    """Work done per second by two processes over twice that of one, once all are loaded.

    The first run of the clips loads kernels and fits bodies; it is left out on both sides. Beside
    the ratio of wall-clock times, that of the CPU time of all processes, scheduler included: what
    the efficiency would be if nothing waited, on a busy machine too.
    """
    settings = Settings("certify")
    tasks = [BatchTask(source, None, settings, settings.digest) for source in sources]
    for task in tasks:
        run_task(task)
    start, processor = time.perf_counter(), _processor_s()
    for task in tasks:
        run_task(task)
    alone, alone_processor = time.perf_counter() - start, _processor_s() - processor
    with connected(Engine(jobs=_JOBS)) as client:
        list(run_on_client(client, tasks + tasks))
        start, processor = time.perf_counter(), _processor_s()
        list(run_on_client(client, tasks))
        together, used = time.perf_counter() - start, _processor_s() - processor
    return {
        "parallel_efficiency": round(alone / (_JOBS * together), 3),
        "parallel_efficiency_processor": round(alone_processor / used, 3),
    }


def _processor_s() -> float:
    """Seconds of CPU time of this process and its children so far."""
    import psutil

    total = time.process_time()
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            total += sum(child.cpu_times()[:2])
    return total


def _killed(progress: Progress, work: Path, clips: Path | None, quick: bool) -> dict[str, Any]:
    """Process 500 clips while workers are killed; count rows that are lost or repeated."""
    cleaned = _excerpts(work / "excerpts", clips, 2 if quick else 250)
    converted = _own_clips(work / "short", 18 if quick else 500 - len(cleaned))
    found = {"runs": 0, "kills": 0, "lost": 0, "duplicated": 0, "failed": 0, "cleaned": 0}
    for sources, settings in (
        (cleaned, Settings("clean")),
        (converted, Settings("convert", suffix=".glb")),
    ):
        one = _killed_run(progress, sources, settings, work / f"killed {settings.operation}")
        found = {key: found[key] + one.get(key, 0) for key in found}
    return found | {"cleaned": len(cleaned)}


def _excerpts(folder: Path, clips: Path | None, count: int) -> list[Source]:
    """The first two seconds of recorded clips; without any, built-in movements."""
    if clips is None:
        return _own_clips(folder, count)
    folder.mkdir(parents=True)
    given = find_sources([clips])
    for i in range(count):
        motion = load(given[i * len(given) // count].location)
        end = min(len(motion.q), round(2 * motion.fps))
        save(replace(motion, q=motion.q[:end]), folder / f"{i:04d}.bvh")
    return find_sources([folder])


def _killed_run(
    progress: Progress, sources: list[Source], settings: Settings, folder: Path
) -> dict[str, int]:
    """One run during which a worker is killed every ten seconds."""
    stop = threading.Event()
    kills: list[int] = []
    killer = threading.Thread(target=_kill_workers, args=(stop, kills), daemon=True)
    options = BatchOptions(folder, engine=Engine(jobs=_JOBS, retries=100))
    rows: list[Row] = []
    for row in run_batch(sources, settings, options):
        if not rows:
            killer.start()
        rows.append(row)
        progress(len(rows) / len(sources), f"{settings.operation}, {len(kills)} workers killed")
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
