"""Moves a whole actor in the scene: pose, pins, keys, sampled tracks and clip."""

from __future__ import annotations

import msgspec
import numpy as np

from writhe.arrays import Floats, vector3
from writhe.errors import WritheError
from writhe.skeleton import JointKind, forward
from writhe.skeleton.heading import yaw_matrix
from writhe.skeleton.move_root import free_root, moved_roots
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix
from writhe.studio.document import Document, PinRow, TrackKind
from writhe.studio.document.drawn_paths import moved_path
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import pack, unpack
from writhe.studio.editing.edits import encode_pins
from writhe.studio.editing.scene.scene_builder import FARTHEST_M


def move_actor(
    document: Document, edit: Edit, number: int, shift_m: Floats, turn_rad: float
) -> None:
    """Turn an actor about the vertical through its root, then shift it: x -> Y (x - c) + c + s.

    Y is the rotation, c the position of the root, s the shift.
    """
    actor = document.actor(number)
    skeleton = document.figure(actor.figure).skeleton
    if all(joint.kind is not JointKind.FREE for joint in skeleton.joints):
        raise WritheError(f"the body {actor.figure!r} has a fixed root and cannot be moved")
    if not np.isfinite([*shift_m, turn_rad]).all() or np.abs(shift_m).max() > FARTHEST_M:
        raise WritheError("a character can be moved by at most 1000 m")
    root = free_root(skeleton)
    centre = forward(skeleton, actor.configuration).positions[root]
    yaw = yaw_matrix(turn_rad)
    away = centre + shift_m - yaw @ centre
    moved = moved_roots(skeleton, actor.configuration[None], yaw, away)[0]
    pins = tuple(_moved_pin(pin, yaw, away) for pin in actor.pins)
    edit.update("actors", number, q=pack(moved), pins=encode_pins(pins))
    size = skeleton.configuration_size
    for track in document.tracks(number):
        if track.kind in (TrackKind.CLIP, TrackKind.SAMPLED):
            frames = moved_roots(skeleton, unpack(track.data).reshape(-1, size), yaw, away)
            edit.update("tracks", track.id, data=pack(frames))
        elif track.kind is TrackKind.PATH:
            for key in document.keys(track.id):
                edit.update("keys", key.id, data=moved_path(key.data, yaw, away))
        elif track.kind is TrackKind.POSE:
            for key in document.keys(track.id):
                pose = moved_roots(skeleton, unpack(key.data)[None], yaw, away)[0]
                edit.update("keys", key.id, data=pack(pose))


def _moved_pin(pin: PinRow, yaw: Floats, away: Floats) -> PinRow:
    position = vector3(yaw @ np.array(pin.position_in_world) + away)
    turn = pin.orientation_in_world
    if turn is not None:
        turn = quaternion_of(yaw @ rotation_matrix(turn))
    return msgspec.structs.replace(pin, position_in_world=position, orientation_in_world=turn)
