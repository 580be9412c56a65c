"""Where a hand can grasp an object: the pose of the wrist in the object's frame, fingers closed.

Candidates lay the palm on a side of one convex piece, with the fingers across its long axis
(a bar lies across the palm), at several places of the palm. Each candidate is brought to contact,
the fingers are closed until they meet the object, and the contacts are judged: how many fingers
touch, whether the thumb does, and how far the contact normals oppose each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, ContactPolicy, NearPairs, Shape
from writhe.collision.shapes import Core, from_capsule
from writhe.errors import WritheError
from writhe.hands.closing import ClosedHand, close_fingers
from writhe.hands.hand import Hand, set_finger
from writhe.hands.poses import GRASPS, finger_goal
from writhe.skeleton import Figure, Joint, JointKind, Skeleton, forward
from writhe.skeleton.quaternions import angle_of, quaternion_of

_PALM_PLACES = (0.62, 0.85, 1.02)  # from the wrist to the knuckles
_MOST = 14  # candidates that are tried
_GOOD, _GOOD_ENOUGH = 8.0, 18  # the search ends when this many grasps have this score
_START_M = 0.16  # from which a candidate approaches
_POKED_M = 0.07  # a piece longer than this is not grasped at its ends


@dataclass(frozen=True)
class Grasp:
    """A hand on an object: pose of the wrist in the object's frame, and how good it is."""

    position: Floats  # (3,)
    rotation: Floats  # (3, 3)
    pose: str  # the hand pose that the fingers closed towards
    fingers: int  # parts of the hand that touch: fingers and palm
    thumb: bool
    opposed: float  # 0: all contacts push the same way, 1: they cancel
    score: float


@dataclass(frozen=True)
class Piece:
    """One convex piece of an object as a box: centre, axes (columns, longest first), half sizes."""

    centre: Floats
    axes: Floats
    half_m: Floats


class HandOnObject:
    """A hand alone, free to move, and an object at the origin."""

    def __init__(self, figure: Figure, hand: Hand, shapes: tuple[Shape, ...]) -> None:
        solid = [s for s in shapes if s.core is not Core.HALF_SPACE]
        if not solid:
            raise WritheError("a floor or wall cannot be grasped: give a solid object")
        self.hand, self.shapes = hand, tuple(solid)
        self.skeleton = _hand_skeleton(figure.skeleton, hand)
        bodies = [from_capsule(c) for c in figure.capsules if c.joint in self.skeleton]
        object_joint = Joint(_OBJECT, None, JointKind.FIXED)
        self.skeleton = Skeleton([*self.skeleton.joints, object_joint])
        shapes_of_object = [s.on(_OBJECT, _OBJECT) for s in self.shapes]
        policy = ContactPolicy(skip_joint_zones=True)
        self.table = CollisionTable(self.skeleton, [*bodies, *shapes_of_object], policy)
        self._near = NearPairs(self.table)

    def pieces(self) -> list[Piece]:
        """The convex pieces of the object as boxes."""
        return [_box(shape) for shape in self.shapes]

    def candidates(self, piece: Piece, at: Floats | None) -> Iterator[tuple[Floats, Floats]]:
        """Rotations (3, 3) of the wrist and the places (3,) in the object where the palm lies."""
        half, axes = piece.half_m, piece.axes
        handed = float(np.sign(np.linalg.det(self.hand.axes)))  # of a left and a right hand
        centre = piece.centre
        if at is not None:  # along the long axis where the user points
            along = float(np.clip((at - centre) @ axes[:, 0], -half[0], half[0]))
            centre = centre + along * axes[:, 0]
        for side, to in product(range(3), (1.0, -1.0)):
            if side == 0 and half[0] > _POKED_M:
                continue
            others = [k for k in range(3) if k != side]
            # fingers go across the longer of the other two axes, unless they are alike
            if half[others[0]] > 1.25 * half[others[1]]:
                others = others[:1]
            out = -to * axes[:, side]
            for k, way in product(others, (1.0, -1.0)):
                thumb = way * axes[:, k]
                along = handed * np.cross(out, thumb)
                target = np.stack([along, out, thumb], axis=1)
                yield target @ self.hand.axes.T, centre + to * half[side] * axes[:, side]

    def try_grasp(self, rotation: Floats, place: Floats, reach: float, pose: str) -> Grasp | None:
        """Bring the hand to contact, close the fingers, and judge the contacts."""
        q, out = self._open(rotation), rotation @ self.hand.axes[:, 1]
        middle = rotation @ (reach * self.hand.length_m * self.hand.axes[:, 0])
        far = place - middle - _START_M * out
        if not self._clear(q, far):
            return None
        low, high = 0.0, _START_M
        for _ in range(12):  # the first contact on the way
            half = 0.5 * (low + high)
            low, high = (half, high) if self._clear(q, far + half * out) else (low, half)
        position = far + low * out
        q[:3] = position
        closed = close_fingers(self.table, q, self.hand, pose, start="open")
        return self._judged(closed, position, rotation, pose)

    def _open(self, rotation: Floats) -> Floats:
        q = self.skeleton.rest_configuration
        q[3:7] = quaternion_of(rotation)
        for finger in self.hand.fingers:
            set_finger(self.skeleton, q, finger, *finger_goal(finger, "open"))
        return q

    def _clear(self, q: Floats, position: Floats) -> bool:
        q[:3] = position
        frames = forward(self.skeleton, q)
        self._near.find(frames.positions, frames.rotations, 0.0)
        rows, at = self._near.rows, self.skeleton.index(_OBJECT)
        joints = rows.joints[: self._near.count]
        return not (joints == at).any()

    def _judged(self, closed: ClosedHand, position: Floats, rotation: Floats, pose: str) -> Grasp:
        finger_of = {j: f.name for f in self.hand.fingers for j in f.joints}
        touched = {finger_of.get(t.joint, "palm") for t in closed.touches}
        normals = np.array([t.normal for t in closed.touches]).reshape(-1, 3)
        opposed = 1.0 - float(np.linalg.norm(normals.mean(axis=0))) if len(normals) else 0.0
        thumb = "thumb" in touched
        score = len(touched) + 1.5 * thumb + 2.0 * opposed + 0.5 * ("palm" in touched)
        return Grasp(position, rotation, pose, len(touched), thumb, opposed, score)


_OBJECT = "object"


def find_grasps(
    figure: Figure,
    hand: Hand,
    shapes: tuple[Shape, ...],
    *,
    at: Floats | None = None,
    towards: Floats | None = None,
    palm: Floats | None = None,
    thumb: Floats | None = None,
) -> list[Grasp]:
    """Grasps of an object by a hand, best first; empty if no finger finds a hold.

    shapes: of the object in its frame. at: the place of the object (3,) to grasp; by default its
    middle, or that of its piece that fits a hand best. towards: preferred rotation (3, 3) of the
    wrist in the object's frame, such as the present one. palm, thumb: directions (3,) in the
    object's frame that the palm faces and that the thumb's side points to, within 60 degrees
    if there is such a grasp.
    """
    tries = HandOnObject(figure, hand, shapes)
    pieces = tries.pieces()
    if at is not None:
        piece = min(pieces, key=lambda p: _distance_to(p, at))
    else:
        piece = min(pieces, key=lambda p: abs(float(p.half_m[1]) - 0.022))
    found: list[Grasp] = []
    good = 0
    listed = list(tries.candidates(piece, at))
    if towards is not None:
        listed.sort(key=lambda c: -float(np.trace(c[0].T @ towards)))
    for axis, direction in ((2, thumb), (1, palm)):
        if direction is not None:
            listed = _along(listed, hand.axes[:, axis], direction)
    seen: set[tuple[float, ...]] = set()
    for rotation, place in listed[:_MOST]:
        key = tuple(np.round(rotation.ravel(), 3).tolist())
        if key in seen:
            continue
        seen.add(key)
        for reach, pose in product(_PALM_PLACES, GRASPS):
            grasp = tries.try_grasp(rotation, place, reach, pose)
            if grasp is not None and grasp.fingers >= 2:
                turned = 0.0 if towards is None else angle_of(rotation.T @ towards)
                found.append(replace(grasp, score=grasp.score - 1.2 * turned))
                good += grasp.score >= _GOOD
        if good >= _GOOD_ENOUGH:
            break
    return sorted(found, key=lambda g: -g.score)


_Candidates = list[tuple[Floats, Floats]]


def _along(candidates: _Candidates, axis: Floats, direction: Floats) -> _Candidates:
    """Candidates with an axis of the hand within 60 degrees of a direction, else the nearest."""
    towards = direction / np.linalg.norm(direction)
    cosine = [float((rotation @ axis) @ towards) for rotation, _ in candidates]
    least = min(0.5, max(cosine) - 1e-6)
    return [c for c, value in zip(candidates, cosine, strict=True) if value >= least]


def longest_piece(shapes: tuple[Shape, ...]) -> Piece:
    """The longest convex piece of an object as a box, such as the shaft of a pan."""
    solid = [shape for shape in shapes if shape.core is not Core.HALF_SPACE]
    if not solid:
        raise WritheError("a floor or wall cannot be grasped: give a solid object")
    return max((_box(shape) for shape in solid), key=lambda piece: float(piece.half_m[0]))


def _distance_to(piece: Piece, at: Floats) -> float:
    local = np.abs(piece.axes.T @ (at - piece.centre)) - piece.half_m
    return float(np.linalg.norm(np.maximum(local, 0.0)) + min(float(local.max()), 0.0) * 1e-3)


def _box(shape: Shape) -> Piece:
    """The box around a shape along its own axes or, if smaller, along its principal axes."""
    points, radius = shape.points_in_joint, shape.radius_m
    best: Piece | None = None
    centred = points - points.mean(axis=0)
    principal = np.linalg.svd(centred, full_matrices=True)[2].T
    for axes in (np.eye(3), principal):
        low, high = (points @ axes).min(axis=0) - radius, (points @ axes).max(axis=0) + radius
        half = 0.5 * (high - low)
        order = np.argsort(-half, kind="stable")
        turned = axes[:, order].copy()
        turned[:, 2] = np.cross(turned[:, 0], turned[:, 1])
        piece = Piece(axes @ (0.5 * (low + high)), turned, half[order])
        if best is None or piece.half_m.prod() < 0.98 * best.half_m.prod():
            best = piece
    assert best is not None
    return best


def _hand_skeleton(skeleton: Skeleton, hand: Hand) -> Skeleton:
    """The wrist as a free root, with everything below it."""
    at = skeleton.index(hand.wrist)
    joints = list(skeleton.joints[at : int(skeleton.tree.subtree_end[at])])
    identity = np.array([1.0, 0.0, 0.0, 0.0])
    root = replace(
        joints[0],
        parent=None,
        kind=JointKind.FREE,
        offset_in_parent=np.zeros(3),
        rest=identity,
        limits=None,
    )
    return Skeleton([root, *joints[1:]])
