"""Charts: reduced coordinates y for a solver, with q = chart(y) and tangent step v = B dy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.kernels.skeleton import euler_chart
from writhe.kernels.skeleton.rotation import right_jacobian
from writhe.skeleton import JointKind, Skeleton
from writhe.skeleton.kinematics import integrate


class Chart(Protocol):
    """Local coordinates around a configuration."""

    @property
    def size(self) -> int:
        """How many coordinates y has."""
        ...

    def configuration(self, y: Floats) -> Floats:
        """q at y."""
        ...

    def basis(self, y: Floats) -> Floats:
        """B (nv, size): the tangent step of q per change of y, at y."""
        ...


def _right_jacobian_of_step(skeleton: Skeleton, step: Floats) -> Floats:
    """(nv, nv) the right Jacobian of the joints' rotations at a step, block-diagonal."""
    matrix = np.eye(skeleton.dof_count)
    block = np.empty((3, 3))
    for joint in skeleton.joints:
        if joint.kind in (JointKind.BALL, JointKind.FREE):
            stop = skeleton.v_slice(joint.name).stop
            x, y, z = step[stop - 3 : stop]
            right_jacobian(float(x), float(y), float(z), block)
            matrix[stop - 3 : stop, stop - 3 : stop] = block
    return matrix


@dataclass(frozen=True)
class TangentChart:
    """The tangent space at `base`: q = base (+) y."""

    skeleton: Skeleton
    base: Floats

    @property
    def size(self) -> int:
        return self.skeleton.dof_count

    def configuration(self, y: Floats) -> Floats:
        return integrate(self.skeleton, self.base, y)

    def basis(self, y: Floats) -> Floats:
        return _right_jacobian_of_step(self.skeleton, y)


@dataclass(frozen=True)
class EulerChart:
    """Euler angles for every ball and free joint, as in published posture vectors.

    `order` is the order of intrinsic rotations, "ZYX" meaning R = Rz Ry Rx. Hinges, slides and
    translations keep their one coordinate. The layout is that of tangent steps; the three angles of
    a joint follow `order`.
    """

    skeleton: Skeleton
    order: str = "ZYX"

    def __post_init__(self) -> None:
        if sorted(self.order) != ["X", "Y", "Z"]:
            raise WritheError(f"an Euler order must be a permutation of XYZ, not {self.order!r}")

    @property
    def size(self) -> int:
        return self.skeleton.dof_count

    @cached_property
    def _axes(self) -> Ints:
        return np.array(["XYZ".index(letter) for letter in self.order], dtype=np.int64)

    def coordinates(self, q: Floats) -> Floats:
        """y of a configuration (angles in radians)."""
        y = np.empty(self.size)
        euler_chart.configuration_to_euler(self.skeleton.tree, self._axes, q, y)
        return y

    def configuration(self, y: Floats) -> Floats:
        q = np.empty(self.skeleton.configuration_size)
        euler_chart.euler_to_configuration(self.skeleton.tree, self._axes, y, q)
        return q

    def basis(self, y: Floats) -> Floats:
        out = np.empty((self.size, self.size))
        euler_chart.euler_basis(self.skeleton.tree, self._axes, y, out)
        return out


@dataclass(frozen=True)
class AffineChart:
    """An affine subspace of another chart's coordinates: q = inner(mean + axes y)."""

    inner: Chart
    mean: Floats  # (inner.size,)
    axes: Floats  # (inner.size, k)

    def __post_init__(self) -> None:
        size = self.inner.size
        if self.mean.shape != (size,) or self.axes.ndim != 2 or self.axes.shape[0] != size:
            raise WritheError(
                f"this subspace needs a mean of size {size} and axes with {size} rows,"
                f" not shapes {self.mean.shape} and {self.axes.shape}"
            )

    @property
    def size(self) -> int:
        return self.axes.shape[1]

    def configuration(self, y: Floats) -> Floats:
        return self.inner.configuration(self.mean + self.axes @ y)

    def basis(self, y: Floats) -> Floats:
        return self.inner.basis(self.mean + self.axes @ y) @ self.axes
