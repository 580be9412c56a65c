"""What a motion file contains, without its motion where the format allows that."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from writhe.arguments import checked
from writhe.io.bvh.contents import describe, frame_rate, read_header
from writhe.io.bvh.hierarchy import BvhHeader
from writhe.io.file_size_limits import checked_size
from writhe.skeleton.skeleton import Skeleton

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class MotionSummary:
    """Skeleton, length and frame rate of a motion file; `source` as in `Motion`."""

    skeleton: Skeleton
    frames: int
    fps: float
    source: dict[str, Any]

    @property
    def duration_s(self) -> float:
        """The time from the first frame to the last."""
        return (self.frames - 1) / self.fps


@checked
def summarise(
    path: str | Path,
    *,
    metres_per_unit: float | None = None,
    animation: str | int | None = None,
) -> MotionSummary:
    """Describe a motion file.

    Of a BVH file only the header is interpreted, and the numbers of its frames are counted. This
    needs no kernels, whose loading takes longer than reading most files.

    animation: of a glTF file, by name or number; see `load`.
    """
    where = Path(path)
    if where.suffix.lower() == ".bvh" and animation is None:
        checked_size(where)
        with where.open("rb") as file:
            header = read_header(where, file)
            if _is_complete(file, header):
                contents = describe(header, metres_per_unit=metres_per_unit, repair=True)
                rate = frame_rate(header.frame_time_s)
                return MotionSummary(contents.skeleton, header.frame_count, rate, contents.source)
    from writhe.io.files import load  # says what is wrong with an incomplete file

    motion = load(where, metres_per_unit=metres_per_unit, animation=animation)
    return MotionSummary(motion.skeleton, len(motion), motion.fps, motion.source)


def _is_complete(file: BinaryIO, header: BvhHeader) -> bool:
    """Whether the rest of the file holds as many numbers as the header says."""
    count, within_word = 0, False
    while data := file.read(_BLOCK_BYTES):
        count += len(data.split()) - (within_word and not data[:1].isspace())
        within_word = not data[-1:].isspace()
    return count == header.frame_count * header.channel_count
