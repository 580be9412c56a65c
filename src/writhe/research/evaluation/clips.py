"""The clips of a folder on a figure, for benchmarks and experiments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zlib import crc32

from writhe.errors import UnknownNameError
from writhe.research.evaluation.registry import Progress
from writhe.retargeting.clip_folders import read_clips
from writhe.skeleton import Figure, Motion

PARTS = ("tuning", "untouched")


def part_of(clip: str) -> str:
    """To which part of a collection a clip belongs: options are chosen on `tuning` alone.

    A clip's subject is its name up to the first underscore; a fourth of all subjects, fixed once by
    a checksum of that name, are `untouched`, so that nobody's body or manner is in both parts.
    """
    subject = Path(clip).name.split("_")[0]
    return PARTS[crc32(subject.encode()) % 4 == 0]


def retargeted_clips(
    folder: Path,
    body: Figure,
    progress: Progress,
    frames: int | None = None,
    part: str | None = None,
) -> tuple[dict[str, Motion], list[str]]:
    """Motions by name (at most `frames` of each), and why other files were skipped.

    Sub-folders are included. part: `tuning` or `untouched`, None for all.
    """
    if part is not None and part not in PARTS:
        raise UnknownNameError("part of the clips", part, list(PARTS))
    read, skipped = read_clips(
        folder,
        body,
        lambda _done, _all, name: progress(f"reading {name}"),
        wanted=None if part is None else lambda path: part_of(path.stem) == part,
    )
    found = {
        Path(name).with_suffix("").as_posix(): replace(motion, q=motion.q[:frames])
        for name, motion in read.items()
    }
    return found, list(skipped.values())
