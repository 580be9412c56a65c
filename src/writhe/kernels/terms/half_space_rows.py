"""Half-spaces gathered from near pairs: one plane for each, kept in the frame of what it bounds.

A pair of shapes a, b with core witnesses x_a, x_b, normal n (from b to a) and radii r_a, r_b gives

    n . (x_a - x_b) - r_a - r_b >= wanted,

with x_a fixed in the joint of a and the plane (n, x_b) in the joint of b: a plane that belongs to
an object moves along with it. Kim et al., Interactive character posing with efficient collision
handling (half-space inverse kinematics), Eq. 3 and Algorithm 1.
"""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.near_pairs import Near
from writhe.kernels.jit import kernel
from writhe.kernels.terms.quantity_rows import PLANE, Program


class HalfSpaces(NamedTuple):
    """Room for m accumulated half-spaces; the first `used[0]` rows hold one."""

    used: Ints  # (1,) how many rows are in use
    shapes: Ints  # (m, 2)
    joints: Ints  # (m, 2)
    point: Floats  # (m, 3) the witness on core a, in the joint of a
    normal: Floats  # (m, 3) in the joint of b
    offset: Floats  # (m,) normal . (a point of the plane), both radii included
    allowance: Floats  # (m,)
    least: Floats  # (m,) the value wanted at the end of this step
    age: Ints  # (m,) steps since the pair was last found near in this way


@kernel
def _into(rotation: Floats, x: float, y: float, z: float, out: Floats) -> None:
    """out = rotation^T (x, y, z)."""
    for r in range(3):
        out[r] = rotation[0, r] * x + rotation[1, r] * y + rotation[2, r] * z


@kernel
def plane_value(spaces: HalfSpaces, i: int, positions: Floats, rotations: Floats) -> float:
    """The value of half-space i at the joint frames (n, 3), (n, 3, 3)."""
    a, b = spaces.joints[i, 0], spaces.joints[i, 1]
    value = -spaces.offset[i]
    for r in range(3):
        difference = positions[a, r] - positions[b, r]
        normal = 0.0
        for c in range(3):
            difference += rotations[a, r, c] * spaces.point[i, c]
            normal += rotations[b, r, c] * spaces.normal[i, c]
        value += normal * difference
    return value


@kernel
def accumulate(
    near: Near,
    found: int,
    radius: Floats,
    positions: Floats,
    rotations: Floats,
    margin_m: float,
    approach: Floats,
    recovery_m: float,
    same_cosine: float,
    same_m: float,
    spaces: HalfSpaces,
) -> int:
    """Add the first `found` near pairs; returns how many were new.

    A pair already there with nearly the same normal and witness is refreshed, any other one is
    added beside what its pair has. With c = gap + allowance - margin, a pair may lose a share of c
    in a step, the smaller `approach` (n) of its two joints; one that lacks clearance wins back
    `recovery_m` at most.
    """
    fresh = 0
    for i in range(found):
        a, b = near.joints[i, 0], near.joints[i, 1]
        shape_a, shape_b = near.shapes[i, 0], near.shapes[i, 1]
        nx, ny, nz = near.normal[i, 0], near.normal[i, 1], near.normal[i, 2]
        count = spaces.used[0]
        if count == spaces.offset.shape[0]:
            return fresh
        # written into the first unused row, which is then kept or given up
        ra = radius[shape_a]
        _into(
            rotations[a],
            near.surface_a[i, 0] + ra * nx - positions[a, 0],
            near.surface_a[i, 1] + ra * ny - positions[a, 1],
            near.surface_a[i, 2] + ra * nz - positions[a, 2],
            spaces.point[count],
        )
        _into(rotations[b], nx, ny, nz, spaces.normal[count])
        offset = ra
        for c in range(3):
            offset += near.normal[i, c] * (near.surface_b[i, c] - positions[b, c])
        row = count
        for k in range(count):
            if spaces.shapes[k, 0] != shape_a or spaces.shapes[k, 1] != shape_b:
                continue
            cosine, apart = 0.0, 0.0
            for c in range(3):
                cosine += spaces.normal[k, c] * spaces.normal[count, c]
                apart += (spaces.point[k, c] - spaces.point[count, c]) ** 2
            if cosine > same_cosine and apart < same_m * same_m:
                row = k
                break
        if row == count:
            spaces.used[0] = count + 1
            fresh += 1
        else:
            for c in range(3):
                spaces.point[row, c] = spaces.point[count, c]
                spaces.normal[row, c] = spaces.normal[count, c]
        spaces.shapes[row, 0], spaces.shapes[row, 1] = shape_a, shape_b
        spaces.joints[row, 0], spaces.joints[row, 1] = a, b
        spaces.offset[row] = offset
        spaces.allowance[row] = near.allowance[i]
        spaces.age[row] = 0
        clearance = near.gap[i] + near.allowance[i] - margin_m
        kept = (1.0 - min(approach[a], approach[b])) * clearance
        if clearance < 0.0:
            kept = min(0.0, clearance + recovery_m)
        spaces.least[row] = margin_m - near.allowance[i] + kept
    return fresh


@kernel
def release(
    spaces: HalfSpaces,
    positions: Floats,
    rotations: Floats,
    margin_m: float,
    approach: Floats,
    release_m: float,
    lifetime: int,
) -> None:
    """A new step begins: drop the half-spaces that have served, age the others.

    One is dropped when it was not found again for `lifetime` steps, when its clearance exceeds
    `release_m`, or when the body has slid past it: a plane that is violated although its pair was
    let through no longer bounds anything.
    """
    kept = 0
    for i in range(spaces.used[0]):
        spaces.age[i] += 1
        clearance = plane_value(spaces, i, positions, rotations) + spaces.allowance[i] - margin_m
        if spaces.age[i] > lifetime or clearance > release_m or clearance < 0.0:
            continue
        share = min(approach[spaces.joints[i, 0]], approach[spaces.joints[i, 1]])
        spaces.least[i] = margin_m - spaces.allowance[i] + (1.0 - share) * clearance
        if kept != i:
            for c in range(2):
                spaces.shapes[kept, c] = spaces.shapes[i, c]
                spaces.joints[kept, c] = spaces.joints[i, c]
            for c in range(3):
                spaces.point[kept, c] = spaces.point[i, c]
                spaces.normal[kept, c] = spaces.normal[i, c]
            spaces.offset[kept] = spaces.offset[i]
            spaces.allowance[kept] = spaces.allowance[i]
            spaces.least[kept] = spaces.least[i]
            spaces.age[kept] = spaces.age[i]
        kept += 1
    spaces.used[0] = kept


@kernel
def write_rows(
    spaces: HalfSpaces,
    program: Program,
    first: int,
    lower: Floats,
    upper: Floats,
    weight: Floats,
    two_sided: bool,
    weight_value: float,
) -> None:
    """The half-spaces as quantities `first` .. of a program, one row each.

    `two_sided` is the equality as printed (Eq. 3), which also pulls back onto the plane.
    """
    row = program.row_start[first]
    for i in range(spaces.used[0]):
        k = first + i
        program.operation[k] = PLANE
        program.joint_a[k], program.joint_b[k] = spaces.joints[i, 0], spaces.joints[i, 1]
        for c in range(3):
            program.data[k, c] = spaces.point[i, c]
            program.data[k, 3 + c] = spaces.normal[i, c]
        program.data[k, 6] = spaces.offset[i]
        program.row_start[k + 1] = row + 1
        lower[row] = spaces.least[i]
        upper[row] = spaces.least[i] if two_sided else 1e30
        weight[row] = weight_value
        row += 1
