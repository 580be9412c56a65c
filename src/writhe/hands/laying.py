"""A hand laid on a surface: how it is turned, and what it holds in between.

The palm faces the surface. The fingers point along the forearm, as far as the surface allows, so
that the wrist is bent to the side as little as possible; on a surface that the forearm meets at a
right angle, such as a wall that is pushed, they point upwards, and on one below the hand forwards.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, unit
from writhe.hands.hand import Hand
from writhe.scene import Scene, SceneObject
from writhe.skeleton.quaternions import rotation_matrix

_UP = np.array([0.0, 1.0, 0.0])
_UPWARDS = 0.5  # weight of the direction upwards or ahead beside that of the forearm
# a surface counts as level if the vertical, projected onto it, is shorter than this
_LEVEL = 0.35


def laid_hand(
    hand: Hand, forearm: Floats, normal: Floats, ahead: Floats, upright: Floats | None = None
) -> Floats:
    """The world rotation (3, 3) of the wrist of a hand laid on a surface.

    forearm: direction (3,) from elbow to wrist; normal: unit normal (3,) out of the surface;
    ahead: direction (3,) that the body faces. upright: direction (3,) in the frame of the wrist
    that tends to be vertical, of an object in the hand.
    """
    palm = -normal  # the direction that the palm faces, into the surface
    along = _in_plane(forearm / max(float(np.linalg.norm(forearm)), 1e-9), normal)
    upwards = _in_plane(_UP, normal)
    if np.linalg.norm(upwards) < _LEVEL:
        upwards = _in_plane(ahead, normal)
    fingers = along + _UPWARDS * upwards
    if np.linalg.norm(fingers) < 1e-3:
        fingers = upwards
    if upright is not None:
        fingers = unit(fingers) + unit(_fingers_upright(hand, upright, normal))
    return _facing(hand, unit(fingers), palm)


def _fingers_upright(hand: Hand, upright: Floats, normal: Floats) -> Floats:
    """The direction (3,) of the fingers in which `upright` of the wrist's frame is vertical.

    The palm faces a surface with this normal; 0 if `upright` is along the normal.
    """
    vertical = _in_plane(_UP, normal)
    along, _, across = hand.axes.T @ upright
    handed = float(np.sign(np.linalg.det(hand.axes)))
    # upright = along f + across handed (f x -n); solved for f in the plane of the surface
    return along * vertical - across * handed * np.cross(vertical, -normal)


def _facing(hand: Hand, fingers: Floats, palm: Floats) -> Floats:
    """The world rotation (3, 3) of a wrist with fingers and palm in these directions."""
    handed = float(np.sign(np.linalg.det(hand.axes)))
    thumb = handed * np.cross(fingers, palm)
    return np.stack([fingers, palm, thumb], axis=1) @ hand.axes.T


def objects_in_hand(scene: Scene, actor: str, hand: Hand) -> list[SceneObject]:
    """The objects that are attached to the wrist of a hand."""
    return [item for item in scene.objects if item.attached_to == f"{actor}.{hand.wrist}"]


def reach_beyond_palm(items: list[SceneObject], hand: Hand) -> float:
    """How far (m) objects attached to the wrist protrude from the palm; 0 without objects."""
    highest = 0.0
    for item in items:
        turn, at = rotation_matrix(np.asarray(item.rotation)), np.asarray(item.position_m)
        for shape in item.shapes:
            points = shape.points_in_joint @ turn.T + at - hand.palm
            highest = max(highest, float((points @ hand.axes[:, 1]).max()) + shape.radius_m)
    return highest


def _in_plane(direction: Floats, normal: Floats) -> Floats:
    return direction - normal * float(direction @ normal)
