"""The support polygon of the feet."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.skeleton import Figure, Frames
from writhe.skeleton.limbs import FEET, SIDES

_LIFTED_M = 0.08  # a foot that is higher than the other by this bears no weight
_HEEL, _TIP = 0.4, 1.5  # ends of the sole behind and ahead of the ankle, per ankle-toe distance
_HALF_WIDTH_M = 0.035
_SOLE_M = 0.03  # shapes that reach this near the lowest point of a foot bear weight
_BALL = 0.31  # distance from the ankle to the ball of the foot, relative to the length of the shank
_INSET = 0.8  # the polygon is scaled by this about its centre, as a safety margin


def can_balance(figure: Figure) -> bool:
    """Whether a figure has legs and masses."""
    roles = dict(figure.roles)
    legs = (f"{side}_{part}" for side in SIDES for part in ("hip", "knee", "ankle"))
    return all(role in roles for role in legs) and bool(figure.skeleton.mass.sum() > 0.0)


def support_polygon(
    figure: Figure, frames: Frames, prefix: str = "", lifted: frozenset[str] = frozenset()
) -> Floats:
    """(k, 2) corners (x, z), counter-clockwise, of the convex hull of the supporting feet.

    `lifted` names joints that are being moved: a foot with one of them bears no weight.
    """
    if not can_balance(figure):
        raise WritheError(
            f"balance needs feet and masses, which the figure {figure.name!r} does not have"
        )
    roles = dict(figure.roles)
    feet = [foot for foot in FEET if not lifted & {roles.get(role) for role in foot}]
    if not feet:
        return np.zeros((0, 2))
    positions = [_foot(figure, frames, prefix, *foot) for foot in feet]
    lowest = min(float(toe[1]) for _, toe in positions)
    corners: list[Floats] = []
    for roles_of_foot, (ankle, toe) in zip(feet, positions, strict=True):
        if toe[1] > lowest + _LIFTED_M:
            continue
        a, b = ankle[[0, 2]], toe[[0, 2]]
        along = b - a
        side = np.array([-along[1], along[0]]) / max(float(np.linalg.norm(along)), 1e-9)
        sole = [] if roles_of_foot[1] in roles else _sole(figure, frames, prefix, roles_of_foot[0])
        corners += sole or [
            end + width * side
            for end in (a - _HEEL * along, a + _TIP * along)
            for width in (_HALF_WIDTH_M, -_HALF_WIDTH_M)
        ]
    hull = _hull(np.array(corners))
    return hull.mean(axis=0) + _INSET * (hull - hull.mean(axis=0))


def _sole(figure: Figure, frames: Frames, prefix: str, ankle: str) -> list[Floats]:
    """Points (x, z) around where the shapes of a foot without a toe joint touch the ground."""
    joint = figure.joint_of(ankle)
    position, rotation = frames.position(prefix + joint), frames.rotation(prefix + joint)
    ends = [
        (position + rotation @ end, capsule.radius_m)
        for capsule in figure.capsules
        if capsule.joint == joint
        for end in (capsule.start_in_joint, capsule.end_in_joint)
    ]
    lowest = min((float(end[1]) - radius for end, radius in ends), default=0.0)
    return [
        end[[0, 2]] + radius * np.array(direction)
        for end, radius in ends
        if end[1] - radius < lowest + _SOLE_M
        for direction in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))
    ]


def _foot(
    figure: Figure, frames: Frames, prefix: str, ankle: str, toe: str
) -> tuple[Floats, Floats]:
    """Positions of ankle and ball of the foot, which is estimated if there is no toe joint."""

    def at(role: str) -> Floats:
        return frames.position(prefix + figure.joint_of(role))

    if toe in dict(figure.roles):
        return at(ankle), at(toe)
    left = at("left_hip") - at("right_hip")
    ahead = np.array([-left[2], 0.0, left[0]])
    shank = float(np.linalg.norm(at(ankle.replace("ankle", "knee")) - at(ankle)))
    ahead *= _BALL * shank / max(float(np.linalg.norm(ahead)), 1e-9)
    return at(ankle), at(ankle) + ahead


def distance_outside(polygon: Floats, point: Floats) -> float:
    """How far a point (x, z) lies outside a convex polygon (k, 2), counter-clockwise; 0 inside."""
    if len(polygon) < 3:
        return 0.0
    edge = np.roll(polygon, -1, axis=0) - polygon
    away = point - polygon
    side = edge[:, 0] * away[:, 1] - edge[:, 1] * away[:, 0]
    if (side >= 0.0).all():
        return 0.0
    t = np.clip((away * edge).sum(axis=1) / np.maximum((edge * edge).sum(axis=1), 1e-12), 0.0, 1.0)
    return float(np.linalg.norm(away - t[:, None] * edge, axis=1).min())


def _hull(points: Floats) -> Floats:
    """The convex hull, counter-clockwise in (x, z) (Andrew's monotone chain)."""
    ordered = sorted({(float(x), float(z)) for x, z in points})
    halves: list[list[tuple[float, float]]] = []
    for run in (ordered, ordered[::-1]):
        half: list[tuple[float, float]] = []
        for p in run:
            while len(half) > 1 and _left(half[-2], half[-1], p) <= 0.0:
                half.pop()
            half.append(p)
        halves.append(half[:-1])
    return np.array(halves[0] + halves[1])


def _left(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
