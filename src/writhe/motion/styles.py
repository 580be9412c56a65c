"""Learning styles from clips: folders of motion files, or the built-in movements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from writhe.errors import WritheError
from writhe.io import load
from writhe.motion.harvest import motion_files
from writhe.motion.movements import builtin_movements
from writhe.motion.retarget import retarget
from writhe.skeleton import Figure, Motion
from writhe.solvers.dynamic import Chain, Forest, OctreeOptions, learn_style

Progress = Callable[[int, int, str], None]  # files done, files in all, the file at hand


@dataclass(frozen=True)
class Learnt:
    """A forest, with what it was learnt from."""

    forest: Forest
    clips: dict[str, int]  # frames of each
    skipped: dict[str, str] = field(default_factory=dict[str, str])


def learn_folder(
    folder: Path,
    chain: Chain,
    options: OctreeOptions | None = None,
    progress: Progress | None = None,
    styles: Mapping[str, Sequence[str]] | None = None,
) -> Learnt:
    """Learn the motion files under a folder: each sub-folder is a style, or those in `styles`.

    `styles` gives file stems by style. Files straight in the folder make a style of its name.
    """
    takes, skipped = read_clips(folder, chain.figure, progress)
    if styles is None:
        grouped: dict[str, list[str]] = {}
        for name in takes:
            above = Path(name).parent.as_posix()
            grouped.setdefault(folder.resolve().name if above == "." else above, []).append(name)
    else:
        by_stem = {Path(name).stem: name for name in takes}
        lost = [stem for stems in styles.values() for stem in stems if stem not in by_stem]
        if lost:
            raise WritheError(f"{folder} has no usable clip called {', '.join(lost)}")
        grouped = {style: [by_stem[s] for s in stems] for style, stems in styles.items()}
    made = [
        learn_style(chain, style, [(takes[n].q, takes[n].fps) for n in names], options, names)
        for style, names in grouped.items()
    ]
    return Learnt(Forest(chain, made), {n: len(m) for n, m in takes.items()}, skipped)


def read_clips(
    folder: Path, figure: Figure, progress: Progress | None = None, *, keep_feet: bool = False
) -> tuple[dict[str, Motion], dict[str, str]]:
    """The motion files under a folder on the figure, by name; and why others cannot be used.

    Arms are learnt relative to the hips, where it does not matter how the feet stand.
    """
    files = motion_files(folder)
    takes: dict[str, Motion] = {}
    skipped: dict[str, str] = {}
    for number, path in enumerate(files):
        name = path.relative_to(folder).as_posix()
        if progress:
            progress(number, len(files), name)
        try:
            takes[name] = retarget(load(path), figure, keep_feet=keep_feet)
        except WritheError as error:
            skipped[name] = str(error)
    if not takes:
        raise WritheError(
            f"no motion file in {folder} could be used: {'; '.join(skipped.values())}"
        )
    return takes, skipped


def learn_builtin(chain: Chain, options: OctreeOptions | None = None) -> Forest:
    """The styles of the built-in movements (`motion.movements`), for any chain of the human."""
    return Forest(
        chain,
        [
            learn_style(
                chain, name, [(t.q, t.fps) for t in takes], options, [t.name for t in takes]
            )
            for name, takes in builtin_movements(chain.figure).items()
        ],
    )
