"""List the motion files of a folder, and read them retargeted to a figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from writhe.errors import WritheError
from writhe.io import load
from writhe.io.files import READABLE
from writhe.progress import Progress
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Figure, Motion


def motion_files(folder: Path) -> list[Path]:
    """The motion files under a folder, sorted by path."""
    if not folder.is_dir():
        raise WritheError(f"{folder} is not a folder with motion files")
    found = sorted(p for p in folder.rglob("*") if p.suffix.lower() in READABLE and p.is_file())
    if not found:
        raise WritheError(f"{folder} holds no motion files ({', '.join(READABLE)})")
    return found


def read_clips(
    folder: Path,
    figure: Figure,
    progress: Progress | None = None,
    *,
    keep_feet: bool = True,
    wanted: Callable[[Path], bool] | None = None,
) -> tuple[dict[str, Motion], dict[str, str]]:
    """The motions under a folder, retargeted, by file name; and the reasons for skipped files.

    wanted: selects the files to read; all by default.
    """
    files = [path for path in motion_files(folder) if wanted is None or wanted(path)]
    takes: dict[str, Motion] = {}
    skipped: dict[str, str] = {}
    for number, path in enumerate(files):
        name = path.relative_to(folder).as_posix()
        if progress:
            progress(number / len(files), name)
        try:
            takes[name] = retarget(load(path), figure, keep_feet=keep_feet)
        except WritheError as error:
            skipped[name] = str(error)
    if not takes:
        why = "; ".join(skipped.values()) or "none was selected"
        raise WritheError(f"no motion file in {folder} could be used: {why}")
    return takes, skipped
