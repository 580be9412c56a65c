"""Chains: the joints between a root and its effectors.

The coordinates of a chain (see `kernels.trajectory.chain_kinematics`) are relative to the middle of
each joint's range. They depend on the figure alone, not on the training data, so octrees learnt
from different clips can be compared and blended.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from writhe.arrays import Floats, floats
from writhe.errors import UnknownNameError, WritheError
from writhe.kernels.trajectory.chain_kinematics import ChainTree
from writhe.kernels.trajectory.ik_passes import chain_points
from writhe.skeleton import Figure, JointKind, forward, quaternions
from writhe.skeleton.limits import random_configurations
from writhe.skeleton.quaternions import rotation_matrix

# name: root and effectors, by anatomical role
CHAINS: dict[str, tuple[str, tuple[str, ...]]] = {
    "right_arm": ("hips", ("right_wrist",)),
    "left_arm": ("hips", ("left_wrist",)),
    "right_leg": ("hips", ("right_ankle",)),
    "left_leg": ("hips", ("left_ankle",)),
    "body": ("hips", ("right_wrist", "left_wrist", "right_ankle", "left_ankle", "head")),
}
_SAMPLES = 2048  # random rotations within a joint's limits, to estimate their mean and extent


class Chain:
    """The joints of a figure that move some effectors relative to a root joint."""

    def __init__(self, figure: Figure, root: str, effectors: Sequence[str], name: str = "") -> None:
        self.figure = figure
        self.root = root
        self.effectors = tuple(effectors)
        self.name = name or "+".join(self.effectors)
        skeleton, tree = figure.skeleton, figure.skeleton.tree
        if not self.effectors:
            raise WritheError("a chain needs at least one effector")
        top = skeleton.index(root)
        paths: list[set[int]] = []
        for effector in self.effectors:
            up = skeleton.ancestors(effector)
            if top not in up or up[0] == top:
                raise WritheError(f"the effector {effector!r} is not below the root {root!r}")
            paths.append(set(up[1 : up.index(top)]))
        self.joints = tuple(skeleton.names[j] for j in sorted(set[int]().union(*paths)))
        kinds = [skeleton.joints[skeleton.index(j)].kind for j in self.joints]
        bad = [j for j, k in zip(self.joints, kinds, strict=True) if k not in _SIZES]
        if bad or not self.joints:
            raise WritheError(
                f"the chain to {self.name} must consist of hinges and balls: "
                + (", ".join(bad) or "it has no joints")
            )
        self.start = np.concatenate([[0], np.cumsum([_SIZES[k] for k in kinds])]).astype(np.int64)
        self._kinds = kinds
        self._index = [skeleton.index(j) for j in self.joints]
        self._parent = [
            self._index.index(int(tree.parent[j])) if int(tree.parent[j]) != top else -1
            for j in self._index
        ]
        self._paths = paths

    @staticmethod
    def named(figure: Figure, name: str) -> Chain:
        """A standard chain (`CHAINS`), resolved by the figure's anatomical roles."""
        if name not in CHAINS:
            raise UnknownNameError("chain", name, list(CHAINS))
        root, effectors = CHAINS[name]
        roles = dict(figure.roles)
        missing = [role for role in (root, *effectors) if role not in roles]
        if missing:
            raise WritheError(f"the figure {figure.name!r} has no {', '.join(missing)}")
        return Chain(figure, roles[root], [roles[e] for e in effectors], name)

    def __len__(self) -> int:
        """How many coordinates the chain has."""
        return int(self.start[-1])

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Joint and axis of each coordinate, such as "right_shoulder x"; hinges have no axis."""
        names: list[str] = []
        for joint, kind in zip(self.joints, self._kinds, strict=True):
            names += [joint] if kind is JointKind.HINGE else [f"{joint} {axis}" for axis in "xyz"]
        return tuple(names)

    @cached_property
    def reference(self) -> Floats:
        """(k, 4) mean rotation of each joint's range, as quaternions; the identity for hinges."""
        out = np.tile([1.0, 0.0, 0.0, 0.0], (len(self.joints), 1))
        for row, (name, kind) in enumerate(zip(self.joints, self._kinds, strict=True)):
            if kind is JointKind.BALL:
                turns = self._samples[:, self.figure.skeleton.q_slice(name)]
                # the mean of rotations: the largest eigenvector of sum q q^T
                mean = np.linalg.eigh(turns.T @ turns)[1][:, -1]
                out[row] = mean * (1.0 if mean[0] >= 0.0 else -1.0)
        return out

    @cached_property
    def tree(self) -> ChainTree:
        """The chain as kernel arrays."""
        tree = self.figure.skeleton.tree
        base = tree.rest[self._index].copy()
        for row, reference in enumerate(self.reference):
            base[row] = base[row] @ rotation_matrix(reference)
        ends = [self.figure.skeleton.index(e) for e in self.effectors]
        carries = np.array([[int(j in path) for j in self._index] for path in self._paths])
        return ChainTree(
            parent=np.array(self._parent, dtype=np.int64),
            kind=np.array([int(k) for k in self._kinds], dtype=np.int64),
            start=self.start,
            offset=np.ascontiguousarray(tree.offset[self._index]),
            base=np.ascontiguousarray(base),
            axis=np.ascontiguousarray(tree.axis[self._index]),
            effector_joint=np.array(
                [self._index.index(int(tree.parent[e])) for e in ends], dtype=np.int64
            ),
            effector_offset=np.ascontiguousarray(tree.offset[ends]),
            carries=carries.astype(np.int64),
        )

    @cached_property
    def widest(self) -> Floats:
        """(2, n) bounding box of the anatomical limits: the limits of the octree's cell 0."""
        coordinates = self.coordinates(self._samples)
        return np.stack([coordinates.min(axis=0), coordinates.max(axis=0)])

    @cached_property
    def _samples(self) -> Floats:
        rng = np.random.default_rng(7)
        return random_configurations(self.figure.skeleton, _SAMPLES, rng, root_turns=False)

    def coordinates(self, q: Floats) -> Floats:
        """(F, n) chain coordinates of configurations (F, nq) of the figure."""
        rows = np.atleast_2d(q)
        out = np.empty((len(rows), len(self)))
        for j, (name, kind) in enumerate(zip(self.joints, self._kinds, strict=True)):
            values = rows[:, self.figure.skeleton.q_slice(name)]
            if kind is JointKind.BALL:
                back = self.reference[j] * np.array([1.0, -1.0, -1.0, -1.0])
                turned = quaternions.multiply(np.broadcast_to(back, values.shape), values)
                values = _logarithm(turned)
            out[:, self.start[j] : self.start[j + 1]] = values
        return out

    def configurations(self, theta: Floats, rest_of_body: Floats) -> Floats:
        """(F, nq) with the chain at theta (F, n), other joints as in rest_of_body (nq or F, nq)."""
        skeleton = self.figure.skeleton
        out = np.array(
            np.broadcast_to(rest_of_body, (len(theta), skeleton.configuration_size)), copy=True
        )
        for j, (name, kind) in enumerate(zip(self.joints, self._kinds, strict=True)):
            values = theta[:, self.start[j] : self.start[j + 1]]
            if kind is JointKind.BALL:
                turn = np.broadcast_to(self.reference[j], (len(theta), 4))
                values = quaternions.multiply(turn, _exponential(values))
            out[:, skeleton.q_slice(name)] = values
        return out

    def effector_points(self, theta: Floats) -> Floats:
        """(F, E, 3) effector positions in the root frame at coordinates (F, n)."""
        return self._points(theta)[0]

    def jacobians(self, theta: Floats) -> Floats:
        """(F, 3 E, n) derivatives of the effectors by the coordinates."""
        return self._points(theta)[1]

    def _points(self, theta: Floats) -> tuple[Floats, Floats]:
        rows = floats(theta, (None, len(self)), "a chain's coordinates")
        points = np.empty((len(rows), len(self.effectors), 3))
        jacobians = np.empty((len(rows), 3 * len(self.effectors), len(self)))
        chain_points(self.tree, rows, points, jacobians)
        return points, jacobians

    def targets_in_root(self, points_in_world: Floats, q: Floats) -> Floats:
        """(F, E, 3) world points in the frame of the root joint at q (nq or F, nq)."""
        frames = forward(self.figure.skeleton, np.atleast_2d(q))
        shift = points_in_world - frames.position(self.root)[:, None, :]
        return np.ascontiguousarray(np.einsum("fba,feb->fea", frames.rotation(self.root), shift))


_SIZES = {JointKind.HINGE: 1, JointKind.BALL: 3}


def _logarithm(q: Floats) -> Floats:
    """The shortest rotation vectors (F, 3) of quaternions."""
    q = q * np.where(q[:, :1] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    scale = np.where(sine < 1e-9, 2.0, 2.0 * np.arctan2(sine, q[:, :1]) / np.maximum(sine, 1e-12))
    return scale * q[:, 1:]


def _exponential(v: Floats) -> Floats:
    angle = np.linalg.norm(v, axis=1, keepdims=True)
    scale = np.where(angle < 1e-9, 0.5, np.sin(0.5 * angle) / np.maximum(angle, 1e-12))
    return np.concatenate([np.cos(0.5 * angle), scale * v], axis=1)
