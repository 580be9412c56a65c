"""A bundle: strands compiled to arrays, with the pairs of strands to measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, floats
from writhe.errors import UnknownNameError, WritheError
from writhe.kernels.skeleton.kinematics import Tree, forward, motion_axes
from writhe.kernels.topology import strands as kernels
from writhe.kernels.topology.gauss_linking import make_scratch
from writhe.kernels.topology.strands import Strands
from writhe.topology.polyline import writhe_matrix
from writhe.topology.strand import Strand


@dataclass(frozen=True)
class Bundle:
    """Strands on a forest of joints; built by `Bundle.compile`.

    The linking of a pair is the sum of the Gauss linking integrals over all pairs of segments:
    1 is one full link. All results follow the order of `pair_names`.
    """

    tree: Tree
    strands: Strands
    names: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = field(default=())

    @classmethod
    def compile(
        cls,
        tree: Tree,
        index: Callable[[str], int],
        strands: Sequence[Strand],
        pairs: Sequence[tuple[str, str]] | None = None,
    ) -> Bundle:
        """Compile strands to arrays.

        `index` gives the index of a joint in `tree` (for one skeleton: `skeleton.index`). `pairs`
        names the strands to measure, by default all pairs (0, 1), (0, 2) ... (1, 2) ...
        """
        names = tuple(strand.name for strand in strands)
        if len(set(names)) != len(names):
            raise WritheError(f"strands need different names, not {', '.join(names)}")
        joints: list[int] = []
        offsets: list[Floats] = []
        start = [0]
        for strand in strands:
            indices = [-1 if joint is None else index(joint) for joint in strand.joints]
            repeated = 1 if strand.closed else 0
            joints += indices + indices[:repeated]
            offsets += [strand.offsets_in_joint, strand.offsets_in_joint[:repeated]]
            start.append(len(joints))
        chosen = tuple(combinations(names, 2)) if pairs is None else tuple(pairs)
        for name in (name for pair in chosen for name in pair):
            if name not in names:
                raise UnknownNameError("strand", name, list(names))
        arrays = Strands(
            vertex_joint=np.array(joints, dtype=np.int64),
            vertex_in_joint=np.concatenate([np.zeros((0, 3)), *offsets]),
            start=np.array(start, dtype=np.int64),
            pair=np.array(
                [(names.index(a), names.index(b)) for a, b in chosen], dtype=np.int64
            ).reshape(-1, 2),
        )
        return cls(tree, arrays, names, chosen)

    @property
    def pair_names(self) -> tuple[str, ...]:
        """The name of each pair, such as "left_arm:right_arm"."""
        return tuple(f"{a}:{b}" for a, b in self.pairs)

    def vertices(self, q: ArrayLike) -> dict[str, Floats]:
        """World vertices of each strand at configuration q; closed strands repeat their start."""
        points, _, _ = self._posed(q)
        start = self.strands.start
        return {name: points[start[s] : start[s + 1]].copy() for s, name in enumerate(self.names)}

    def linking(self, q: ArrayLike) -> Floats:
        """The linking vector (pairs) at q (nq), or (frames, pairs) at q (frames, nq)."""
        if np.ndim(q) == 2:
            configurations = self._configurations(q)
            out = np.empty((len(configurations), len(self.pairs)))
            kernels.linking_batch(self.tree, self.strands, configurations, out)
            return out
        points, _, _ = self._posed(q)
        out = np.empty(len(self.pairs))
        kernels.strand_linking(self.strands, points, make_scratch(), out)
        return out

    def linking_with_jacobian(self, q: ArrayLike) -> tuple[Floats, Floats]:
        """The linking vector (pairs) and its Jacobian (pairs, nv) with respect to the tangent step.

        Both have a leading axis of frames if q has one.
        """
        if np.ndim(q) == 2:
            configurations = self._configurations(q)
            values = np.empty((len(configurations), len(self.pairs)))
            jacobian = np.empty((*values.shape, len(self.tree.dof_joint)))
            kernels.linking_with_jacobian_batch(
                self.tree, self.strands, configurations, values, jacobian
            )
            return values, jacobian
        n, nv = len(self.tree.parent), len(self.tree.dof_joint)
        _, positions, rotations = self._posed(q)
        axes = np.empty((nv, 3))
        motion_axes(self.tree, positions, rotations, axes)
        work = kernels.make_workspace(self.strands, n)
        values, jacobian = np.empty(len(self.pairs)), np.empty((len(self.pairs), nv))
        kernels.linking_with_jacobian(
            self.tree, self.strands, positions, rotations, axes, work, values, jacobian
        )
        return values, jacobian

    def writhe_matrix(self, q: ArrayLike, first: str, second: str) -> Floats:
        """(m, n): the linking of each segment of `first` with each segment of `second`."""
        points = self.vertices(q)
        for name in (first, second):
            if name not in points:
                raise UnknownNameError("strand", name, list(self.names))
        return writhe_matrix(points[first], points[second])

    def _posed(self, q: ArrayLike) -> tuple[Floats, Floats, Floats]:
        n = len(self.tree.parent)
        positions, rotations = np.empty((n, 3)), np.empty((n, 3, 3))
        forward(self.tree, self._configurations(np.asarray(q)[None])[0], positions, rotations)
        points = np.empty((len(self.strands.vertex_joint), 3))
        kernels.strand_vertices(self.strands, positions, rotations, points)
        return points, positions, rotations

    def _configurations(self, q: ArrayLike) -> Floats:
        array = floats(q, (None, int(self.tree.q_start[-1])), "configurations")
        # Numba would compile a second version of the kernels for read-only arrays
        return array if array.flags.writeable else array.copy()
