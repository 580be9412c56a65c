"""Half-spaces from near pairs: one separating plane per pair, fixed to the joint that it bounds.

A pair of shapes a, b with core witnesses x_a, x_b, normal n (from b to a) and radii r_a, r_b gives

    n . (x_a - x_b) - r_a - r_b >= lower bound,

with x_a fixed in the joint of a and the plane (n, x_b) in the joint of b: the plane of an object
moves with it. Kim et al., Interactive character posing with efficient collision handling
(half-space inverse kinematics), Eq. 3 and Algorithm 1. Metres.
"""

from __future__ import annotations

from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.near_pairs import NearPairRows
from writhe.kernels.jit import kernel
from writhe.kernels.terms.quantity_rows import PLANE, Program


class HalfSpaces(NamedTuple):
    """Storage for m accumulated half-spaces; the first `used[0]` rows are in use."""

    used: Ints  # (1,) how many rows are in use
    shapes: Ints  # (m, 2)
    joints: Ints  # (m, 2)
    point: Floats  # (m, 3) the witness on core a, in the joint of a
    normal: Floats  # (m, 3) in the joint of b
    offset: Floats  # (m,) normal . (a point of the plane), both radii included
    allowance: Floats  # (m,)
    lower_bound: Floats  # (m,) lower bound of the value at the end of this step
    age: Ints  # (m,) steps since the half-space was last refreshed


class PlaneSettings(NamedTuple):
    """How half-spaces are made of near pairs, and which count as the same."""

    margin_m: float  # clearance to keep
    recovery_m: float  # largest gain of clearance in a step that is demanded of a penetrating pair
    same_cosine: float  # smallest cosine of the normals, and largest distance of the witnesses,
    same_m: float  # of a half-space that is refreshed instead of adding another


@kernel
def _rotate_back(rotation: Floats, x: float, y: float, z: float, out: Floats) -> None:
    """out (3) = rotation^T (x, y, z)."""
    for r in range(3):
        out[r] = rotation[0, r] * x + rotation[1, r] * y + rotation[2, r] * z


@kernel
def plane_value(spaces: HalfSpaces, i: int, positions: Floats, rotations: Floats) -> float:
    """n . (x_a - x_b) - r_a - r_b of half-space i at the joint frames (n, 3), (n, 3, 3). Metres."""
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
    near: NearPairRows,
    found: int,
    radius: Floats,
    positions: Floats,
    rotations: Floats,
    approach: Floats,
    settings: PlaneSettings,
    spaces: HalfSpaces,
) -> int:
    """Add the first `found` near pairs; returns how many half-spaces are new.

    A half-space of the same pair with nearly the same normal and witness is refreshed, otherwise
    one is added. With clearance c = gap + allowance - margin, a pair may lose the fraction
    `approach` of c in a step (the smaller value of its two joints; approach (n)); a negative c must
    recover by up to `recovery_m`.
    """
    margin_m, same_m = settings.margin_m, settings.same_m
    added = 0
    for i in range(found):
        a, b = near.joints[i, 0], near.joints[i, 1]
        shape_a, shape_b = near.shapes[i, 0], near.shapes[i, 1]
        nx, ny, nz = near.normal[i, 0], near.normal[i, 1], near.normal[i, 2]
        count = spaces.used[0]
        if count == spaces.offset.shape[0]:
            return added
        # written into the first unused row, which is then kept or discarded
        ra = radius[shape_a]
        _rotate_back(
            rotations[a],
            near.surface_a[i, 0] + ra * nx - positions[a, 0],
            near.surface_a[i, 1] + ra * ny - positions[a, 1],
            near.surface_a[i, 2] + ra * nz - positions[a, 2],
            spaces.point[count],
        )
        _rotate_back(rotations[b], nx, ny, nz, spaces.normal[count])
        offset = ra
        for c in range(3):
            offset += near.normal[i, c] * (near.surface_b[i, c] - positions[b, c])
        row = count
        for k in range(count):
            if spaces.shapes[k, 0] != shape_a or spaces.shapes[k, 1] != shape_b:
                continue
            cosine, distance2 = 0.0, 0.0
            for c in range(3):
                cosine += spaces.normal[k, c] * spaces.normal[count, c]
                distance2 += (spaces.point[k, c] - spaces.point[count, c]) ** 2
            if cosine > settings.same_cosine and distance2 < same_m * same_m:
                row = k
                break
        if row == count:
            spaces.used[0] = count + 1
            added += 1
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
            kept = min(0.0, clearance + settings.recovery_m)
        spaces.lower_bound[row] = margin_m - near.allowance[i] + kept
    return added


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
    """Begin a new step: drop obsolete half-spaces and age the others.

    One is dropped when it was not refreshed for `lifetime` steps, when its clearance exceeds
    `release_m`, or when it is negative: the pair itself was certified, so the body has slid past
    the plane and the plane no longer separates it.
    """
    kept = 0
    for i in range(spaces.used[0]):
        spaces.age[i] += 1
        clearance = plane_value(spaces, i, positions, rotations) + spaces.allowance[i] - margin_m
        if spaces.age[i] > lifetime or clearance > release_m or clearance < 0.0:
            continue
        fraction = min(approach[spaces.joints[i, 0]], approach[spaces.joints[i, 1]])
        spaces.lower_bound[i] = margin_m - spaces.allowance[i] + (1.0 - fraction) * clearance
        if kept != i:
            for c in range(2):
                spaces.shapes[kept, c] = spaces.shapes[i, c]
                spaces.joints[kept, c] = spaces.joints[i, c]
            for c in range(3):
                spaces.point[kept, c] = spaces.point[i, c]
                spaces.normal[kept, c] = spaces.normal[i, c]
            spaces.offset[kept] = spaces.offset[i]
            spaces.allowance[kept] = spaces.allowance[i]
            spaces.lower_bound[kept] = spaces.lower_bound[i]
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
    """Write the half-spaces as quantities `first` .. of a program, one row each, with their bounds.

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
        lower[row] = spaces.lower_bound[i]
        upper[row] = spaces.lower_bound[i] if two_sided else 1e30
        weight[row] = weight_value
        row += 1
