"""Learn styles from folders of motion files, or from the built-in synthetic clips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from writhe.errors import WritheError
from writhe.postures.synthetic_clips import builtin_movements
from writhe.progress import Progress
from writhe.retargeting.clip_folders import read_clips
from writhe.solvers.trajectory import Chain, Forest, OctreeOptions, learn_style


@dataclass(frozen=True)
class LearnedStyles:
    """A forest of styles, and the clips it was learned from."""

    forest: Forest
    clips: dict[str, int]  # frame count by clip
    skipped: dict[str, str] = field(default_factory=dict[str, str])


def learn_folder(
    folder: Path,
    chain: Chain,
    options: OctreeOptions | None = None,
    progress: Progress | None = None,
    styles: Mapping[str, Sequence[str]] | None = None,
) -> LearnedStyles:
    """Learn the motion files under a folder: each sub-folder is a style, or those in `styles`.

    `styles` maps each style to file stems. Files directly in the folder form a style of its name.
    """
    # chains are learned relative to the hips, so feet need not be planted
    takes, skipped = read_clips(folder, chain.figure, progress, keep_feet=False)
    if styles is None:
        grouped: dict[str, list[str]] = {}
        for name in takes:
            parent = Path(name).parent.as_posix()
            grouped.setdefault(folder.resolve().name if parent == "." else parent, []).append(name)
    else:
        by_stem = {Path(name).stem: name for name in takes}
        missing = [stem for stems in styles.values() for stem in stems if stem not in by_stem]
        if missing:
            raise WritheError(f"{folder} has no usable clip called {', '.join(missing)}")
        grouped = {style: [by_stem[s] for s in stems] for style, stems in styles.items()}
    styles_learned = [
        learn_style(chain, style, [(takes[n].q, takes[n].fps) for n in names], options, names)
        for style, names in grouped.items()
    ]
    return LearnedStyles(
        Forest(chain, styles_learned), {n: len(m) for n, m in takes.items()}, skipped
    )


def learn_builtin(chain: Chain, options: OctreeOptions | None = None) -> Forest:
    """The styles of the built-in clips (`postures.synthetic_clips`), for a chain of the figure."""
    return Forest(
        chain,
        [
            learn_style(
                chain, name, [(t.q, t.fps) for t in takes], options, [t.name for t in takes]
            )
            for name, takes in builtin_movements(chain.figure).items()
        ],
    )
