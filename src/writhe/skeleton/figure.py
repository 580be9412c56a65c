"""A figure: a skeleton with collision capsules and a skin, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import MAX_COORDINATE_M, Bools, Floats, Ints, lengths, number
from writhe.skeleton.fold_limits import FoldLimit
from writhe.skeleton.skeleton import Skeleton
from writhe.skeleton.source_file import SourceFile


@dataclass(frozen=True, slots=True)
class Capsule:
    """A segment fixed to a joint, inflated by a radius; equal ends make a ball.

    `part` is the body part of the capsule (by default the joint's name): capsules of one part are
    never tested against each other.
    """

    joint: str
    start_in_joint: Floats
    end_in_joint: Floats
    radius_m: float
    part: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        what = f"of a capsule on {self.joint!r}"
        for name in ("start_in_joint", "end_in_joint"):
            end = lengths(getattr(self, name), (3,), f"an end {what}")
            object.__setattr__(self, name, end)
        number(self.radius_m, f"the radius {what}", above=0.0, maximum=MAX_COORDINATE_M)

    @property
    def part_name(self) -> str:
        """The part, or the joint's name if none is given."""
        return self.part or self.joint


@dataclass(frozen=True, slots=True)
class Twist:
    """The fraction of a joint's twist that each vertex follows; see `kernels.skeleton.skinning`."""

    joint: Ints  # (v,) the joint, -1 for none
    share: Floats  # (v,) 0: none of its twist, 1: all of it
    axis: Floats  # (n, 3) the axis of each joint's twist, in its frame


def _no_twist() -> Twist | None:
    return None


@dataclass(frozen=True)
class Skin:
    """A closed triangle mesh in the rest pose with up to four joints per vertex (linear blending).

    The joints of a vertex are in order of decreasing weight: the first is its body part.
    """

    vertices: Floats  # (v, 3) rest pose, world
    triangles: Ints  # (t, 3) counter-clockwise from outside
    joints: Ints  # (v, 4)
    weights: Floats  # (v, 4), rows sum to one
    twist: Twist | None = field(default_factory=_no_twist)

    def deform(self, skeleton: Skeleton, positions: Floats, rotations: Floats) -> Floats:
        """Vertices for joints at these world frames, by linear blend skinning.

        positions (n, 3), rotations (n, 3, 3) of the posed skeleton give (v, 3); with a leading
        frame axis, (frames, v, 3).
        """
        from writhe.kernels.skeleton.skinning import SkinArrays, skin_frames
        from writhe.skeleton.kinematics import forward

        rest = forward(skeleton, skeleton.rest_configuration)
        single = positions.ndim == 2
        if single:
            positions, rotations = positions[None], rotations[None]
        count = len(self.vertices)
        twist = self.twist or Twist(
            np.full(count, -1, dtype=np.int64), np.zeros(count), np.zeros((len(skeleton), 3))
        )
        out = np.empty((len(positions), count, 3))
        skin = self.vertices, self.joints, self.weights, twist.joint, twist.share, twist.axis
        skin_frames(
            SkinArrays(*skin),
            skeleton.tree.parent,
            skeleton.tree.subtree_end,
            rest.positions,
            rest.rotations,
            np.ascontiguousarray(positions),
            np.ascontiguousarray(rotations),
            out,
        )
        return out[0] if single else out

    @property
    def vertex_joint(self) -> Ints:
        """(v,) the joint with the largest weight of each vertex: its body part."""
        return self.joints[np.arange(len(self.joints)), self.weights.argmax(axis=1)]

    @property
    def in_joint_zone(self) -> Bools:
        """(v,) whether a vertex follows more than one joint."""
        return self.weights.max(axis=1) < 1.0


class GeneratedSkin(Skin):
    """A skin that is generated on first access."""

    def __init__(self, make: Callable[[], Skin]) -> None:
        object.__setattr__(self, "_make", make)

    def __getattr__(self, name: str) -> Any:
        # fields are absent until generated
        if name not in Skin.__dataclass_fields__:
            raise AttributeError(name)
        made = self.__dict__["_make"]()
        for part in Skin.__dataclass_fields__:
            object.__setattr__(self, part, getattr(made, part))
        return getattr(made, name)


@dataclass(frozen=True)
class Figure:
    """A character: skeleton, collision capsules and optionally a skin.

    `strands` names the polylines of the figure (joint or tip names in order) whose pairwise
    linking describes a posture; `roles` maps anatomical roles ("left_wrist") to joint names.
    `source` is the file of a character that was read, which `save` writes with the motion in it.
    `folds` says how far joints bend before the skin of neighbouring parts penetrates.
    `corrected` says that roles or shapes were corrected by hand, so that they are stored in files.
    """

    name: str
    skeleton: Skeleton
    capsules: tuple[Capsule, ...] = ()
    skin: Skin | None = None
    strands: tuple[tuple[str, tuple[str, ...]], ...] = ()
    roles: tuple[tuple[str, str], ...] = ()
    source: SourceFile | None = None
    folds: tuple[FoldLimit, ...] = ()
    corrected: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        for item in (*self.capsules, *self.folds):
            self.skeleton.index(item.joint)

    def joint_of(self, role: str) -> str:
        """The name of the joint with an anatomical role."""
        from writhe.errors import UnknownNameError

        table = dict(self.roles)
        if role not in table:
            raise UnknownNameError("role", role, sorted(table))
        return table[role]
