"""The clips of a folder on a figure, for benchmarks and experiments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from writhe.errors import WritheError
from writhe.evaluation.named import Progress
from writhe.skeleton import Figure, Motion


def retargeted_clips(
    folder: Path, body: Figure, progress: Progress, frames: int | None = None
) -> tuple[dict[str, Motion], list[str]]:
    """Motions by name (at most `frames` of each), and why other files were skipped.

    Sub-folders are included.
    """
    from writhe.io import load
    from writhe.motion.harvest import motion_files
    from writhe.motion.retarget import retarget

    found: dict[str, Motion] = {}
    skipped: list[str] = []
    for file in motion_files(folder):
        progress(f"reading {file.name}")
        try:
            motion = retarget(load(file), body)
        except WritheError as problem:
            skipped.append(str(problem))
            continue
        found[file.relative_to(folder).with_suffix("").as_posix()] = replace(
            motion, q=motion.q[:frames]
        )
    if not found:
        raise WritheError(f"{folder}: none of its files could be read: {skipped[0]}")
    return found, skipped
