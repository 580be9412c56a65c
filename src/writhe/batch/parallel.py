"""Where the tasks of a batch run: in this process, on the cores of this machine, on a cluster.

The cluster engines are Dask's. Short tasks are submitted in groups, and only a few groups per
worker at a time, so that the scheduler's time and memory do not limit the number of files.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, cast

from writhe.batch.result_row import Row
from writhe.batch.task import BatchTask, new_row, run_task
from writhe.errors import WritheError

_AHEAD = 3  # groups of tasks submitted per thread: one runs, the others are queued
_GROUP_S = 0.25  # aim of the time that a group takes
_MAX_GROUP = 64
_ONE_THREAD = {"NUMBA_NUM_THREADS": "1"}  # a worker is one core; Dask does this for BLAS
_COUNT_S = 1.0  # how often the threads are counted; workers come and go


@dataclass(frozen=True)
class Engine:
    """Where and how tasks run.

    jobs: processes on this machine; 1 without a scheduler runs in this process.
    scheduler: the address of a running Dask scheduler (`tcp://host:8786`).
    slurm, kubernetes: start `jobs` workers there (needs dask-jobqueue, dask-kubernetes).
    log_folder: where jobs of Slurm write their logs; by default the current folder.
    retries: how often a task is tried again after the death of its worker; the scheduler of an
        existing cluster has a setting of its own (`distributed.scheduler.allowed-failures`).
    """

    jobs: int = 1
    scheduler: str | None = None
    slurm: bool = False
    kubernetes: bool = False
    memory_limit: str = "auto"
    retries: int = 3
    log_folder: str | None = None

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
    with connected(engine) as client:
        yield from run_on_client(client, tasks, engine.retries, function)


def run_on_client(
    client: Any,
    tasks: Iterable[BatchTask],
    retries: int = 3,
    function: Callable[[BatchTask], Row] = run_task,
) -> Iterator[Row]:
    """As `run_tasks`, on a `distributed.Client` of the caller."""
    from distributed import as_completed

    waiting, pace = iter(tasks), _Pace()
    running: dict[Any, list[BatchTask]] = {}

    def submit(group: list[BatchTask]) -> Any:
        # impure gives each group its own key: equal files with different names are both processed
        future = client.submit(_run_group, function, group, pure=False, retries=retries)
        running[future] = group
        return future

    def groups(count: int) -> Iterator[list[BatchTask]]:
        for _ in range(count):
            group = list(islice(waiting, pace.group_size))
            if not group:
                return
            yield group

    window, counted = _window(client), time.monotonic()
    finished: Any = cast("Any", as_completed)([submit(group) for group in groups(window)])
    try:
        for future in finished:
            group = running.pop(future)
            try:
                rows, seconds = cast("tuple[list[Row], float]", future.result())
            except Exception as error:  # from the scheduler: a lost worker, a task without a pickle
                if len(group) == 1:
                    yield _killed_row(group[0], error)
                else:  # one of the files did it; the others are not to blame
                    for task in group:
                        finished.add(submit([task]))
            else:
                pace.measured(seconds, len(rows))
                yield from rows
            if time.monotonic() - counted > _COUNT_S:
                window, counted = _window(client), time.monotonic()
            for more in groups(max(0, window - len(running))):
                finished.add(submit(more))
    finally:
        if running:
            client.cancel(list(running))


class _Pace:
    """How many tasks are submitted as one, so that the scheduler is not busier than the workers.

    A task of the scheduler costs about 2 ms, whatever it does: as much as certifying 20 frames.
    """

    def __init__(self) -> None:
        self._mean_s = _GROUP_S
        self.group_size = 1

    def measured(self, seconds: float, count: int) -> None:
        """A worker took this long for so many tasks."""
        self._mean_s += 0.1 * (seconds / count - self._mean_s)
        self.group_size = min(max(1, int(_GROUP_S / max(self._mean_s, 1e-6))), _MAX_GROUP)


def _run_group(
    function: Callable[[BatchTask], Row], group: list[BatchTask]
) -> tuple[list[Row], float]:
    """The rows of tasks, and the seconds that they took."""
    start = time.perf_counter()
    return [function(task) for task in group], time.perf_counter() - start


def _window(client: Any) -> int:
    """The number of tasks in flight for the threads that the cluster has now."""
    return _AHEAD * max(1, sum(client.ncores().values()))


def _killed_row(task: BatchTask, error: Exception) -> Row:
    from distributed.scheduler import KilledWorker

    why = f"{type(error).__name__}: {error}"
    if isinstance(error, KilledWorker):
        why = "its worker process ended several times: a crash, or more memory than its limit"
    return replace(new_row(task), error=why, error_kind="killed")


@contextmanager
def connected(engine: Engine) -> Generator[Any]:
    """A `distributed.Client` of the cluster that an engine names, which is started if need be."""
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
        make = _optional("dask_jobqueue", "SLURMCluster", "dask-jobqueue")
        memory = "4GB" if engine.memory_limit == "auto" else engine.memory_limit
        cluster = make(
            cores=1, processes=1, memory=memory, log_directory=engine.log_folder, silence_logs=50
        )
        for _ in range(engine.jobs):
            cluster.worker_spec.update(cluster.new_worker_spec())
        try:  # unlike `scale`, this raises if Slurm refuses a job
            cluster.sync(cluster._correct_state)
        except (RuntimeError, OSError) as error:
            with suppress(Exception):  # it cannot close jobs that were not submitted
                cluster.close()
            raise WritheError(f"Slurm refused the workers: {_last_lines(error)}") from None
        # jobs end at their time limit; others then take their place
        cluster.adapt(minimum_jobs=engine.jobs, maximum_jobs=engine.jobs)
        return cluster
    if engine.kubernetes:
        make = _optional("dask_kubernetes.operator", "KubeCluster", "dask-kubernetes")
        try:
            return make(**kubernetes_options(engine))
        except Exception as error:  # of its clients: no configuration, no operator, no rights
            raise WritheError(f"Kubernetes did not start workers: {_last_lines(error)}") from None
    import distributed
    from dask import config

    # a restarted worker answers late while it loads
    config.set(
        {
            "distributed.comm.timeouts.connect": "60s",
            "distributed.scheduler.allowed-failures": engine.retries,
            "distributed.worker.profile.enabled": False,  # samples stacks a hundred times a second
        }
    )
    cluster = distributed.LocalCluster(
        n_workers=engine.jobs,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,  # pyright: ignore[reportArgumentType]
        host="127.0.0.1",
        memory_limit=engine.memory_limit,
        silence_logs=50,
        preload=["writhe.batch.worker_start"],
        env=_ONE_THREAD,
    )
    # replaces a worker that could not be started again after its death
    cluster.adapt(minimum=engine.jobs, maximum=engine.jobs)
    return cluster


def kubernetes_options(engine: Engine) -> dict[str, Any]:
    """Arguments of `dask_kubernetes.operator.KubeCluster`.

    The image is `kubernetes.image` of Dask's configuration; it must contain writhe.
    """
    memory = "4Gi" if engine.memory_limit == "auto" else engine.memory_limit
    limits = {"cpu": "1", "memory": memory.removesuffix("B")}
    return {
        "name": "writhe-batch",
        "n_workers": engine.jobs,
        "resources": {"requests": limits, "limits": limits},
        "env": _ONE_THREAD,
        "worker_command": ["dask", "worker", "--nthreads", "1"],
        "quiet": True,
    }


def _last_lines(error: BaseException) -> str:
    """The end of a message of several lines, where programs say what was wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return "; ".join(lines[-2:])


def _optional(module: str, name: str, package: str) -> Any:
    import importlib

    try:
        return getattr(importlib.import_module(module), name)
    except ImportError:
        raise WritheError(f"this needs {package}; install it with: pip install {package}") from None
