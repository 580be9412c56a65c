"""The Gauss linking integral of two segments, and of all pairs of segments of two polylines.

For segments ab and cd, with r1 = c - a, r2 = d - a, r3 = d - b, r4 = c - b of lengths l1 .. l4:

    GLI = 1/(4 pi) int int (x - y) . (dx X dy) / |x - y|^3,   in (-1/2, 1/2)

which is the area of the spherical quadrilateral of the directions r1 r2 r3 r4, over 4 pi. Split
into two triangles (Van Oosterom and Strackee 1983, IEEE Trans. Biomed. Eng. 30):

    V  = (b - a) . (r1 X r2)
    D1 = l1 l2 l3 + (r1.r2) l3 + (r1.r3) l2 + (r2.r3) l1,  D2 likewise with r1, r3, r4
    2 pi GLI = sign(V) |atan2(|V| (D1 + D2), D1 D2 - V^2)|

Accurate to a few units in the last place, except that two segments that cross at their midpoints at
distance h much smaller than their length l lose accuracy as 2e-16 l / h (r1 and r3 are then
antiparallel and D1, D2 cancel); the sign stays right.

The *gradient* is the change of the area when a corner moves. The edge from r_k to r_k+1 has
the normal e_k = r_k X r_k+1 / (l_k l_k+1 + r_k . r_k+1), of length tan(half its angle), and

    4 pi dGLI/dr_k = (e_k-1 + e_k) / l_k.

In the sum over two polylines, the terms of an edge that two neighbouring quadrilaterals share
cancel, so the gradient of the sum needs only the edges at the rim (see `strands`).

Speed. r and l belong to a *pair of vertices*, and four pairs of segments share each. A **tile** is
a block of up to `TILE` vertex pairs as rows x, y, z, l at a fixed distance `ROW`; entry g is pair
(i, j) with g = i * columns + j, so r1, r2, r3, r4 of a segment pair are at g, g + 1,
g + columns + 1, g + columns and one flat loop computes them all in vector registers. Entries with j
in the last column belong to no pair: they are computed and never read. The fixed distance tells the
compiler that the rows do not overlap.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.jit import kernel

TILE = 256
TILE_COLUMNS = 32
ROW = TILE + TILE_COLUMNS + 32  # the last row of a tile reads one row and one entry further
# Loops run to a multiple of the widest vector, so that no scalar remainder is left.
LANES = 8
X, Y, Z, L, W = 0, ROW, 2 * ROW, 3 * ROW, 4 * ROW

# Segments whose end points are nearer than this, relative to the largest of l1 .. l4, share one.
COINCIDENT = 1e-9
# The least 1 + cos of an edge's angle, which caps |e| at 7e3. It takes effect when an end point is
# within about 1e-4 segment lengths of the interior of the other segment. The true gradient has no
# bound there.
EDGE_FLOOR = 4e-8

TAN_EIGHTH = 0.41421356237309503  # tan(pi / 8)
# (atan(t) - t) / t^3 as a polynomial in t^2 for |t| <= tan(pi / 8), highest power first:
# Chebyshev fit, error below 6e-18.
A10 = -0.01917688711906226
A9, A8 = 0.03923165829558719, -0.0508544973794026
A7, A6 = 0.0585814891280221, -0.06664511447381948
A5, A4 = 0.07692183190826087, -0.09090904578123903
A3, A2 = 0.11111111015256361, -0.14285714284666542
A1, A0 = 0.1999999999999552, -0.3333333333333333


class Scratch(NamedTuple):
    """Workspace of one tile; made by `make_scratch` and reused."""

    tile: Floats  # (5 ROW,) x, y, z, l and, for gradients, 1 / (4 pi l) of the vertex pairs
    values: Floats  # (ROW,)
    gradients: Floats  # (12 ROW,) d value / d a, b, c, d


@kernel
def make_scratch() -> Scratch:
    """Workspace of one thread, zeroed: entries past a tile are computed but never read."""
    return Scratch(np.zeros(5 * ROW), np.zeros(ROW), np.zeros(12 * ROW))


@kernel(vector=True, inline=True)
def upper_angle(y: float, x: float) -> float:
    """atan2(y, x) for y >= 0, in [0, pi], to 2 units in the last place; without a branch."""
    width = abs(x)
    steep = y > width
    high = y if steep else width
    low = width if steep else y
    diagonal = low > TAN_EIGHTH * high
    t = (low - high if diagonal else low) / (low + high if diagonal else high)
    z = t * t
    z2 = z * z
    z4 = z2 * z2
    top = (A10 * z2 + (A9 * z + A8)) * z4 * z4
    middle = ((A7 * z + A6) * z2 + (A5 * z + A4)) * z4
    bottom = (A3 * z + A2) * z2 + (A1 * z + A0)
    angle = t + t * z * (top + middle + bottom) + (0.25 * pi if diagonal else 0.0)
    angle = 0.5 * pi - angle if steep else angle
    return pi - angle if x < 0.0 else angle


@kernel(vector=True, inline=True)
def ends_coincide(l1: float, l2: float, l3: float, l4: float) -> bool:
    """Whether the segments share an end point: the least of the four lengths is negligible."""
    small_12, large_12 = (l1, l2) if l1 < l2 else (l2, l1)
    small_34, large_34 = (l3, l4) if l3 < l4 else (l4, l3)
    small = small_12 if small_12 < small_34 else small_34
    large = large_12 if large_12 > large_34 else large_34
    return small <= COINCIDENT * large


@kernel(vector=True)
def fill_tile(
    first: Floats, i0: int, rows: int, second: Floats, j0: int, columns: int, tile: Floats
) -> None:
    """Vertex pairs of first[i0 : i0 + rows] (., 3) and second[j0 : j0 + columns] (., 3)."""
    for i in range(rows):
        x, y, z = first[i0 + i, 0], first[i0 + i, 1], first[i0 + i, 2]
        row = tile[i * columns :]
        for j in range(columns):
            row[X + j] = second[j0 + j, 0] - x
            row[Y + j] = second[j0 + j, 1] - y
            row[Z + j] = second[j0 + j, 2] - z
    for g in range((rows * columns + LANES - 1) & -LANES):
        tile[L + g] = sqrt(
            tile[X + g] * tile[X + g] + tile[Y + g] * tile[Y + g] + tile[Z + g] * tile[Z + g]
        )


@kernel(vector=True)
def tile_linking(tile: Floats, count: int, columns: int, out: Floats) -> None:
    """out[g] = GLI of the segment pair at entry g, for g < count = segment rows * columns.

    0 where the segments share an end point, lie in one plane, or one has no length.
    """
    below = tile[columns:]
    for g in range((count + LANES - 1) & -LANES):
        x1, y1, z1, l1 = tile[X + g], tile[Y + g], tile[Z + g], tile[L + g]
        x2, y2, z2, l2 = tile[X + 1 + g], tile[Y + 1 + g], tile[Z + 1 + g], tile[L + 1 + g]
        x3, y3, z3, l3 = below[X + 1 + g], below[Y + 1 + g], below[Z + 1 + g], below[L + 1 + g]
        x4, y4, z4, l4 = below[X + g], below[Y + g], below[Z + g], below[L + g]
        volume = (
            (x1 - x4) * (y1 * z2 - z1 * y2)
            + (y1 - y4) * (z1 * x2 - x1 * z2)
            + (z1 - z4) * (x1 * y2 - y1 * x2)
        )
        dot12 = x1 * x2 + y1 * y2 + z1 * z2
        dot23 = x2 * x3 + y2 * y3 + z2 * z3
        dot34 = x3 * x4 + y3 * y4 + z3 * z4
        dot14 = x1 * x4 + y1 * y4 + z1 * z4
        dot13 = x1 * x3 + y1 * y3 + z1 * z3
        d1 = (l1 * l2 + dot12) * l3 + dot13 * l2 + dot23 * l1
        d2 = (l3 * l4 + dot34) * l1 + dot13 * l4 + dot14 * l3
        angle = upper_angle(abs(volume * (d1 + d2)), d1 * d2 - volume * volume) / (2.0 * pi)
        # The sign is the volume's: by rounding d1 + d2 may be negative close to contact.
        signed = -angle if volume < 0.0 else angle
        nothing = (volume == 0.0) | ends_coincide(l1, l2, l3, l4)
        out[g] = 0.0 if nothing else signed


@kernel(vector=True)
def tile_gradients(tile: Floats, count: int, columns: int, out: Floats) -> None:
    """out[ROW * k + g]: derivatives of entry g by a, b, c, d (k = 0-2, 3-5, 6-8, 9-11).

    0 where the segments share an end point; capped by `EDGE_FLOOR` close to contact.
    """
    below = tile[columns:]
    for g in range(count + columns + 1):
        tile[W + g] = 0.25 / pi / tile[L + g]
    for g in range((count + LANES - 1) & -LANES):
        x1, y1, z1, l1 = tile[X + g], tile[Y + g], tile[Z + g], tile[L + g]
        x2, y2, z2, l2 = tile[X + 1 + g], tile[Y + 1 + g], tile[Z + 1 + g], tile[L + 1 + g]
        x3, y3, z3, l3 = below[X + 1 + g], below[Y + 1 + g], below[Z + 1 + g], below[L + 1 + g]
        x4, y4, z4, l4 = below[X + g], below[Y + g], below[Z + g], below[L + g]
        ex, ey, ez = edge_normal(x1, y1, z1, l1, x2, y2, z2, l2)
        fx, fy, fz = edge_normal(x2, y2, z2, l2, x3, y3, z3, l3)
        gx, gy, gz = edge_normal(x3, y3, z3, l3, x4, y4, z4, l4)
        hx, hy, hz = edge_normal(x4, y4, z4, l4, x1, y1, z1, l1)
        nothing = ends_coincide(l1, l2, l3, l4)
        by1, by2 = 0.0 if nothing else tile[W + g], 0.0 if nothing else tile[W + 1 + g]
        by4, by3 = 0.0 if nothing else below[W + g], 0.0 if nothing else below[W + 1 + g]
        x1, y1, z1 = by1 * (hx + ex), by1 * (hy + ey), by1 * (hz + ez)
        x2, y2, z2 = by2 * (ex + fx), by2 * (ey + fy), by2 * (ez + fz)
        x3, y3, z3 = by3 * (fx + gx), by3 * (fy + gy), by3 * (fz + gz)
        x4, y4, z4 = by4 * (gx + hx), by4 * (gy + hy), by4 * (gz + hz)
        out[g], out[ROW + g], out[2 * ROW + g] = -x1 - x2, -y1 - y2, -z1 - z2
        out[3 * ROW + g], out[4 * ROW + g], out[5 * ROW + g] = -x3 - x4, -y3 - y4, -z3 - z4
        out[6 * ROW + g], out[7 * ROW + g], out[8 * ROW + g] = x1 + x4, y1 + y4, z1 + z4
        out[9 * ROW + g], out[10 * ROW + g], out[11 * ROW + g] = x2 + x3, y2 + y3, z2 + z3


@kernel(vector=True, inline=True)
def edge_normal(
    ux: float, uy: float, uz: float, ul: float, wx: float, wy: float, wz: float, wl: float
) -> tuple[float, float, float]:
    """e = u X w / (|u| |w| + u . w): normal to both, of length tan(half the angle between).

    Zero where u or w has no length; capped where they point against each other.
    """
    size = ul * wl
    cosine = size + ux * wx + uy * wy + uz * wz
    least = EDGE_FLOOR * size
    weight = 1.0 / (cosine if cosine > least else least)
    weight = 0.0 if size == 0.0 else weight
    return weight * (uy * wz - uz * wy), weight * (uz * wx - ux * wz), weight * (ux * wy - uy * wx)


@kernel(inline=True)
def even_part(whole: int, most: int) -> int:
    """`whole` divided by the least number of equal parts of at most `most`, rounded up."""
    parts = (whole + most - 1) // most
    return (whole + parts - 1) // parts


@kernel(inline=True)
def copy_rows(entries: Floats, rows: int, columns: int, out: Floats) -> None:
    """out[:rows, : columns - 1] = the entries of a tile that belong to segment pairs."""
    for i in range(rows):
        source, target = entries[i * columns :], out[i]
        for j in range(columns - 1):
            target[j] = source[j]


@kernel
def linking_matrix(first: Floats, second: Floats, scratch: Scratch, out: Floats) -> None:
    """out (m, n) = GLI of segment i of `first` (m + 1, 3) with segment j of `second` (n + 1, 3).

    This is the writhe matrix of Ho and Komura (2009), Character motion synthesis by topology
    coordinates, section 3.
    """
    m, n = out.shape
    width = even_part(n, TILE_COLUMNS - 1)
    height = even_part(m, TILE // (width + 1) - 1)
    for i0 in range(0, m, height):
        rows = min(height, m - i0)
        for j0 in range(0, n, width):
            columns = min(width, n - j0) + 1
            fill_tile(first, i0, rows + 1, second, j0, columns, scratch.tile)
            tile_linking(scratch.tile, rows * columns, columns, scratch.values)
            copy_rows(scratch.values, rows, columns, out[i0:, j0:])


@kernel
def linking_matrix_gradients(
    first: Floats, second: Floats, scratch: Scratch, out: Floats, gradients: Floats
) -> None:
    """`linking_matrix` and gradients (4, 3, m, n), its entries' derivatives by a, b, c and d."""
    m, n = out.shape
    width = even_part(n, TILE_COLUMNS - 1)
    height = even_part(m, TILE // (width + 1) - 1)
    for i0 in range(0, m, height):
        rows = min(height, m - i0)
        for j0 in range(0, n, width):
            columns = min(width, n - j0) + 1
            fill_tile(first, i0, rows + 1, second, j0, columns, scratch.tile)
            tile_linking(scratch.tile, rows * columns, columns, scratch.values)
            tile_gradients(scratch.tile, rows * columns, columns, scratch.gradients)
            copy_rows(scratch.values, rows, columns, out[i0:, j0:])
            for k in range(12):
                entries = scratch.gradients[k * ROW :]
                copy_rows(entries, rows, columns, gradients[k // 3, k % 3, i0:, j0:])


@kernel
def linking_sum(first: Floats, second: Floats, scratch: Scratch) -> float:
    """The linking of two polylines (m + 1, 3) and (n + 1, 3): the sum of their writhe matrix."""
    m, n = first.shape[0] - 1, second.shape[0] - 1
    width = even_part(n, TILE_COLUMNS - 1)
    height = even_part(m, TILE // (width + 1) - 1)
    total = 0.0
    for i0 in range(0, m, height):
        rows = min(height, m - i0)
        for j0 in range(0, n, width):
            columns = min(width, n - j0) + 1
            fill_tile(first, i0, rows + 1, second, j0, columns, scratch.tile)
            tile_linking(scratch.tile, rows * columns, columns, scratch.values)
            for i in range(rows):
                for j in range(columns - 1):
                    total += scratch.values[i * columns + j]
    return total
