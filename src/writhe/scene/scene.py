"""A scene: actors, objects, declared contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from writhe.arguments import check_fields, checked
from writhe.arrays import Floats, floats, lengths, number
from writhe.collision import ContactPolicy, Shape
from writhe.errors import UnknownNameError, WritheError
from writhe.skeleton import Figure

if TYPE_CHECKING:
    from writhe.scene.layout import Layout


def _origin() -> Floats:
    return np.zeros(3)


def _identity_rotation() -> Floats:
    return np.array([1.0, 0.0, 0.0, 0.0])


def _check_name(name: str, what: str) -> None:
    if not name or "." in name or len(name) > 100:
        raise WritheError(
            f"the name of {what} must be 1 to 100 characters without '.', not {name!r}"
        )


def _unit_quaternions(values: Floats, shape: tuple[int | None, ...], what: str) -> Floats:
    given = floats(values, shape, what)
    length = np.linalg.norm(given, axis=-1, keepdims=True)
    if (length < 1e-6).any():
        raise WritheError(f"{what}: a quaternion (w, x, y, z) must not be zero")
    return given / length


@dataclass(frozen=True)
class Actor:
    """A figure in a scene.

    position_m and rotation are the pose of the frame in which the figure's motions are given.
    A driven actor follows a given motion, such as captured motion of a partner; the others are
    posed by solvers. `source` is the figure's name in a scene file: a built-in one, or a file next
    to the scene file.
    """

    name: str
    figure: Figure
    position_m: Floats = field(default_factory=_origin)
    rotation: Floats = field(default_factory=_identity_rotation)
    driven: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        _check_name(self.name, "an actor")
        what = f"the actor {self.name!r}"
        object.__setattr__(self, "position_m", lengths(self.position_m, (3,), what))
        object.__setattr__(self, "rotation", _unit_quaternions(self.rotation, (4,), what))


class ObjectKind(Enum):
    """Fixed, moved by the user, or animated by its own keys."""

    FIXED = "fixed"
    MOVED = "moved"
    ANIMATED = "animated"


@dataclass(frozen=True)
class KeyMotion:
    """Key poses of an object: linear and slerp between them, constant before and after."""

    times_s: Floats  # (k,) strictly increasing
    positions_m: Floats  # (k, 3)
    rotations: Floats  # (k, 4)

    def __post_init__(self) -> None:
        check_fields(self)
        times = floats(self.times_s, (None,), "key times")
        if len(times) == 0 or (np.diff(times) <= 0).any():
            raise WritheError("key times must increase strictly, and there must be at least one")
        count = len(times)
        object.__setattr__(self, "times_s", times)
        positions = lengths(self.positions_m, (count, 3), "key positions")
        object.__setattr__(self, "positions_m", positions)
        rotations = _unit_quaternions(self.rotations, (count, 4), "key rotations")
        object.__setattr__(self, "rotations", rotations)

    @checked
    def at(self, times_s: Floats) -> Floats:
        """Poses (times, 7) at these times: position and quaternion."""
        from writhe.kernels.skeleton.kinematics import interpolate_batch
        from writhe.skeleton import Joint, JointKind, Skeleton

        tree = Skeleton([Joint("object", None, JointKind.FREE)]).tree
        times_s = floats(np.atleast_1d(times_s), (None,), "times")
        rows = np.interp(times_s, self.times_s, np.arange(len(self.times_s), dtype=float))
        out = np.empty((len(rows), 7))
        keys = np.concatenate([self.positions_m, self.rotations], axis=1)
        interpolate_batch(tree, keys, rows, out)
        return out


@dataclass(frozen=True)
class SceneObject:
    """A solid object: shapes and named strands (polylines), in its own frame.

    With `attached_to`, a joint of an actor ("anna.left_wrist"), it is carried: it moves with the
    joint, and position_m and rotation are its pose in the frame of that joint. Its mass then counts
    in the balance of the actor.
    """

    name: str
    shapes: tuple[Shape, ...]
    kind: ObjectKind = ObjectKind.FIXED
    position_m: Floats = field(default_factory=_origin)
    rotation: Floats = field(default_factory=_identity_rotation)
    keys: KeyMotion | None = None
    strands: Mapping[str, Floats] = field(default_factory=dict[str, Floats])
    source: str = ""
    attached_to: str = ""
    mass_kg: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        _check_name(self.name, "an object")
        what = f"the object {self.name!r}"
        number(self.mass_kg, f"the mass of {what}", minimum=0.0)
        if self.attached_to and self.kind is not ObjectKind.FIXED:
            raise WritheError(
                f"{what}: an attached object follows its joint ({self.attached_to!r}): its kind"
                f" must be 'fixed', not {self.kind.value!r}"
            )
        object.__setattr__(self, "position_m", lengths(self.position_m, (3,), what))
        object.__setattr__(self, "rotation", _unit_quaternions(self.rotation, (4,), what))
        if (self.kind is ObjectKind.ANIMATED) != (self.keys is not None):
            raise WritheError(
                f"{what}: animated objects need keys, other objects must not have any"
            )
        strands = {
            n: floats(p, (None, 3), f"{what}, strand {n!r}") for n, p in self.strands.items()
        }
        for name, points in strands.items():
            if len(points) < 2:
                raise WritheError(f"{what}: the strand {name!r} has fewer than two points")
        object.__setattr__(self, "strands", strands)

    def pose(self) -> Floats:
        """(7,) the initial pose: position and quaternion."""
        if self.keys is not None:
            return self.keys.at(np.zeros(1))[0]
        return np.concatenate([self.position_m, self.rotation])


@dataclass(frozen=True)
class Scene:
    """Actors and objects, with the contact policy of their parts.

    Parts are called "actor.part" for actors and by the object's name for objects.
    """

    actors: tuple[Actor, ...] = ()
    objects: tuple[SceneObject, ...] = ()
    policy: ContactPolicy = field(default_factory=ContactPolicy)

    def __post_init__(self) -> None:
        check_fields(self)
        names = [a.name for a in self.actors] + [o.name for o in self.objects]
        duplicates = sorted({n for n in names if names.count(n) > 1})
        if duplicates:
            raise WritheError(f"names in a scene must be unique; repeated: {', '.join(duplicates)}")

    @cached_property
    def layout(self) -> Layout:
        """One skeleton for all actors and objects, with the slices of each in q and v."""
        from writhe.scene.layout import Layout

        return Layout(self)

    def actor(self, name: str | None = None) -> Actor:
        """An actor by name, or the first one."""
        if name is None:
            if not self.actors:
                raise WritheError("the scene has no actor")
            return self.actors[0]
        for actor in self.actors:
            if actor.name == name:
                return actor
        raise UnknownNameError("actor", name, [a.name for a in self.actors])

    def object(self, name: str) -> SceneObject:
        """An object by name."""
        for item in self.objects:
            if item.name == name:
                return item
        raise UnknownNameError("object", name, [o.name for o in self.objects])

    @staticmethod
    @checked
    def load(path: str | Path) -> Scene:
        """Read a JSON scene file (docs/scenes.md)."""
        from writhe.scene.reader import load_scene

        return load_scene(Path(path))

    @checked
    def save(self, path: str | Path) -> None:
        """Write a JSON scene file."""
        from writhe.scene.writer import save_scene

        save_scene(self, Path(path))
