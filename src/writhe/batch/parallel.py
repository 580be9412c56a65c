"""Where the tasks of a batch run: in this process, on the cores of this machine, on a cluster.

The cluster engines are Dask's. Only a few tasks per worker are submitted at a time, so that the
scheduler's memory does not grow with the number of files.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from writhe.batch.rows import Row
from writhe.batch.task import BatchTask, new_row, run_task
from writhe.errors import WritheError

_AHEAD = 3  # tasks submitted per thread: one runs, the others are queued
_COUNT_S = 1.0  # how often the threads are counted; workers come and go


@dataclass(frozen=True)
class Engine:
    """Where and how tasks run.

    jobs: processes on this machine; 1 without a scheduler runs in this process.
    scheduler: the address of a running Dask scheduler (`tcp://host:8786`).
    slurm, kubernetes: start `jobs` workers there (needs dask-jobqueue, dask-kubernetes).
    retries: how often a task is tried again after the death of its worker; the scheduler of an
        existing cluster has a setting of its own (`distributed.scheduler.allowed-failures`).
    """

    jobs: int = 1
    scheduler: str | None = None
    slurm: bool = False
    kubernetes: bool = False
    memory_limit: str = "auto"
    retries: int = 3

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise WritheError(f"the number of jobs must be at least 1, not {self.jobs}")
        if sum((self.scheduler is not None, self.slurm, self.kubernetes)) > 1:
            raise WritheError("choose one of --scheduler, --slurm and --kubernetes")

    @property
    def is_here(self) -> bool:
        """Whether tasks run in this process."""
        return self.jobs == 1 and not (self.scheduler or self.slurm or self.kubernetes)


def run_tasks(
    tasks: Iterable[BatchTask], engine: Engine, function: Callable[[BatchTask], Row] = run_task
) -> Iterator[Row]:
    """The rows of the tasks as they finish. Closing the iterator cancels what is not finished."""
    if engine.is_here:
        yield from map(function, tasks)
        return
    with _client(engine) as client:
        yield from run_on_client(client, tasks, engine.retries, function)


def run_on_client(
    client: Any,
    tasks: Iterable[BatchTask],
    retries: int = 3,
    function: Callable[[BatchTask], Row] = run_task,
) -> Iterator[Row]:
    """As `run_tasks`, on a `distributed.Client` of the caller."""
    from distributed import as_completed

    waiting = iter(tasks)
    running: dict[Any, BatchTask] = {}

    def submit(task: BatchTask) -> Any:
        # impure gives each task its own key: equal files with different names are both processed
        future = client.submit(function, task, pure=False, retries=retries)
        running[future] = task
        return future

    window, counted = _window(client), time.monotonic()
    finished = as_completed([submit(task) for task in islice(waiting, window)])
    try:
        for future in finished:
            yield _row(future, running.pop(future))
            if time.monotonic() - counted > _COUNT_S:
                window, counted = _window(client), time.monotonic()
            for task in islice(waiting, max(0, window - len(running))):
                finished.add(submit(task))
    finally:
        if running:
            client.cancel(list(running))


def _window(client: Any) -> int:
    """The number of tasks in flight for the threads that the cluster has now."""
    return _AHEAD * max(1, sum(client.ncores().values()))


def _row(future: Any, task: BatchTask) -> Row:
    from distributed.scheduler import KilledWorker

    try:
        return future.result()
    except KilledWorker:
        why = "the worker process ended several times while it processed this file"
    except (
        Exception
    ) as error:  # reported by the scheduler: a lost worker, a task that cannot be unpickled
        why = f"{type(error).__name__}: {error}"
    return replace(new_row(task), error=why, error_kind="killed")


@contextmanager
def _client(engine: Engine) -> Generator[Any]:
    try:
        import distributed
    except ImportError:
        raise WritheError(
            "several processes need Dask; install it with: pip install 'writhe[batch]'"
        ) from None
    if engine.scheduler is not None:
        try:
            client = distributed.Client(engine.scheduler, timeout=20)
        except (OSError, TimeoutError, ValueError) as error:
            raise WritheError(f"no Dask scheduler at {engine.scheduler}: {error}") from None
        with client:
            if not client.ncores():
                raise WritheError(
                    f"the scheduler at {engine.scheduler} has no workers; start one with:"
                    f" dask worker {engine.scheduler}"
                )
            yield client
        return
    with _cluster(engine) as cluster, distributed.Client(cluster) as client:
        yield client


def _cluster(engine: Engine) -> Any:
    if engine.slurm:
        cluster = _optional("dask_jobqueue", "SLURMCluster", "dask-jobqueue")(
            cores=1, memory="4GB" if engine.memory_limit == "auto" else engine.memory_limit
        )
        cluster.scale(engine.jobs)
        return cluster
    if engine.kubernetes:
        cluster = _optional("dask_kubernetes.operator", "KubeCluster", "dask-kubernetes")()
        cluster.scale(engine.jobs)
        return cluster
    import distributed
    from dask import config

    # a restarted worker answers late while it loads
    config.set(
        {
            "distributed.comm.timeouts.connect": "60s",
            "distributed.scheduler.allowed-failures": engine.retries,
        }
    )
    cluster = distributed.LocalCluster(
        n_workers=engine.jobs,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",  # any free port
        host="127.0.0.1",
        memory_limit=engine.memory_limit,
        silence_logs=50,
    )
    # replaces a worker that could not be started again after its death
    cluster.adapt(minimum=engine.jobs, maximum=engine.jobs)
    return cluster


def _optional(module: str, name: str, package: str) -> Any:
    import importlib

    try:
        return getattr(importlib.import_module(module), name)
    except ImportError:
        raise WritheError(f"this needs {package}; install it with: pip install {package}") from None
