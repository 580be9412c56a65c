"""A motion at the keys of a file, with bounds of what happens between them.

`KeyedMotion` is what `certify_file` certifies of a file that is not stored as frames. glTF files
state how their keys are interpolated (`gltf/read_keys.py`). FBX and USD files are evaluated by the
libraries that read them; `measured_keys` compares the rows with what these give between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.io.world_frames import in_parent, positions_and_rotations, skeleton_and_motion
from writhe.skeleton import Motion, Skeleton, quaternions, transforms
from writhe.skeleton.configuration_paths import path_rows

SHARES = (0.25, 0.5, 0.75)  # of the time between two rows, at which a file is compared
SAFETY = 1.5  # how much larger an error may be than at these times
MAX_REFINE = 16


@dataclass(frozen=True)
class KeyedMotion:
    """Configurations at the keys of a file; `motion.q` (rows, nq) belongs to `times_s` (rows,).

    jumps (rows - 1,): True between the two rows of an instant at which the pose changes at once.
    rotation_error_rad, translation_error_m (n,): bounds of the error between rows.
    `interpolation` says how the file is interpolated.
    """

    motion: Motion
    times_s: Floats
    jumps: Bools
    rotation_error_rad: Floats
    translation_error_m: Floats
    interpolation: str


@dataclass(frozen=True)
class EvaluatedRows:
    """World matrices of joints at rows (rows, n, 4, 4) and between them (rows - 1, 3, n, 4, 4).

    jumps (rows - 1,): between these rows, which belong to one instant, nothing moves.
    """

    times_s: Floats
    rows: Floats
    between: Floats
    jumps: Bools


def refined_times(keys: Floats, refine: int) -> Floats:
    """Keys (k,) with `refine` rows for each."""
    share = np.arange(refine) / refine
    between = keys[:-1, None] + share * np.diff(keys)[:, None]
    return np.append(between.ravel(), keys[-1])


def measured_keys(
    names: Sequence[str],
    parent: Sequence[int],
    rest: Floats,
    found: EvaluatedRows,
    moving: Sequence[bool],
    motion_name: str,
) -> KeyedMotion:
    """The motion through the rows of a file; slerp and straight lines between them.

    Its errors are the largest differences from the file at the rows and between them, times
    SAFETY. Animated scales, by which shapes grow, count like rotations.
    """
    skeleton, q = skeleton_and_motion(names, parent, rest, found.rows, moving)
    turn, shift = _differences(skeleton, names, parent, q, found.rows)
    moved = np.flatnonzero(~found.jumps)
    for k, share in enumerate(SHARES):
        if len(moved):
            rows = path_rows(skeleton, q, (moved + share).astype(np.float64))
            there = _differences(skeleton, names, parent, rows, found.between[moved, k])
            turn, shift = np.maximum(turn, there[0]), np.maximum(shift, there[1])
    every = np.concatenate([found.rows, found.between[moved].reshape(-1, *found.rows.shape[1:])])
    sizes, given = (np.linalg.norm(m[..., :3, :3], axis=-2) for m in (every, rest))
    growth = np.abs(sizes / np.maximum(given, 1e-12) - 1.0).max(axis=(0, 2))
    turn += growth[[list(names).index(name) for name in skeleton.names]]
    motion = Motion(skeleton, q, 30.0, motion_name)
    return KeyedMotion(
        motion, found.times_s, found.jumps, SAFETY * turn, SAFETY * shift, "as evaluated"
    )


def _differences(
    skeleton: Skeleton, names: Sequence[str], parent: Sequence[int], q: Floats, frames: Floats
) -> tuple[Floats, Floats]:
    """(n,) and (n,) how far local rotations and translations of q differ from world frames."""
    at, turn = positions_and_rotations(frames)
    index = {name: j for j, name in enumerate(names)}
    translation, rotation = transforms.joint_displacements(skeleton, q)
    turned, shifted = np.zeros(len(skeleton)), np.zeros(len(skeleton))
    for j, joint in enumerate(skeleton.joints):
        local = quaternions.rotation_matrix(joint.rest)
        number = index[joint.name]
        offsets, turns = in_parent(at, turn, parent[number], number, local)
        placed = joint.offset_in_parent + quaternions.rotate(joint.rest, translation[:, j])
        shifted[j] = np.linalg.norm(placed - offsets, axis=1).max(initial=0.0)
        apart = quaternions.multiply(
            quaternions.conjugate(rotation[:, j]), quaternions.from_matrices(turns)
        )
        sine = np.linalg.norm(apart[:, 1:], axis=1)
        turned[j] = (2.0 * np.arctan2(sine, np.abs(apart[:, 0]))).max(initial=0.0)
    return turned, shifted
