"""Size limits of untrusted files; larger ones raise FileFormatError."""

from __future__ import annotations

from pathlib import Path

from writhe.errors import FileFormatError

MAX_FILE_BYTES = 4 << 30
MAX_HEADER_BYTES = 8 << 20  # hierarchy of a BVH file, JSON of a GLB file
MAX_JOINTS = 4096
MAX_FRAMES = 10_000_000
MAX_NUMBERS = 1 << 29  # numbers in one motion or mesh: 4 GiB of float64
MAX_NAME_LENGTH = 256


def checked_size(path: Path, max_bytes: int = MAX_FILE_BYTES) -> int:
    """The file's size in bytes; raises unless it is regular, not empty and at most `max_bytes`."""
    try:
        if not path.is_file():
            problem = "is not a file" if path.exists() else "there is no such file"
            raise FileFormatError(path, problem, remedy="check the name")
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        raise FileFormatError(path, f"cannot be opened: {error}") from None
    if size == 0:
        raise FileFormatError(path, "the file is empty")
    if size > max_bytes:
        raise FileFormatError(
            path,
            f"the file has {size / 1e6:.0f} MB, more than the {max_bytes / 1e6:.0f} MB allowed",
            remedy="split it",
        )
    return size


def check_numbers(path: Path, frames: int, columns: int) -> None:
    """Raise if a motion would not fit in memory, before allocating it."""
    if frames > MAX_FRAMES:
        raise FileFormatError(
            path, f"{frames} frames are more than the {MAX_FRAMES} allowed", remedy="split it"
        )
    if frames * max(columns, 1) > MAX_NUMBERS:
        raise FileFormatError(
            path,
            f"{frames} frames of {columns} numbers are more than the {MAX_NUMBERS} allowed",
            remedy="split it",
        )


def check_joint_count(path: Path, count: int) -> None:
    """Raise if there are more than MAX_JOINTS joints."""
    if count > MAX_JOINTS:
        raise FileFormatError(
            path, f"the file has more than {MAX_JOINTS} joints", remedy="is it a character?"
        )


def unique_names(names: list[str]) -> list[str]:
    """The names with _2, _3, ... appended to repeated ones."""
    taken = set(names)
    seen: set[str] = set()
    out: list[str] = []
    number: dict[str, int] = {}
    for name in names:
        unique = name
        while unique in seen or (unique != name and unique in taken):
            number[name] = number.get(name, 1) + 1
            unique = f"{name}_{number[name]}"
        seen.add(unique)
        out.append(unique)
    return out
