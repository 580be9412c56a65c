"""Points, directions, orientations, distances and gaps in the world or in a joint's frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.errors import WritheError
from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import Quantity, QuantityCode, vector
from writhe.skeleton import Capsule, Skeleton


@dataclass(frozen=True, slots=True)
class Point(Quantity):
    """The position of a point fixed to `joint`, in the world or in the frame of `seen_from`."""

    joint: str
    point_in_joint: tuple[float, float, float] = (0.0, 0.0, 0.0)
    seen_from: str | None = None

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        other = -1 if self.seen_from is None else skeleton.index(self.seen_from)
        point = vector(self.point_in_joint)
        return QuantityCode(quantity_rows.POINT, 3, skeleton.index(self.joint), other, point)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        names = rng.choice(skeleton.names, 6)
        local = rng.normal(0, 0.2, (3, 3))
        return [
            cls(str(names[0]), tuple(local[0])),
            cls(str(names[1]), tuple(local[1]), str(names[2])),
            cls(str(names[3]), tuple(local[2]), str(names[3])),
        ]


@dataclass(frozen=True, slots=True)
class Direction(Quantity):
    """A direction fixed to `joint`, in the world frame or in the frame of `seen_from`."""

    joint: str
    direction_in_joint: tuple[float, float, float]
    seen_from: str | None = None

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        other = -1 if self.seen_from is None else skeleton.index(self.seen_from)
        return QuantityCode(
            quantity_rows.DIRECTION,
            3,
            skeleton.index(self.joint),
            other,
            vector(self.direction_in_joint),
        )

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        names = rng.choice(skeleton.names, 3)
        local = rng.normal(0, 1, (2, 3))
        return [
            cls(str(names[0]), tuple(local[0])),
            cls(str(names[1]), tuple(local[1]), str(names[2])),
        ]


@dataclass(frozen=True, slots=True)
class Orientation(Quantity):
    """The rotation vector from `target` (quaternion wxyz) to the orientation of `joint`, radians.

    The orientation is in the world frame, or in the frame of `seen_from`: log(target^-1 R).
    """

    joint: str
    target: tuple[float, float, float, float]
    seen_from: str | None = None

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        other = -1 if self.seen_from is None else skeleton.index(self.seen_from)
        q = np.asarray(self.target, dtype=np.float64)
        return QuantityCode(
            quantity_rows.ORIENTATION,
            3,
            skeleton.index(self.joint),
            other,
            vector(q / np.linalg.norm(q)),
        )

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        names = rng.choice(skeleton.names, 3)
        targets = rng.normal(0, 1, (2, 4)) + np.array([2.0, 0, 0, 0])
        return [
            cls(str(names[0]), tuple(targets[0])),
            cls(str(names[1]), tuple(targets[1]), str(names[2])),
        ]


@dataclass(frozen=True, slots=True)
class Separation(Quantity):
    """The distance between a point of `joint` and a point of `other` (None: fixed in the world)."""

    joint: str
    point_in_joint: tuple[float, float, float]
    other: str | None
    point_in_other: tuple[float, float, float]

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        other = -1 if self.other is None else skeleton.index(self.other)
        data = vector(self.point_in_joint) + vector(self.point_in_other)
        return QuantityCode(quantity_rows.SEPARATION, 1, skeleton.index(self.joint), other, data)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        names = rng.choice(skeleton.names, 3, replace=False)
        local = rng.normal(0, 0.2, (4, 3))
        return [
            cls(str(names[0]), tuple(local[0]), str(names[1]), tuple(local[1])),
            cls(str(names[2]), tuple(local[2]), None, tuple(local[3] + 2.0)),
        ]


@dataclass(frozen=True, slots=True)
class Height(Quantity):
    """The signed distance of a point of `joint` from a plane, metres: normal . point - offset_m.

    The plane is fixed in the world, or in the frame of the joint `plane_of`.
    """

    joint: str
    point_in_joint: tuple[float, float, float]
    normal: tuple[float, float, float]
    offset_m: float
    plane_of: str | None = None

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        other = -1 if self.plane_of is None else skeleton.index(self.plane_of)
        data = (*vector(self.point_in_joint), *vector(self.normal), float(self.offset_m))
        return QuantityCode(quantity_rows.PLANE, 1, skeleton.index(self.joint), other, data)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        names = rng.choice(skeleton.names, 3)
        local = rng.normal(0, 0.3, (4, 3))
        return [
            cls(str(names[0]), tuple(local[0]), tuple(local[1]), 0.3),
            cls(str(names[1]), tuple(local[2]), tuple(local[3]), -0.1, str(names[2])),
        ]


@dataclass(frozen=True, slots=True)
class Gap(Quantity):
    """The distance between the surfaces of two capsules, metres; negative when they overlap.

    The derivative is the relative velocity of the nearest points along the normal; it is zero where
    the axes intersect.
    """

    first: Capsule
    second: Capsule

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        data = (
            *vector(self.first.start_in_joint),
            *vector(self.first.end_in_joint),
            *vector(self.second.start_in_joint),
            *vector(self.second.end_in_joint),
            float(self.first.radius_m + self.second.radius_m),
        )
        return QuantityCode(
            quantity_rows.GAP,
            1,
            skeleton.index(self.first.joint),
            skeleton.index(self.second.joint),
            data,
        )

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        picked: list[Quantity] = []
        for _ in range(4):
            a, b = rng.choice(skeleton.names, 2, replace=False)
            ends = rng.normal(0.0, 0.2, (4, 3))
            picked.append(
                cls(
                    Capsule(str(a), ends[0], ends[1], 0.01), Capsule(str(b), ends[2], ends[3], 0.02)
                )
            )
        return picked


@dataclass(frozen=True, slots=True)
class CentreOfMass(Quantity):
    """The centre of mass of `joint` and its subtree, world frame, metres."""

    joint: str

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        first = skeleton.index(self.joint)
        last = int(skeleton.tree.subtree_end[first])
        if skeleton.mass[first:last].sum() <= 0.0:
            raise WritheError(f"the subtree of {self.joint!r} has no mass; give its joints a mass")
        return QuantityCode(quantity_rows.CENTRE, 3, first, last)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        heavy = [
            name
            for j, name in enumerate(skeleton.names)
            if skeleton.mass[j : int(skeleton.tree.subtree_end[j])].sum() > 0.0
        ]
        return [cls(str(name)) for name in rng.choice(heavy, min(3, len(heavy)), replace=False)]
