"""Build posture databases from folders of motion files: retarget, sample, mark penetrating
postures, filter.

The postures of each file are stored in a work folder next to the output until the build is done,
so an interrupted build can be resumed.
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
from writhe.collision.certificate_slack import SLACK_M
from writhe.database import PostureDatabase
from writhe.database.coverage import Coverage, coverage
from writhe.errors import FileFormatError, WritheError
from writhe.files import write_file
from writhe.io import load
from writhe.postures.object_linking import ObjectLinking
from writhe.progress import Progress
from writhe.retargeting.clip_folders import motion_files
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Figure, forward

_BISECTIONS = 40


@dataclass(frozen=True, slots=True)
class DatabaseOptions:
    """How postures are sampled from clips and filtered.

    `threshold_m2` is the threshold of the paper's filter: a posture closer than this (sum of
    squared joint distances, m^2) to a kept one is dropped. `keep`, if given, replaces it by the
    smallest threshold that leaves at most that many postures.
    """

    every: int = 5  # sampling interval in frames
    threshold_m2: float = 0.1
    keep: int | None = None
    drop_penetrating: bool = False

    def __post_init__(self) -> None:
        if self.every < 1:
            raise WritheError(f"`every` must be at least 1 frame, not {self.every}")
        if not self.threshold_m2 >= 0:
            raise WritheError(f"the threshold must not be negative: {self.threshold_m2}")
        if self.keep is not None and self.keep < 1:
            raise WritheError(f"at least one posture must be kept, not {self.keep}")


@dataclass(frozen=True)
class DatabaseReport:
    """Counts of a build. `skipped` maps files that could not be used to the reason."""

    files: int
    resumed: int  # files whose postures were stored by an interrupted build
    postures: int  # before filtering
    penetrating: int
    kept: int
    threshold_m2: float
    left_out: Coverage  # distances of the dropped postures to the nearest kept one
    skipped: dict[str, str] = field(default_factory=dict[str, str])

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "files": self.files,
            "resumed": self.resumed,
            "postures": self.postures,
            "penetrating": self.penetrating,
            "kept": self.kept,
            "threshold_m2": self.threshold_m2,
            "left_out": self.left_out.as_dict(),
            "skipped": self.skipped,
        }


def build_database(
    folder: Path,
    output: Path,
    figure: Figure,
    options: DatabaseOptions | None = None,
    progress: Progress | None = None,
    object_linking: ObjectLinking | None = None,
) -> DatabaseReport:
    """Build a database of the motion files under `folder` and write it to `output`.

    object_linking: records the linking of the postures with an object of the clips.
    """
    options = options or DatabaseOptions()
    files = motion_files(folder)
    work = output.with_name(f".{output.name}.work")
    parts: list[PostureDatabase] = []
    skipped: dict[str, str] = {}
    resumed = 0
    collision = _Collision(figure)
    for number, path in enumerate(files):
        name = path.relative_to(folder).as_posix()
        if progress:
            progress(number / len(files), name)
        part = work / f"{_part_key(path, name, figure, options.every, object_linking)}.parquet"
        found = _stored(part, figure)
        if found is None:
            try:
                found = clip_postures(path, name, figure, options.every, collision, object_linking)
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
        raise WritheError(
            f"every posture in {folder} penetrates: build without drop_penetrating to keep them"
        )
    threshold = (
        options.threshold_m2 if options.keep is None else threshold_for(chosen, options.keep)
    )
    kept = chosen.filtered(threshold)
    _store(kept, output)
    shutil.rmtree(work, ignore_errors=True)
    return DatabaseReport(
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
    object_linking: ObjectLinking | None = None,
) -> PostureDatabase:
    """Every `every`-th posture of a clip, retargeted; penetrating ones are flagged."""
    motion = retarget(load(path), figure)
    frames = np.arange(0, len(motion), every, dtype=np.int64)
    q = motion.q[frames]
    flags = (collision or _Collision(figure)).penetrating(q)
    found = PostureDatabase.from_postures(figure, q, clip=name, frame=frames, penetrating=flags)
    if object_linking is None:
        return found
    return object_linking.add_linking(
        found, q, path.stem, float(motion.source["retarget"]["scale"])
    )


class _Collision:
    """Detects postures in which a figure penetrates itself beyond the allowances."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._near = NearPairs(CollisionTable.of_figure(figure)) if figure.capsules else None

    def penetrating(self, q: Floats) -> Bools:
        """(N,) flags of the postures q (N, nq)."""
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
    """The smallest filter threshold (m^2, by bisection) that keeps at most `count` postures."""
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
    """Distances of the dropped postures to the nearest kept ones."""
    among = set(zip(kept.clip, kept.frame.tolist(), strict=True))
    gone = np.array(
        [key not in among for key in zip(everything.clip, everything.frame.tolist(), strict=True)],
        dtype=np.bool_,
    )
    return coverage(everything.joint_positions()[gone], kept.joint_positions())


def _part_key(
    path: Path, name: str, figure: Figure, every: int, object_linking: ObjectLinking | None = None
) -> str:
    """A hash of the file and of everything its postures depend on."""
    about = path.stat()
    body = [[j.name, *map(float, j.offset_in_parent)] for j in figure.skeleton.joints]
    shapes = [
        [c.part_name, c.radius_m, *map(float, c.start_in_joint), *map(float, c.end_in_joint)]
        for c in figure.capsules
    ]
    scene_object = (
        None
        if object_linking is None
        else [object_linking.name, str(object_linking.placements.get(path.stem))]
    )
    summary = json.dumps(
        [name, about.st_size, about.st_mtime_ns, every, body, shapes, scene_object]
    )
    return hashlib.sha256(summary.encode()).hexdigest()[:24]


def _stored(part: Path, figure: Figure) -> PostureDatabase | None:
    if not part.exists():
        return None
    try:
        return PostureDatabase.load(part, figure)
    except FileFormatError:
        return None


def _store(database: PostureDatabase, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, database.save)
