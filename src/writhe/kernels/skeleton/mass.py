"""Centre of mass and momentum of bodies attached to the joints of a tree."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.joint_points import point_in_world
from writhe.kernels.skeleton.kinematics import Tree


@kernel
def centre_of_mass(
    positions: Floats, rotations: Floats, mass: Floats, centre: Floats, out: Floats
) -> float:
    """out (3) = sum m_j x_j / sum m_j with x_j = p_j + R_j centre_j; returns the total mass."""
    total = 0.0
    out[:] = 0.0
    for j in range(mass.shape[0]):
        m = mass[j]
        total += m
        for r in range(3):
            out[r] += m * (
                positions[j, r]
                + rotations[j, r, 0] * centre[j, 0]
                + rotations[j, r, 1] * centre[j, 1]
                + rotations[j, r, 2] * centre[j, 2]
            )
    if total > 0.0:
        for r in range(3):
            out[r] /= total
    return total


@kernel
def centre_of_mass_jacobian(
    tree: Tree,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    mass: Floats,
    centre: Floats,
    subtree_mass: Floats,
    subtree_moment: Floats,
    out: Floats,
) -> None:
    """out (3, nv) = d centre of mass / dv.

    Each coordinate moves its whole subtree: column k is m_k/M (axis x (c_k - p_j)) with m_k and c_k
    the mass and centre of that subtree. subtree_mass (n) and subtree_moment (n, 3) are workspace.
    """
    n = mass.shape[0]
    for j in range(n):
        subtree_mass[j] = mass[j]
        for r in range(3):
            subtree_moment[j, r] = mass[j] * (
                positions[j, r]
                + rotations[j, r, 0] * centre[j, 0]
                + rotations[j, r, 1] * centre[j, 1]
                + rotations[j, r, 2] * centre[j, 2]
            )
    total = 0.0
    for j in range(n - 1, -1, -1):
        parent = tree.parent[j]
        if parent >= 0:
            subtree_mass[parent] += subtree_mass[j]
            for r in range(3):
                subtree_moment[parent, r] += subtree_moment[j, r]
        else:
            total += subtree_mass[j]
    if total <= 0.0:
        out[:] = 0.0
        return
    for k in range(tree.dof_joint.shape[0]):
        j = tree.dof_joint[k]
        x, y, z = axes[k, 0], axes[k, 1], axes[k, 2]
        if tree.dof_turns[k] == 1:
            dx = subtree_moment[j, 0] - subtree_mass[j] * positions[j, 0]
            dy = subtree_moment[j, 1] - subtree_mass[j] * positions[j, 1]
            dz = subtree_moment[j, 2] - subtree_mass[j] * positions[j, 2]
            out[0, k] = (y * dz - z * dy) / total
            out[1, k] = (z * dx - x * dz) / total
            out[2, k] = (x * dy - y * dx) / total
        else:
            share = subtree_mass[j] / total
            out[0, k], out[1, k], out[2, k] = x * share, y * share, z * share


@kernel
def momentum_between(
    positions_from: Floats,
    rotations_from: Floats,
    positions_to: Floats,
    rotations_to: Floats,
    mass: Floats,
    centre: Floats,
    inertia: Floats,
    seconds: float,
    linear: Floats,
    angular: Floats,
) -> None:
    """Linear (3) and angular (3) momentum of the motion between two frames `seconds` apart.

    Angular momentum is about the mean centre of mass: sum m d x v + R I R^T w, with inertia (n, 3)
    the principal moments along each joint's own axes and w from the rotation between the frames. SI
    units.
    """
    linear[:] = 0.0
    angular[:] = 0.0
    n = mass.shape[0]
    total, cx, cy, cz = 0.0, 0.0, 0.0, 0.0
    for j in range(n):
        total += mass[j]
    if total <= 0.0:
        return
    for sweep in range(2):  # first the centre of mass, then the momenta about it
        for j in range(n):
            m = mass[j]
            if m == 0.0:
                continue
            x, y, z = centre[j, 0], centre[j, 1], centre[j, 2]
            ax, ay, az = point_in_world(positions_from, rotations_from, j, x, y, z)
            bx, by, bz = point_in_world(positions_to, rotations_to, j, x, y, z)
            if sweep == 0:
                share = 0.5 * m / total
                cx += share * (ax + bx)
                cy += share * (ay + by)
                cz += share * (az + bz)
                continue
            vx, vy, vz = (bx - ax) / seconds, (by - ay) / seconds, (bz - az) / seconds
            dx, dy, dz = 0.5 * (ax + bx) - cx, 0.5 * (ay + by) - cy, 0.5 * (az + bz) - cz
            linear[0] += m * vx
            linear[1] += m * vy
            linear[2] += m * vz
            angular[0] += m * (dy * vz - dz * vy)
            angular[1] += m * (dz * vx - dx * vz)
            angular[2] += m * (dx * vy - dy * vx)
            # body angular velocity from the skew part of R_from^T R_to (small rotations)
            wx, wy, wz = 0.0, 0.0, 0.0
            for r in range(3):
                wx += rotations_from[j, r, 2] * rotations_to[j, r, 1] - (
                    rotations_from[j, r, 1] * rotations_to[j, r, 2]
                )
                wy += rotations_from[j, r, 0] * rotations_to[j, r, 2] - (
                    rotations_from[j, r, 2] * rotations_to[j, r, 0]
                )
                wz += rotations_from[j, r, 1] * rotations_to[j, r, 0] - (
                    rotations_from[j, r, 0] * rotations_to[j, r, 1]
                )
            hx = 0.5 * wx / seconds * inertia[j, 0]
            hy = 0.5 * wy / seconds * inertia[j, 1]
            hz = 0.5 * wz / seconds * inertia[j, 2]
            for r in range(3):
                angular[r] += (
                    rotations_from[j, r, 0] * hx
                    + rotations_from[j, r, 1] * hy
                    + rotations_from[j, r, 2] * hz
                )
