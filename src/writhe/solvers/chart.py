"""Charts: the coordinates y in which a solver works; q = chart(y), dq = B dy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.kernels.rotation import right_jacobian
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
    """(nv, nv) block-diagonal d(tangent at q (+) step)/d(step)."""
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
class LatentChart:
    """A flat subspace of the tangent space at `base`: q = base (+) (mean + axes y)."""

    skeleton: Skeleton
    base: Floats
    mean: Floats  # (nv,)
    axes: Floats  # (nv, k)

    def __post_init__(self) -> None:
        nv = self.skeleton.dof_count
        if self.mean.shape != (nv,) or self.axes.ndim != 2 or self.axes.shape[0] != nv:
            raise WritheError(f"a latent chart here needs a mean of {nv} and axes of {nv} rows")

    @property
    def size(self) -> int:
        return self.axes.shape[1]

    def configuration(self, y: Floats) -> Floats:
        return integrate(self.skeleton, self.base, self.mean + self.axes @ y)

    def basis(self, y: Floats) -> Floats:
        return _right_jacobian_of_step(self.skeleton, self.mean + self.axes @ y) @ self.axes


@dataclass(frozen=True)
class EulerChart:
    """Euler angles for every ball and free joint, as papers define their postures.

    `order` is the order of intrinsic turns, "ZYX" meaning R = Rz Ry Rx. Hinges, slides and
    translations keep their one coordinate. Coordinates stand as in the tangent layout; the three
    angles of a joint follow `order`.
    """

    skeleton: Skeleton
    order: str = "ZYX"

    def __post_init__(self) -> None:
        if sorted(self.order) != ["X", "Y", "Z"]:
            raise WritheError(f"an Euler order is a permutation of XYZ, not {self.order!r}")

    @property
    def size(self) -> int:
        return self.skeleton.dof_count

    def coordinates(self, q: Floats) -> Floats:
        """y of a configuration (angles in radians)."""
        from scipy.spatial.transform import Rotation

        y = np.empty(self.size)
        for joint in self.skeleton.joints:
            numbers, at = q[self.skeleton.q_slice(joint.name)], self.skeleton.v_slice(joint.name)
            if joint.kind in (JointKind.BALL, JointKind.FREE):
                y[at.start : at.stop - 3] = numbers[:-4]
                rotation = Rotation.from_quat(np.roll(numbers[-4:], -1))
                y[at.stop - 3 : at.stop] = rotation.as_euler(self.order)
            else:
                y[at] = numbers
        return y

    def configuration(self, y: Floats) -> Floats:
        from scipy.spatial.transform import Rotation

        q = np.empty(self.skeleton.configuration_size)
        for joint in self.skeleton.joints:
            to, at = self.skeleton.q_slice(joint.name), self.skeleton.v_slice(joint.name)
            if joint.kind in (JointKind.BALL, JointKind.FREE):
                q[to.start : to.stop - 4] = y[at.start : at.stop - 3]
                rotation = Rotation.from_euler(self.order, y[at.stop - 3 : at.stop])
                q[to.stop - 4 : to.stop] = np.roll(rotation.as_quat(), 1)
            else:
                q[to] = y[at]
        return q

    def basis(self, y: Floats) -> Floats:
        """Body rates per angle rate: column i is the axis of turn i seen after the later turns."""
        from scipy.spatial.transform import Rotation

        matrix = np.eye(self.size)
        for joint in self.skeleton.joints:
            if joint.kind not in (JointKind.BALL, JointKind.FREE):
                continue
            stop = self.skeleton.v_slice(joint.name).stop
            angles = y[stop - 3 : stop]
            for i in range(3):
                axis = np.zeros(3)
                axis["XYZ".index(self.order[i])] = 1.0
                if i < 2:
                    later = Rotation.from_euler(self.order[i + 1 :], angles[i + 1 :])
                    axis = later.inv().apply(axis)
                matrix[stop - 3 : stop, stop - 3 + i] = axis
        return matrix
