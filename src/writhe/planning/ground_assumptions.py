"""The assumptions of a plan about the ground: planted feet, and a floor under them.

Two postures alone do not say whether the figure stands on the ground. A foot with the same pose in
both is assumed to be planted; if the lowest point of both postures belongs to a foot and has about
the same height, a floor is assumed at that height.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, NearPairs, half_space
from writhe.skeleton import Figure, Joint, JointKind, Skeleton, forward
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.quaternions import angle_of

FLOOR = "floor"
SAME_PLACE_M, SAME_TURN_RAD = 0.03, 0.35  # a foot that differs by less is planted
SAME_HEIGHT_M = 0.03  # of the lowest points of both postures
SAME_LEVEL_M = 0.05  # of the ankles of feet that stand
_SPARE_M = 0.002  # allowance beyond the overlap with the floor at the ends
_MAX_ALLOWANCE_M = 0.1


def shared_feet(figure: Figure, start: Floats, goal: Floats) -> tuple[str, ...]:
    """The ankles with the same position and orientation in both postures (nq)."""
    first, last = forward(figure.skeleton, start), forward(figure.skeleton, goal)
    found: list[str] = []
    for joint in _feet(figure):
        apart = float(np.linalg.norm(first.position(joint) - last.position(joint)))
        turned = angle_of(first.rotation(joint).T @ last.rotation(joint))
        if apart < SAME_PLACE_M and turned < SAME_TURN_RAD:
            found.append(joint)
    return tuple(found)


def standing_feet(figure: Figure, start: Floats, goal: Floats) -> tuple[str, ...]:
    """The ankles of a body that stands on both feet, on one level, in both postures; else none."""
    feet = tuple(_feet(figure))
    if len(feet) < 2 or floor_height(figure, start, goal) is None:
        return ()
    heights = [
        float(forward(figure.skeleton, q).position(foot)[1]) for q in (start, goal) for foot in feet
    ]
    return feet if max(heights) - min(heights) < SAME_LEVEL_M else ()


def floor_height(figure: Figure, start: Floats, goal: Floats) -> float | None:
    """The height of the floor on which both postures stand; None if they do not."""
    lowest: list[float] = []
    skeleton, feet = figure.skeleton, _feet(figure)
    under = {
        j
        for foot in feet
        for j in range(skeleton.index(foot), int(skeleton.tree.subtree_end[skeleton.index(foot)]))
    }
    for q in (start, goal):
        frames = forward(skeleton, q)
        heights = [
            (
                min(
                    float(frames.point(c.joint, end)[1])
                    for end in (c.start_in_joint, c.end_in_joint)
                )
                - c.radius_m,
                skeleton.index(c.joint) in under,
            )
            for c in figure.capsules
        ]
        if not heights or not min(heights)[1]:
            return None  # the lowest part is not a foot
        lowest.append(min(heights)[0])
    return min(lowest) if abs(lowest[0] - lowest[1]) < SAME_HEIGHT_M else None


@dataclass(frozen=True)
class GroundAssumptions:
    """The assumptions about the ground."""

    planted: tuple[str, ...]
    floor_m: float | None

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each assumption."""
        return (*self.planted_notes, *self.floor_notes)

    @property
    def planted_notes(self) -> tuple[str, ...]:
        """What is assumed about the feet."""
        if not self.planted:
            return ()
        return (f"assumed planted, as both postures share them: {', '.join(self.planted)}",)

    @property
    def floor_notes(self) -> tuple[str, ...]:
        """What is assumed about the floor."""
        if self.floor_m is None:
            return ()
        height = f"{self.floor_m:.3f}"
        return (f"assumed a floor at a height of {height} m, on which both postures stand",)


def assumed_ground(
    figure: Figure, start: Floats, goal: Floats, *, plant: bool = True, floor: bool = True
) -> GroundAssumptions:
    """The feet that both postures share, unless `plant` is off, and the floor under them."""
    planted = shared_feet(figure, start, goal) if plant else ()
    height = floor_height(figure, start, goal) if floor else None
    return GroundAssumptions(planted, height)


def with_floor(table: CollisionTable, height_m: float, *postures: Floats) -> CollisionTable:
    """The table with a floor: a half-space on a fixed joint of its own.

    A fixed joint has no coordinates, so configurations stay the same. Overlaps with the floor in
    the two postures (nq) are allowed.
    """
    name = FLOOR
    skeleton = Skeleton(
        [*table.skeleton.joints, Joint(name, None, JointKind.FIXED)], table.skeleton.tips
    )
    floor = half_space((0.0, height_m, 0.0), (0.0, 1.0, 0.0)).on(name, name)
    out = CollisionTable(skeleton, [*table.source, floor], table.policy, table.folds)
    near, policy = NearPairs(out), table.policy
    overlaps: dict[str, float] = {}
    for q in postures:
        frames = forward(skeleton, q)
        near.find(frames.positions, frames.rotations, 0.0)
        for (a, b), gap in zip(near.rows.shapes[: near.count], near.rows.gap, strict=False):
            parts = out.part_of_shape(int(a)), out.part_of_shape(int(b))
            if name in parts:
                part = parts[0] if parts[1] == name else parts[1]
                overlaps[part] = max(overlaps.get(part, 0.0), -float(gap))
    for part, overlap in overlaps.items():
        policy = policy.allow(part, name, min(overlap + _SPARE_M, _MAX_ALLOWANCE_M))
    return out.with_policy(policy)


def _feet(figure: Figure) -> list[str]:
    roles = dict(figure.roles)
    return [roles[role] for role in ANKLES if role in roles]
