"""Compile kernels ahead of use, in named stages and in parallel processes.

A finished stage is marked in the cache folder under the hash of all kernels. In a wheel with
machine code, all stages are finished.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from writhe import prebuilt
from writhe.cache import cache_root, write_file
from writhe.machine_code.source_hash import all_kernels_hash
from writhe.progress import Progress
from writhe.warmup.processes import CompileTask, run_all

__all__ = ["STAGES", "CompileTask", "missing", "run_all", "warm_up"]

_HERE = "writhe.warmup.stages"

# name: approximate number of kernels that it compiles, to measure progress. A process waits for a
# kernel that another one is compiling, so stages that run at the same time should share few
# kernels; the order is chosen for that.
STAGES: dict[str, CompileTask] = {
    "posing": CompileTask(f"{_HERE}:posing", 130),
    "skins": CompileTask(f"{_HERE}:skins", 40),
    "trajectories": CompileTask(f"{_HERE}:trajectories", 30),
    "linking": CompileTask(f"{_HERE}:linking", 20),
    "planning": CompileTask(f"{_HERE}:planning", 60),
    "animation": CompileTask(f"{_HERE}:animation", 12),
    "tangling": CompileTask(f"{_HERE}:tangling", 40),
    "collision": CompileTask(f"{_HERE}:collision", 30),
    "cleaning": CompileTask(f"{_HERE}:cleaning", 30),
    "kinematics": CompileTask(f"{_HERE}:kinematics", 15),
    "motion files": CompileTask(f"{_HERE}:motion_files", 6),
}


def missing(stages: Iterable[str] | None = None) -> list[str]:
    """The stages (default: all) that are not compiled on this machine yet."""
    wanted = STAGES if stages is None else stages
    made = prebuilt.manifest()
    ready = made.get("stages", ()) if made.get("all_kernels") == all_kernels_hash() else ()
    return [name for name in wanted if name not in ready and not is_done(name)]


def warm_up(progress: Progress | None = None, stages: Iterable[str] | None = None) -> float:
    """Compile the stages (default: all) and return the seconds taken."""
    start = time.perf_counter()
    wanted = {name: STAGES[name] for name in (STAGES if stages is None else stages)}
    run_all(wanted, progress, mark_done)
    return time.perf_counter() - start


def is_done(stage: str) -> bool:
    """Whether a stage is marked as done."""
    return _marker(stage).exists()


def mark_done(stage: str) -> None:
    """Mark a stage as done for the present kernels."""
    write_file(_marker(stage), b"")


def _marker(stage: str) -> Path:
    return cache_root() / "warm" / all_kernels_hash() / f"{stage.replace(' ', '-')}.ready"
