"""`writhe bench library`: distance of captured postures to the built-in library.

For each kind of movement, postures are sampled from the clips in the sub-folder of that name. The
figures are mean joint distances to the nearest posture (root and heading removed) of the built-in
library, of all built-in libraries together, and of baselines of the same size: random perturbations
of the idle pose with the best of several widths, and random postures within the joint limits. Also
given are the filter thresholds that yield the counts of the paper's Table 1, and how well the
filtered set covers the dropped postures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.database import PostureDatabase
from writhe.database.coverage import Coverage, coverage
from writhe.errors import WritheError
from writhe.postures.build_database import clip_postures, left_out_coverage, threshold_for
from writhe.postures.builtin import KINDS, builtin_database
from writhe.progress import Progress
from writhe.retargeting.clip_folders import motion_files
from writhe.skeleton import Figure, Skeleton, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.skeleton.limits import limit_excess, random_configurations

SEED = 20261115
# kind: frames between samples, postures kept in the paper's Table 1
TABLE_1 = {"basic": (5, 1400), "ladder": (4, 170), "chair": (8, 331)}
JITTER_RAD = (0.15, 0.3, 0.6)


def run(progress: Progress, *, clips: Path | None = None) -> dict[str, Any]:
    """Compare with the clips in the folders basic, ladder and chair of `clips`."""
    if clips is None:
        raise WritheError("no clips given: writhe bench library --clips DIR")
    human = figure("human")
    result: dict[str, Any] = {}
    libraries: dict[str, PostureDatabase] = {}
    for kind in KINDS:
        progress(None, f"generating the built-in library {kind!r}")
        libraries[kind] = builtin_database(kind)
    together = np.concatenate([library.joint_positions() for library in libraries.values()])
    idle = _idle(libraries["basic"])
    for kind in KINDS:
        if (clips / kind).is_dir():
            real = _real(clips / kind, kind, human, progress)
            progress(None, f"{kind}: comparing")
            result[kind] = _compare(kind, real, libraries[kind], together, idle)
    if not result:
        raise WritheError(f"{clips} has none of the folders {', '.join(KINDS)}")
    return result


def _real(folder: Path, kind: str, human: Figure, progress: Progress) -> PostureDatabase:
    every = TABLE_1[kind][0]
    found: PostureDatabase | None = None
    for path in motion_files(folder):
        progress(None, f"{kind}: reading {path.name}")
        one = clip_postures(path, path.name, human, every)
        found = one if found is None else found.merged(one)
    assert found is not None  # motion_files raises when there are none
    return found


def _compare(
    kind: str, real: PostureDatabase, library: PostureDatabase, together: Floats, idle: Floats
) -> dict[str, Any]:
    points, size = real.joint_positions(), len(library)
    skeleton = library.figure.skeleton
    rng = np.random.default_rng(SEED)
    jittered: dict[float, Coverage] = {
        width: coverage(points, _points(skeleton, _jitter(skeleton, idle, size, width, rng)))
        for width in JITTER_RAD
    }
    best = min(jittered, key=lambda width: jittered[width].mean_m)
    chance = random_configurations(skeleton, size, rng, root_turns=False)
    threshold = threshold_for(real, TABLE_1[kind][1])
    kept = real.filtered(threshold)
    return {
        "library": size,
        "clip_postures": len(real),
        "clip_postures_penetrating": int(real.penetrating.sum()),
        "to_library": coverage(points, library.joint_positions()).as_dict(),
        "to_all_libraries": coverage(points, together).as_dict(),
        "to_jitter": {"width_rad": best, **jittered[best].as_dict()},
        "to_chance": coverage(points, _points(skeleton, chance)).as_dict(),
        "table_1": {
            "threshold_m2": threshold,
            "kept": len(kept),
            "left_out": left_out_coverage(real, kept).as_dict(),
        },
    }


def _idle(basic: PostureDatabase) -> Floats:
    return basic.q[basic.clip.index("stand")] if "stand" in basic.clip else basic.q[0]


def _jitter(
    skeleton: Skeleton, q: Floats, count: int, width_rad: float, rng: np.random.Generator
) -> Floats:
    """(count, nq) random postures around q; joints beyond their limits are reset to q's."""
    steps = rng.normal(0.0, width_rad, (count, skeleton.dof_count))
    steps[:, :3] = 0.0
    out = np.empty((count, skeleton.configuration_size))
    for row, step in zip(out, steps, strict=True):
        row[:] = integrate(skeleton, q, step)
        for name in limit_excess(skeleton, row):
            at = skeleton.q_slice(name)
            row[at] = q[at]
    return out


def _points(skeleton: Skeleton, q: Floats) -> Floats:
    positions = forward(skeleton, q).positions
    return positions - positions[:, :1]
