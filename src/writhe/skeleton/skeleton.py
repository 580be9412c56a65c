"""A skeleton: joints in depth-first order, compiled to the arrays that the kernels read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from writhe.arguments import check, checked
from writhe.arrays import Floats, Ints
from writhe.errors import UnknownNameError, WritheError
from writhe.skeleton.joint import Joint, JointKind, Limits, Tip
from writhe.skeleton.quaternions import rotation_matrix

if TYPE_CHECKING:
    from writhe.kernels.skeleton.kinematics import Tree


class Columns(NamedTuple):
    """Entries of a configuration by their meaning."""

    metres: Ints  # (m,)
    angles: Ints  # (a,)
    quaternions: Ints  # (b, 4)


class Skeleton:
    """An immutable forest of joints with named tips.

    Joints may be given in any order; they are kept depth-first (children in the order given), so
    that the subtree of a joint is a contiguous range.
    """

    @checked
    def __init__(self, joints: Iterable[Joint], tips: Iterable[Tip] = ()) -> None:
        given, ends = list(joints), list(tips)
        check(given, list[Joint], "the joints of a skeleton")
        check(ends, list[Tip], "the tips of a skeleton")
        self.joints: tuple[Joint, ...] = _depth_first(given)
        self.tips: tuple[Tip, ...] = tuple(ends)
        self._index = {joint.name: i for i, joint in enumerate(self.joints)}
        for tip in self.tips:
            self.index(tip.joint)

    def __len__(self) -> int:
        return len(self.joints)

    def __repr__(self) -> str:
        return f"Skeleton({len(self)} joints, {self.dof_count} degrees of freedom)"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The joints' names, in the order of all arrays."""
        return tuple(joint.name for joint in self.joints)

    def index(self, name: str) -> int:
        """The index of the joint called `name`."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise UnknownNameError("joint", name, list(self.names)) from None

    def joint_name(self, number: int) -> str:
        """The name of the joint with a number, such as one sent by a client."""
        if not 0 <= number < len(self):
            raise WritheError(f"this figure has no joint number {number}")
        return self.names[number]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    @cached_property
    def parents(self) -> Ints:
        """(n,) the index of each joint's parent, -1 for roots."""
        found = (-1 if j.parent is None else self._index[j.parent] for j in self.joints)
        return np.fromiter(found, dtype=np.int64, count=len(self))

    @cached_property
    def q_start(self) -> Ints:
        """(n + 1,) the first entry of each joint in a configuration, and nq."""
        return np.cumsum([0, *(j.kind.configuration_size for j in self.joints)], dtype=np.int64)

    @cached_property
    def v_start(self) -> Ints:
        """(n + 1,) the first entry of each joint in a tangent step, and nv."""
        return np.cumsum([0, *(j.kind.tangent_size for j in self.joints)], dtype=np.int64)

    @cached_property
    def tree(self) -> Tree:
        """The arrays that the kernels read."""
        from writhe.kernels.skeleton.kinematics import Tree

        n = len(self.joints)
        kind = np.array([int(j.kind) for j in self.joints], dtype=np.int64)
        parent, q_start, v_start = self.parents, self.q_start, self.v_start
        subtree_end = np.arange(1, n + 1, dtype=np.int64)
        for j in range(n - 1, -1, -1):
            if parent[j] >= 0:
                subtree_end[parent[j]] = max(subtree_end[parent[j]], subtree_end[j])
        dof_joint = np.repeat(np.arange(n, dtype=np.int64), np.diff(v_start))
        dof_turns = np.ones(int(v_start[-1]), dtype=np.int64)
        for j, joint in enumerate(self.joints):
            if joint.kind is JointKind.PRISMATIC:
                dof_turns[v_start[j]] = 0
            elif joint.kind is JointKind.FREE:
                dof_turns[v_start[j] : v_start[j] + 3] = 0
        indices = parent, kind, q_start, v_start, subtree_end, dof_joint, dof_turns
        return Tree(
            *indices,
            offset=np.array([j.offset_in_parent for j in self.joints]).reshape(n, 3),
            rest=np.array([rotation_matrix(j.rest) for j in self.joints]).reshape(n, 3, 3),
            axis=np.array([j.axis for j in self.joints]).reshape(n, 3),
        )

    @cached_property
    def columns(self) -> Columns:
        """Which entries of a configuration are metres, angles and quaternions."""
        metres: list[int] = []
        angles: list[int] = []
        quaternions: list[int] = []
        for joint, start in zip(self.joints, self.q_start, strict=False):
            at = int(start)
            if joint.kind is JointKind.FREE:
                metres += [at, at + 1, at + 2]
                quaternions += [at + 3]
            elif joint.kind is JointKind.BALL:
                quaternions += [at]
            elif joint.kind is JointKind.HINGE:
                angles += [at]
            elif joint.kind is JointKind.PRISMATIC:
                metres += [at]
        first = np.array(quaternions, dtype=np.int64)[:, None] + np.arange(4)
        return Columns(np.array(metres, dtype=np.int64), np.array(angles, dtype=np.int64), first)

    @property
    def configuration_size(self) -> int:
        """nq: the size of a configuration."""
        return int(self.q_start[-1])

    @property
    def dof_count(self) -> int:
        """nv: the number of degrees of freedom."""
        return int(self.v_start[-1])

    @property
    def rest_configuration(self) -> Floats:
        """The configuration of the rest pose, every joint at zero; a new array on each access."""
        q = np.zeros(self.configuration_size)
        for j, joint in enumerate(self.joints):
            if joint.kind in (JointKind.BALL, JointKind.FREE):
                q[self.q_start[j + 1] - 4] = 1.0
        return q

    def q_slice(self, name: str) -> slice:
        """The slice of the joint in a configuration."""
        j = self.index(name)
        return slice(int(self.q_start[j]), int(self.q_start[j + 1]))

    def v_slice(self, name: str) -> slice:
        """The slice of the joint in a tangent step."""
        j = self.index(name)
        return slice(int(self.v_start[j]), int(self.v_start[j + 1]))

    def ancestors(self, name: str) -> tuple[int, ...]:
        """The joints from `name` up to its root, itself first."""
        chain = [self.index(name)]
        while (parent := int(self.parents[chain[-1]])) >= 0:
            chain.append(parent)
        return tuple(chain)

    def path(self, start: str, end: str) -> tuple[int, ...]:
        """The joints on the path between two joints of a tree, both included."""
        up, down = list(self.ancestors(start)), list(self.ancestors(end))
        common = next((j for j in up if j in down), None)
        if common is None:
            raise WritheError(f"{start!r} and {end!r} are not connected: they have two roots")
        return tuple(up[: up.index(common) + 1] + down[: down.index(common)][::-1])

    @cached_property
    def mass(self) -> Floats:
        """(n,) mass of the body of each joint, kg."""
        return np.array([j.mass_kg for j in self.joints])

    @cached_property
    def centre_of_mass(self) -> Floats:
        """(n, 3) centre of mass of the body of each joint, in its frame."""
        return np.array([j.centre_of_mass for j in self.joints]).reshape(-1, 3)

    @cached_property
    def inertia(self) -> Floats:
        """(n, 3) principal moments of inertia about that centre along the joint's axes, kg m^2."""
        return np.array([j.inertia for j in self.joints]).reshape(-1, 3)

    @cached_property
    def rest_positions(self) -> Floats:
        """(n, 3) joint centres of the rest pose, in the world."""
        positions, rotations = np.zeros((len(self), 3)), np.zeros((len(self), 3, 3))
        for j, (joint, parent) in enumerate(zip(self.joints, self.parents, strict=True)):
            offset, rest = joint.offset_in_parent, rotation_matrix(joint.rest)
            if parent < 0:
                positions[j], rotations[j] = offset, rest
            else:
                positions[j] = positions[parent] + rotations[parent] @ offset
                rotations[j] = rotations[parent] @ rest
        return positions

    def children(self, name: str) -> tuple[int, ...]:
        """The joints whose parent is `name`."""
        at = self.index(name)
        found: Ints = np.flatnonzero(self.parents == at)
        return tuple(int(j) for j in found)

    def with_limits(self, limits: Mapping[str, Limits | None]) -> Skeleton:
        """The same skeleton with other limits for the joints named."""
        from dataclasses import replace

        for name in limits:
            self.index(name)
        return Skeleton(
            (replace(j, limits=limits[j.name]) if j.name in limits else j for j in self.joints),
            self.tips,
        )


def _depth_first(joints: list[Joint]) -> tuple[Joint, ...]:
    if not joints:
        raise WritheError("a skeleton needs at least one joint")
    by_name = {joint.name: joint for joint in joints}
    if len(by_name) != len(joints):
        seen: set[str] = set()
        duplicates = sorted({j.name for j in joints if j.name in seen or seen.add(j.name)})
        raise WritheError(f"joint names must be unique; repeated: {', '.join(duplicates)}")
    children: dict[str | None, list[Joint]] = {}
    for joint in joints:
        if joint.parent is not None and joint.parent not in by_name:
            raise UnknownNameError("parent joint", joint.parent, list(by_name))
        children.setdefault(joint.parent, []).append(joint)
    ordered: list[Joint] = []
    stack = list(reversed(children.get(None, [])))
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack.extend(reversed(children.get(joint.name, [])))
    if len(ordered) != len(joints):
        lost = sorted(set(by_name) - {j.name for j in ordered})
        raise WritheError(f"these joints form a cycle without a root: {', '.join(lost)}")
    return tuple(ordered)
