"""Frames of joints and objects of a document over time, with what is carried.

A frame is a rotation (3, 3) and a position (3,), for several times (n, 3, 3) and (n, 3). An object
that a hold carries moves with the joint or object that it is on; afterwards it stays where it was
left, until its next placement key.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.scene.carrying import object_poses
from writhe.skeleton import forward
from writhe.skeleton.quaternions import rotation_matrix
from writhe.studio.document import Document, ObjectRow
from writhe.studio.document.holds import Anchor, HoldRow, all_holds
from writhe.studio.document.row_types import SAME_TIME_S
from writhe.studio.editing.scene import scene_objects

Frame = tuple[Floats, Floats]
_DEEPEST = 8  # objects on objects


def composed(outer: Frame, inner: Frame) -> Frame:
    """The frame `inner`, given in the frame `outer`."""
    return outer[0] @ inner[0], outer[1] + (outer[0] @ inner[1][..., None])[..., 0]


def inverse(frame: Frame) -> Frame:
    """The frame of the world in this frame."""
    back = np.swapaxes(frame[0], -1, -2)
    return back, -(back @ frame[1][..., None])[..., 0]


def hold_frame(hold: HoldRow) -> Frame:
    """The frame of the held part in that of the other."""
    return rotation_matrix(hold.rotation), np.array(hold.position)


def placement_frame(placement: Floats) -> Frame:
    """The frame of a placement (7,)."""
    return rotation_matrix(placement[3:]), placement[:3]


def moves(document: Document, item: ObjectRow) -> bool:
    """Whether an object moves: it has placement keys, or is carried."""
    if document.placement_keys(item.id):
        return True
    return any(hold.part.object == item.id for hold in all_holds(document))


def placements(
    document: Document, item: ObjectRow, times_s: Floats, *, unsolved: int = 0, depth: int = 0
) -> Floats:
    """Placements (times, 7) of an object: position and quaternion (w, x, y, z).

    unsolved: an actor whose frames between keys are taken from the plain blend, because they are
    being solved.
    """
    times = np.asarray(times_s, dtype=np.float64)
    motion = scene_objects.key_motion(document, item.id)
    own = np.array([*item.data.position, *item.data.rotation])
    out = np.tile(own, (len(times), 1)) if motion is None else motion.at(times)
    key_times = np.array([key.time_s for key in document.placement_keys(item.id)])
    held = [hold for hold in all_holds(document) if hold.part.object == item.id]
    for hold in reversed(held if depth < _DEEPEST else ()):  # the first one wins
        end = np.inf if hold.end_s is None else hold.end_s
        next_key = key_times[key_times > end + SAME_TIME_S]
        until = float(next_key[0]) if len(next_key) else np.inf
        start = -np.inf if hold.start_s is None else hold.start_s
        inside = (times >= start - SAME_TIME_S) & (times < until)
        if not inside.any():
            continue
        at = np.minimum(times[inside], end)
        base = frames(document, hold.other, at, unsolved=unsolved, depth=depth + 1)
        turns, points = composed(base, hold_frame(hold))
        out[inside] = object_poses(points, turns)
    return out


def placement_at(document: Document, item: ObjectRow, time_s: float) -> Floats:
    """Placement (7,) of an object at a time: position and quaternion (w, x, y, z)."""
    return placements(document, item, np.array([time_s]))[0]


def frames(
    document: Document, anchor: Anchor, times_s: Floats, *, unsolved: int = 0, depth: int = 0
) -> Frame:
    """World frames (times, 3, 3), (times, 3) of a joint or an object."""
    if anchor.object:
        item = document.object_row(anchor.object)
        rows = placements(document, item, times_s, unsolved=unsolved, depth=depth)
        return np.array([rotation_matrix(row[3:]) for row in rows]), rows[:, :3]
    actor = document.actor(anchor.actor)
    timeline = document.timeline(actor.id)
    if anchor.actor == unsolved:
        timeline = replace(timeline, solve_span=None)
    skeleton = document.figure(actor.figure).skeleton
    if timeline.empty:
        q = np.tile(actor.configuration, (len(times_s), 1))
    else:
        q = timeline.sample(times_s)
    posed = forward(skeleton, q)
    return posed.rotation(anchor.joint), posed.position(anchor.joint)
