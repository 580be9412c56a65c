"""Checks of configurations at the entry points of the library."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, floats, lengths
from writhe.errors import WritheError
from writhe.skeleton.skeleton import Skeleton

SAME_BONES_M, SAME_TURN_RAD = 1e-3, 1e-3  # differences of skeletons that count as the same
MAX_RAD = 1e4  # largest angle of a hinge
_UNIT = 0.01  # tolerated difference of a quaternion's length from 1


def configuration(
    skeleton: Skeleton, q: ArrayLike, what: str = "the configuration", *, unit: bool = True
) -> Floats:
    """q (nq) as a contiguous array; raises WritheError if it is not one.

    Entries must be finite, positions within 10 km of the origin, angles below 10^4 radians and
    quaternions of length 1 within 1 % (with `unit` False: not zero).
    """
    row = floats(q, (skeleton.configuration_size,), what)
    _check(skeleton, row[None], what, unit)
    return row


def configurations(
    skeleton: Skeleton, q: ArrayLike, what: str = "configurations", *, unit: bool = True
) -> Floats:
    """The same for q (frames, nq)."""
    rows = floats(q, (None, skeleton.configuration_size), what)
    _check(skeleton, rows, what, unit)
    return rows


def same_joints(a: Skeleton, b: Skeleton, *, roots: bool = True) -> bool:
    """Whether configurations of one skeleton are the same poses of the other.

    Compared are the joints (`same_frames`) and the bones, within SAME_BONES_M. roots: also the
    offset of a single root, which only places the whole body.
    """
    if a is b:
        return True
    if not same_frames(a, b):
        return False
    apart = np.linalg.norm(a.tree.offset - b.tree.offset, axis=1)
    if not roots and int((a.tree.parent < 0).sum()) == 1:
        apart[a.tree.parent < 0] = 0.0
    return bool(apart.max(initial=0.0) < SAME_BONES_M)


def same_frames(a: Skeleton, b: Skeleton) -> bool:
    """Whether two skeletons have the same joints in the same order; bones may differ.

    Compared are names, parents, kinds, and axes and rest rotations within SAME_TURN_RAD.
    """
    return (
        a.names == b.names
        and np.array_equal(a.tree.parent, b.tree.parent)
        and np.array_equal(a.tree.kind, b.tree.kind)
        and bool(np.abs(a.tree.axis - b.tree.axis).max(initial=0.0) < SAME_TURN_RAD)
        and bool(np.abs(a.tree.rest - b.tree.rest).max(initial=0.0) < SAME_TURN_RAD)
    )


def _check(skeleton: Skeleton, rows: Floats, what: str, unit: bool) -> None:
    columns = skeleton.columns
    if len(rows) == 0:
        return
    if columns.metres.size:
        lengths(rows[:, columns.metres], (None, None), f"a position of {what}")
    if columns.angles.size and np.abs(rows[:, columns.angles]).max() > MAX_RAD:
        raise WritheError(f"{what} has an angle of more than {MAX_RAD:g} radians")
    if columns.quaternions.size == 0:
        return
    length = np.linalg.norm(rows[:, columns.quaternions], axis=2)
    wrong = np.abs(length - 1.0) > _UNIT if unit else length < 1e-6
    if wrong.any():
        frame, number = (int(i) for i in np.argwhere(wrong)[0])
        entry = int(columns.quaternions[number, 0])
        joint = int(np.searchsorted(skeleton.tree.q_start, entry, side="right")) - 1
        raise WritheError(
            f"{what}: the rotations of {skeleton.names[joint]!r} are not unit quaternions"
            f" (frame {frame} has length {length[frame, number]:g}): normalise them"
        )
