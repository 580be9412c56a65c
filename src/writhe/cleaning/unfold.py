"""Bend folded joints back to their fold limits before anything else is corrected.

A joint beyond its fold limit is bent back along the direction of its bend. Near a bend of half a
turn that direction may change at once, and captured wrists flip from one frame to the next. Where a
folded joint turns too fast, or folds on the way from one frame to the next, the turn is spread over
more frames: bend and twist of a frame are averaged with those of its neighbours, so that the joint
straightens on the way from one side to the other.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.collision import CollisionTable
from writhe.kernels.skeleton.kinematics import BALL, HINGE
from writhe.skeleton import quaternions
from writhe.skeleton.fold_limits import FoldLimit
from writhe.time_filters import within

_INSET_RAD = np.radians(1.0)  # that joints stay inside their fold limit, for the motion in between
_LEAST_TURN_RAD = np.radians(4.0)  # turns in a frame below this are never spread
_MOST_RAD_S = np.radians(2700.0)  # no joint of a body turns faster
_BETWEEN = tuple(np.arange(1, 8) / 8)  # shares of an interval at which it is tested for folds
_ROUNDS = 80  # of spreading a turn


def unfolded(table: CollisionTable, q: Floats, fps: float, may_change: Bools) -> Floats:
    """(frames, nq) q with every joint within its fold limit; q itself if all are.

    may_change (nv,): joints with other degrees of freedom stay as they are.
    """
    tree, out = table.skeleton.tree, q
    for limit in table.folds:
        joint = table.skeleton.index(limit.joint)
        kind, end = tree.kind[joint], int(tree.q_start[joint + 1])
        if not may_change[tree.v_start[joint] : tree.v_start[joint + 1]].all():
            continue
        if kind == HINGE:
            part, rows = (
                slice(end - 1, end),
                _hinge_bent_back(limit, tree.axis[joint], q[:, end - 1]),
            )
        elif kind >= BALL:
            part, rows = slice(end - 4, end), _bent_back(limit, q[:, end - 4 : end], fps)
        else:
            continue
        if rows is not None:
            out = q.copy() if out is q else out
            out[:, part] = rows
    return out


def _excess(limit: FoldLimit, turns: Floats) -> tuple[Floats, Floats]:
    """How far rotations (k, 4) are beyond the limit less the inset, and in which direction."""
    bend, direction = limit.bends(turns)
    return bend - limit.largest(direction) + _INSET_RAD, direction


def _bent_back(limit: FoldLimit, source: Floats, fps: float) -> Floats | None:
    """(frames, 4) the rotations of a ball joint within its limit; None if the source is."""
    if not (_excess(limit, source)[0] > 0.0).any() and not _folds_between(limit, source).any():
        return None
    bends = _clamped(limit, _bends_and_twists(limit, source))
    turns = _turns(limit, bends)
    fastest = float(_arcs(source).max(initial=0.0))
    most = max(min(_MOST_RAD_S / fps, fastest), _LEAST_TURN_RAD)
    for number in range(_ROUNDS):
        sudden = (_arcs(turns) > most) | _folds_between(limit, turns)
        if not sudden.any():
            break
        bends = _clamped(limit, _spread(bends, _beside(sudden, 1 + number // 4)))
        turns = _turns(limit, bends)
    kept = np.abs(np.sum(turns * source, axis=1)) > 1.0 - 1e-12
    turns[kept] = source[kept]
    return turns


def _bends_and_twists(limit: FoldLimit, turns: Floats) -> Floats:
    """(frames, 3) of rotations (frames, 4): b cos d, b sin d of the bend, and the twist before it.

    The twist changes by less than half a turn from frame to frame.
    """
    bend, direction = limit.bends(turns)
    swing = bend[:, None] * np.stack([np.cos(direction), np.sin(direction)], axis=1)
    frame = np.tile(limit.frame, (len(turns), 1))
    in_limit = quaternions.multiply(quaternions.conjugate(frame), turns, frame)
    twist = quaternions.multiply(quaternions.conjugate(_swings(swing)), in_limit)
    return np.column_stack([swing, np.unwrap(2.0 * np.arctan2(twist[:, 1], twist[:, 0]))])


def _turns(limit: FoldLimit, bends: Floats) -> Floats:
    """(frames, 4) the rotations of bends and twists (frames, 3)."""
    frame = np.tile(limit.frame, (len(bends), 1))
    twist = quaternions.from_rotation_vectors(bends[:, 2:] * np.array([1.0, 0.0, 0.0]))
    turned = quaternions.multiply(frame, _swings(bends[:, :2]), twist)
    return quaternions.normalised(quaternions.multiply(turned, quaternions.conjugate(frame)))


def _swings(swing: Floats) -> Floats:
    return quaternions.from_rotation_vectors(np.column_stack([np.zeros(len(swing)), swing]))


def _clamped(limit: FoldLimit, bends: Floats) -> Floats:
    """Bends and twists (frames, 3) with the bends within the limit less the inset."""
    size = np.hypot(bends[:, 0], bends[:, 1])
    most = limit.largest(np.arctan2(bends[:, 1], bends[:, 0])) - _INSET_RAD
    factor = np.where(size > most, most / np.maximum(size, 1e-9), 1.0)
    return bends * np.column_stack([factor, factor, np.ones(len(bends))])


def _spread(bends: Floats, at: Ints) -> Floats:
    """Bends and twists (frames, 3), those of the frames `at` averaged with their neighbours."""
    before, after = bends[np.maximum(at - 1, 0)], bends[np.minimum(at + 1, len(bends) - 1)]
    out = bends.copy()
    out[at] = 0.5 * bends[at] + 0.25 * (before + after)
    return out


def _beside(intervals: Bools, width: int) -> Ints:
    """The frames within `width` of either end of the chosen intervals (frames - 1,)."""
    chosen = np.concatenate([[False], intervals]) | np.concatenate([intervals, [False]])
    return np.flatnonzero(within(chosen, width))


def _folds_between(limit: FoldLimit, turns: Floats) -> Bools:
    """(frames - 1,) whether the joint folds between a frame and the next."""
    arcs, out = quaternions.shortest_arcs(turns), np.zeros(len(turns) - 1, dtype=np.bool_)
    for share in _BETWEEN:
        between = quaternions.from_rotation_vectors(share * arcs)
        out |= _excess(limit, quaternions.multiply(turns[:-1], between))[0] > _INSET_RAD
    return out


def _hinge_bent_back(limit: FoldLimit, axis: Floats, angles: Floats) -> Floats | None:
    """(frames, 1) the angles of a hinge, reduced to what its limit permits; None if they are."""
    excess, _ = _excess(limit, quaternions.from_rotation_vectors(angles[:, None] * axis))
    over = excess > 0.0
    if not over.any():
        return None
    out = angles.copy()
    out[over] -= np.sign(angles[over]) * excess[over]
    return out[:, None]


def _arcs(turns: Floats) -> Floats:
    """(frames - 1,) the angles from each rotation (frames, 4) to the next."""
    return np.linalg.norm(quaternions.shortest_arcs(turns), axis=1)
