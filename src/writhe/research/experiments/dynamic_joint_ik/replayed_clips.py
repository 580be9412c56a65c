"""The replayed takes of five actions, from a folder of clips or the built-in movements."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.postures.synthetic_clips import builtin_movements
from writhe.progress import Progress
from writhe.retargeting.clip_folders import read_clips
from writhe.skeleton import Motion
from writhe.solvers.trajectory import Chain

# action: its frames in the paper, and the CMU takes used for it; the paper's
# names are golf, throw, move, angry (expressive) and tennis (swing)
ACTIONS: dict[str, tuple[int, tuple[str, ...]]] = {
    "golf": (2500, ("64_02", "64_05", "64_06", "64_11", "64_16")),
    "throw": (150, ("124_01", "124_09", "124_12", "124_13", "111_33", "79_91", "79_92")),
    "move": (600, ("69_68", "15_06", "144_24", "137_26")),
    "expressive": (1500, ("13_27", "79_74", "79_88")),
    "swing": (2000, ("124_07", "02_07", "62_07", "79_88", "76_05")),
}


@dataclass(frozen=True)
class ReplayedAction:
    """Takes of one action, as coordinates (F, n) of the chain."""

    name: str
    paper_frames: int
    takes: list[Floats]
    motions: list[Motion]

    @property
    def starts(self) -> list[int]:
        """First frame of each take in their concatenation."""
        return [0, *(int(s) for s in np.cumsum([len(t) for t in self.takes])[:-1])]

    def long(self) -> tuple[Floats, list[int]]:
        """The takes repeated to the paper's number of frames: coordinates and start frames."""
        rows: list[Floats] = []
        starts: list[int] = []
        have = 0
        while have < self.paper_frames:
            for take in self.takes:
                if have < self.paper_frames:
                    starts.append(have)
                    rows.append(take[: self.paper_frames - have])
                    have += len(rows[-1])
        return np.concatenate(rows), starts


def load_actions(
    chain: Chain, clips: Path | None, progress: Progress
) -> tuple[dict[str, ReplayedAction], str]:
    """The actions, and a description of their source."""
    if clips is None:
        found = builtin_movements(chain.figure)
        source = "built-in movements (synthetic; no clips were given)"
    else:
        motions, _ = read_clips(
            clips, chain.figure, lambda share, name="": progress(share, f"reading {name}")
        )
        by_stem = {Path(name).stem: motion for name, motion in motions.items()}
        found = {
            name: [by_stem[t] for t in takes if t in by_stem]
            for name, (_, takes) in ACTIONS.items()
        }
        found = {name: takes for name, takes in found.items() if len(takes) > 1}
        if not found:
            needed = "; ".join(f"{n}: {', '.join(takes)}" for n, (_, takes) in ACTIONS.items())
            raise WritheError(
                f"{clips} needs two takes or more of some action, by their names in the CMU"
                f" database ({needed})"
            )
        source = f"clips from {clips.name}/, retargeted to the human"
    return {
        name: ReplayedAction(
            name,
            ACTIONS[name][0],
            [chain.coordinates(m.q) for m in takes],
            takes,
        )
        for name, takes in found.items()
    }, source
