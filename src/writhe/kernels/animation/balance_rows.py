"""Rows that keep the centre of mass over the support of a frame."""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.qp.dual_active_set import FREE, ConstraintRows
from writhe.kernels.skeleton.kinematics import Tree
from writhe.kernels.skeleton.mass import centre_of_mass, centre_of_mass_jacobian

REACH_M = 0.1  # bounds farther away than this get no row
MAX_BALANCE_STEP_M = 0.05  # by which a bound is approached in an iteration


class BodyMass(NamedTuple):
    """Masses of the joints, and the directions in which the centre of mass is bounded."""

    mass: Floats  # (n,) kg
    centre: Floats  # (n, 3) in the joint's frame
    directions: Floats  # (D, 2) unit (x, z)
    compliance: float


class MassWorkspace(NamedTuple):
    """Arrays of the rows."""

    centre: Floats  # (3,)
    jacobian: Floats  # (3, nv)
    subtree_mass: Floats  # (n,)
    subtree_moment: Floats  # (n, 3)


@kernel
def balance_rows(
    tree: Tree,
    body: BodyMass,
    support: Floats,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    work: MassWorkspace,
    count: int,
    rows: ConstraintRows,
) -> int:
    """Append d . (c + J_c v) <= support[d] for the bounds within reach; returns the row count.

    c is the centre of mass over the ground; support (D,) m, infinite where nothing bounds it.
    """
    found = False
    for d in range(support.shape[0]):
        if support[d] >= 1e8 or count == rows.low.shape[0]:
            continue
        if not found:
            found = True
            centre_of_mass(positions, rotations, body.mass, body.centre, work.centre)
            centre_of_mass_jacobian(
                tree,
                positions,
                rotations,
                axes,
                body.mass,
                body.centre,
                work.subtree_mass,
                work.subtree_moment,
                work.jacobian,
            )
        x, z = body.directions[d, 0], body.directions[d, 1]
        room = support[d] - (x * work.centre[0] + z * work.centre[2])
        if room > REACH_M:
            continue
        for k in range(work.jacobian.shape[1]):
            rows.matrix[count, k] = x * work.jacobian[0, k] + z * work.jacobian[2, k]
        rows.low[count], rows.high[count] = -1e9, max(room, -MAX_BALANCE_STEP_M)
        rows.compliance[count] = body.compliance
        rows.state[count] = FREE
        count += 1
    return count
