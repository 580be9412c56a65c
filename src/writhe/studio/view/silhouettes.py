"""Small pictures of preset poses: the body's capsules seen from the front left.

The page draws a picture from a few bytes: for each capsule, the farthest first, its index and the
ends of its axis; for each shape of the object a polygon. Units are centimetres; the horizontal
centre is at 128 and the floor at 8.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from writhe.arrays import Floats
from writhe.database import PostureDatabase
from writhe.postures.builtin import builtin_database
from writhe.scene.objects import built_in
from writhe.skeleton import forward
from writhe.skeleton.quaternions import rotation_matrix

_YAW = 0.55
_RIGHT = np.array([np.cos(_YAW), 0.0, -np.sin(_YAW)])
_TOWARDS = np.array([np.sin(_YAW), 0.0, np.cos(_YAW)])
_MIDDLE, _FLOOR = 128.0, 8.0


@cache
def silhouette(library: str, number: int) -> tuple[bytes, tuple[bytes, ...]]:
    """The picture data of a library's posture: the body and the shapes of its object."""
    database = builtin_database(library)
    figure = database.figure
    frames = forward(figure.skeleton, database.q[number])
    ends = np.array(
        [
            [
                frames.position(c.joint) + frames.rotation(c.joint) @ point
                for point in (c.start_in_joint, c.end_in_joint)
            ]
            for c in figure.capsules
        ]
    )
    shapes = _object_points(database, number)
    across = np.concatenate([ends.reshape(-1, 3), *shapes]) @ _RIGHT
    middle = (across.min() + across.max()) / 2
    body = bytearray()
    for k in np.argsort(ends.mean(axis=1) @ _TOWARDS):
        body += bytes([k]) + _pixels(ends[k], middle)
    return bytes(body), tuple(_pixels(_outline(points), middle) for points in shapes)


def _pixels(points: Floats, middle: float) -> bytes:
    across = 100.0 * (points @ _RIGHT - middle) + _MIDDLE
    up = 100.0 * points[:, 1] + _FLOOR
    whole = np.clip(np.round(np.stack([across, up], axis=1)), 0, 255)
    return whole.astype(np.uint8).tobytes()


def _object_points(database: PostureDatabase, number: int) -> list[Floats]:
    """The corners of the object's shapes in the world, each inflated by its radius."""
    if not database.object_name:
        return []
    placement = database.object_pose[number]
    turn = rotation_matrix(placement[3:])
    found: list[Floats] = []
    for shape in built_in(database.object_name)[0]:
        points = placement[:3] + shape.points_in_joint @ turn.T
        around = shape.radius_m * np.array(
            [[sx * _RIGHT[0], sy, sx * _RIGHT[2]] for sx in (-1, 1) for sy in (-1, 1)]
        )
        found.append((points[:, None] + around[None]).reshape(-1, 3))
    return found


def _outline(points: Floats) -> Floats:
    """The convex outline of points in the picture plane."""
    flat = np.stack([points @ _RIGHT, points[:, 1]], axis=1)
    try:
        return points[ConvexHull(flat).vertices]
    except QhullError:  # the shape is seen edge-on
        return points
