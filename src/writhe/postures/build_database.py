"""Posture databases from folders of motion files: retargeted, sampled, flagged, filtered.

Each file's postures are kept in a work folder beside the output until all is done, so that an
interrupted build goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, NearPairs
from writhe.database import PostureDatabase
from writhe.database.coverage import Coverage, coverage
from writhe.errors import FileFormatError, WritheError
from writhe.io import load
from writhe.postures.object_linking import Beside
from writhe.retargeting.clip_folders import Progress, motion_files
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Figure, forward

SLACK_M = 0.001
_BISECTIONS = 40


@dataclass(frozen=True, slots=True)
class HarvestOptions:
    """How postures are taken from clips.

    `threshold_m2` is the paper's: of two postures whose joints' squared distances sum up to less,
    one is left out. `keep`, where given, chooses it so that about that many postures stay.
    """

    every: int = 5  # frames
    threshold_m2: float = 0.1
    keep: int | None = None
    drop_penetrating: bool = False

    def __post_init__(self) -> None:
        if self.every < 1:
            raise WritheError(f"postures are taken every 1 or more frames, not {self.every}")
        if not self.threshold_m2 >= 0:
            raise WritheError(f"the threshold must not be negative: {self.threshold_m2}")
        if self.keep is not None and self.keep < 1:
            raise WritheError(f"at least one posture must be kept, not {self.keep}")


@dataclass(frozen=True)
class HarvestReport:
    """What a build did. `skipped` holds the files that could not be used, with the reason."""

    files: int
    resumed: int  # files whose postures were there from an interrupted build
    postures: int  # before filtering
    penetrating: int
    kept: int
    threshold_m2: float
    left_out: Coverage  # how far the postures left out are from those kept
    skipped: dict[str, str] = field(default_factory=dict[str, str])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "files": self.files,
            "resumed": self.resumed,
            "postures": self.postures,
            "penetrating": self.penetrating,
            "kept": self.kept,
            "threshold_m2": self.threshold_m2,
            "left_out": self.left_out.to_json(),
            "skipped": self.skipped,
        }


def harvest(
    folder: Path,
    output: Path,
    figure: Figure,
    options: HarvestOptions | None = None,
    progress: Progress | None = None,
    beside: Beside | None = None,
) -> HarvestReport:
    """Build a database of the motion files under `folder` and write it to `output`.

    beside: the object that stood in the clips, with which the postures' linking is then recorded.
    """
    options = options or HarvestOptions()
    files = motion_files(folder)
    work = output.with_name(f".{output.name}.work")
    parts: list[PostureDatabase] = []
    skipped: dict[str, str] = {}
    resumed = 0
    collision = _Collision(figure)
    for number, path in enumerate(files):
        name = path.relative_to(folder).as_posix()
        if progress:
            progress(number, len(files), name)
        part = work / f"{_part_key(path, name, figure, options.every, beside)}.parquet"
        found = _stored(part, figure)
        if found is None:
            try:
                found = clip_postures(path, name, figure, options.every, collision, beside)
            except WritheError as error:
                skipped[name] = str(error)
                continue
            _store(found, part)
        else:
            resumed += 1
        parts.append(found)
    if not parts:
        reasons = "; ".join(skipped.values())
        raise WritheError(f"no motion file in {folder} could be used: {reasons}")
    everything = reduce(PostureDatabase.merged, parts)
    chosen = everything.take(~everything.penetrating) if options.drop_penetrating else everything
    if len(chosen) == 0:
        raise WritheError(f"every posture in {folder} penetrates: keep them (they are flagged)")
    threshold = (
        options.threshold_m2 if options.keep is None else threshold_for(chosen, options.keep)
    )
    kept = chosen.filtered(threshold)
    _store(kept, output)
    shutil.rmtree(work, ignore_errors=True)
    return HarvestReport(
        files=len(files),
        resumed=resumed,
        postures=len(everything),
        penetrating=int(everything.penetrating.sum()),
        kept=len(kept),
        threshold_m2=threshold,
        left_out=left_out_coverage(chosen, kept),
        skipped=skipped,
    )


def clip_postures(
    path: Path,
    name: str,
    figure: Figure,
    every: int,
    collision: _Collision | None = None,
    beside: Beside | None = None,
) -> PostureDatabase:
    """Every so-many-th posture of one clip on the figure, penetrating ones flagged."""
    motion = retarget(load(path), figure)
    frames = np.arange(0, len(motion), every, dtype=np.int64)
    q = motion.q[frames]
    flags = (collision or _Collision(figure)).penetrating(q)
    found = PostureDatabase.from_postures(figure, q, clip=name, frame=frames, penetrating=flags)
    if beside is None:
        return found
    return beside.told(found, q, path.stem, float(motion.source["retarget"]["scale"]))


class _Collision:
    """Tells which postures of a figure penetrate themselves beyond the allowances."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._near = NearPairs(CollisionTable.of_figure(figure)) if figure.capsules else None

    def penetrating(self, q: Floats) -> Bools:
        """(N,) for postures (N, nq)."""
        out = np.zeros(len(q), dtype=np.bool_)
        if self._near is None:
            return out
        frames = forward(self._figure.skeleton, q)
        for i, (positions, rotations) in enumerate(
            zip(frames.positions, frames.rotations, strict=True)
        ):
            self._near.find(positions, rotations, 0.0)
            out[i] = bool((self._near.clearance < -SLACK_M).any())
        return out


def threshold_for(database: PostureDatabase, count: int) -> float:
    """The smallest filter threshold (found by bisection) that leaves at most `count` postures."""
    low, high = 0.0, 1.0
    while len(database.filtered(high)) > count:
        low, high = high, 2.0 * high
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        left = len(database.filtered(middle))
        if left > count:
            low = middle
        else:
            high = middle
        if left == count or high - low < 1e-7:
            break
    return high


def left_out_coverage(everything: PostureDatabase, kept: PostureDatabase) -> Coverage:
    """How far the postures that are not among the kept are from the nearest of them."""
    among = set(zip(kept.clip, kept.frame.tolist(), strict=True))
    gone = np.array(
        [key not in among for key in zip(everything.clip, everything.frame.tolist(), strict=True)],
        dtype=np.bool_,
    )
    return coverage(everything.joint_positions()[gone], kept.joint_positions())


def _part_key(
    path: Path, name: str, figure: Figure, every: int, beside: Beside | None = None
) -> str:
    """Changes with the file and with everything that its postures depend on."""
    about = path.stat()
    body = [[j.name, *map(float, j.offset_in_parent)] for j in figure.skeleton.joints]
    shapes = [
        [c.part_name, c.radius_m, *map(float, c.start_in_joint), *map(float, c.end_in_joint)]
        for c in figure.capsules
    ]
    thing = None if beside is None else [beside.name, str(beside.places.get(path.stem))]
    told = json.dumps([name, about.st_size, about.st_mtime_ns, every, body, shapes, thing])
    return hashlib.sha256(told.encode()).hexdigest()[:24]


def _stored(part: Path, figure: Figure) -> PostureDatabase | None:
    if not part.exists():
        return None
    try:
        return PostureDatabase.load(part, figure)
    except FileFormatError:
        return None


def _store(database: PostureDatabase, path: Path) -> None:
    """Write beside, then move into place: what is there is whole."""
    half = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        database.save(half)
        half.replace(path)
    except OSError as error:
        raise WritheError(f"cannot write {path}: {error.strerror or error}") from None
