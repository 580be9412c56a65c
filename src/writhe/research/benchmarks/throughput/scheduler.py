"""Many tasks without work through the Dask scheduler: where folders of clips meet its limits.

The workers are threads of this process, so that their number is not limited by the machine; a task
returns a row at once. What remains is what the scheduler, the client and the messages between them
take. A cluster cannot process more clips a second than this, however many workers it has.
"""

from __future__ import annotations

import os
import time
from typing import Any, cast

from writhe.batch.parallel import run_on_client
from writhe.batch.result_row import Row
from writhe.batch.settings import Settings
from writhe.batch.sources import Source
from writhe.batch.task import BatchTask, new_row
from writhe.progress import Progress

WORKERS = (2, 16, 64)
_REPORT = 1_000


def stub(task: BatchTask) -> Row:
    """The row of a task, without work."""
    return new_row(task)


def measure_scheduler(progress: Progress, tasks: int) -> dict[str, Any]:
    """Tasks a second by number of workers, with `tasks` of them on the last; lost and repeated."""
    by_workers: dict[str, float] = {}
    out: dict[str, Any] = {}
    for workers in WORKERS:
        count = tasks if workers == WORKERS[-1] else max(1_000, tasks // 20)
        out = _run(progress, workers, count)
        by_workers[str(workers)] = out["tasks_per_s"]
    return out | {"tasks_per_s_by_workers": by_workers}


def _run(progress: Progress, workers: int, count: int) -> dict[str, Any]:
    import distributed as dask_distributed
    import psutil

    distributed = cast("Any", dask_distributed)  # states its types in part only
    settings = Settings("certify")
    digest = settings.digest
    process = psutil.Process(os.getpid())
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=workers,
            processes=False,
            dashboard_address=":0",
            worker_dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        before, cpu = process.memory_info().rss, sum(process.cpu_times()[:2])
        start = time.perf_counter()
        tasks = (
            BatchTask(Source(f"/library/{i}.bvh", f"{i}.bvh"), None, settings, digest)
            for i in range(count)
        )
        seen: dict[str, int] = {}
        for done, row in enumerate(run_on_client(client, tasks, function=stub), 1):
            seen[row.file] = seen.get(row.file, 0) + 1
            if done % _REPORT == 0:
                progress(done / count, f"{workers} workers, {done} of {count} tasks")
        seconds = time.perf_counter() - start
        grown = process.memory_info().rss - before
        used = sum(process.cpu_times()[:2]) - cpu
    return {
        "workers": workers,
        "tasks": count,
        "seconds": round(seconds, 2),
        "tasks_per_s": round(count / seconds, 1),
        "processor_ms_task": round(1e3 * used / count, 3),
        "memory_growth_mb": round(grown / 1e6, 1),
        "lost": count - len(seen),
        "duplicated": sum(n - 1 for n in seen.values()),
    }
