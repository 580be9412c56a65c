"""Retargeted clips of a folder, for benchmarks and experiments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zlib import crc32

from writhe.errors import UnknownNameError
from writhe.progress import Progress
from writhe.retargeting.clip_folders import read_clips
from writhe.skeleton import Figure, Motion

PARTS = ("tuning", "untouched")


def clip_part(clip: str) -> str:
    """The part of the collection a clip belongs to; options are tuned on `tuning` alone.

    The subject is the clip's name up to the first underscore. A quarter of all subjects, chosen by
    a checksum of that name, are `untouched`, so that no subject is in both parts.
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
    """Motions by name (the first `frames` of each), and the reasons for skipped files.

    Sub-folders are included. part: `tuning` or `untouched`, None for all.
    """
    if part is not None and part not in PARTS:
        raise UnknownNameError("part of the clips", part, list(PARTS))
    read, skipped = read_clips(
        folder,
        body,
        lambda share, name="": progress(share, f"reading {name}"),
        wanted=None if part is None else lambda path: clip_part(path.stem) == part,
    )
    found = {
        Path(name).with_suffix("").as_posix(): replace(motion, q=motion.q[:frames])
        for name, motion in read.items()
    }
    return found, list(skipped.values())
