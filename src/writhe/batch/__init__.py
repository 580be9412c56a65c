"""One operation over many motion files: folders, all cores, a cluster.

`run_batch` yields one row per file. `run_task` processes a single file; it is a plain function of
picklable arguments, so that any scheduler (Dask, Ray, a job array) can call it.
"""

from writhe.batch.run import BatchOptions, run_batch
from writhe.batch.settings import Settings
from writhe.batch.sources import Source, find_sources, in_shard
from writhe.batch.task import BatchTask, run_task

__all__ = [
    "BatchOptions",
    "BatchTask",
    "Settings",
    "Source",
    "find_sources",
    "in_shard",
    "run_batch",
    "run_task",
]
