"""The writhe matrix that two strands should have, for given topology coordinates.

`desired_matrix_as_published` follows section 3.1 and appendix 2 of Ho and Komura (2009): a column
of equal entries is rotated on a disc, translated and scaled. On a grid of a few cells that does
not come back to the coordinates asked for. `desired_matrix` does: a Gaussian ridge whose angle and
place are solved for.
"""

from __future__ import annotations

from functools import lru_cache
from math import pi

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.kernels.topology.topology_coordinates import ridge_matrix
from writhe.topology.coordinates import TopologyCoordinates, matrix_coordinates

EXACT = 1e-9
# lengths and widths of the ridge in cells' widths (the larger of both), tried in this order: sharp
# and long ones serve centres near a rim, where an even twist has no room
_LENGTHS = (0.55, 0.4, 1.0, 3.0)
_WIDTHS = (0.8, 0.5, 0.3, 1.2)


def desired_matrix(wanted: TopologyCoordinates, rows: int, columns: int) -> Floats:
    """(rows, columns) with the coordinates wanted, within 1e-9; all entries of one sign.

    Raises where no matrix of this size has them: a centre beyond the middle of the outermost cells,
    or a density that a centre near the rim leaves no room for.
    """
    cx, cy = wanted.centre
    found, error = _ridge(float(cx), float(cy), float(wanted.density) % pi, rows, columns)
    if error > EXACT:
        raise WritheError(
            f"no writhe matrix of {rows} x {columns} segments has the centre ({cx:.3g}, {cy:.3g})"
            f" and the density {wanted.density:.3g}: move the centre towards (0, 0), or subdivide"
            " the strands"
        )
    return wanted.writhe * found


def nearest_matrix(wanted: TopologyCoordinates, rows: int, columns: int) -> Floats:
    """Like `desired_matrix`, with the centre moved inwards until there is one."""
    cx, cy = wanted.centre
    for share in (1.0, 0.9, 0.8, 0.65, 0.5, 0.3, 0.0):
        centre = (share * cx, share * cy)
        found, error = _ridge(*centre, float(wanted.density) % pi, rows, columns)
        if error <= EXACT:
            return wanted.writhe * found
    return np.full((rows, columns), wanted.writhe / (rows * columns))


@lru_cache(maxsize=4096)
def _ridge(cx: float, cy: float, density: float, rows: int, columns: int) -> tuple[Floats, float]:
    """A ridge of writhe 1, and the error of its density."""
    out, cell = np.empty((rows, columns)), 2.0 / min(rows, columns)
    best, best_error = out.copy(), np.inf
    for width in _WIDTHS:
        for length in _LENGTHS:
            error = ridge_matrix(1.0, cx, cy, density, max(length, width * cell), width * cell, out)
            if error < best_error:
                best, best_error = out.copy(), error
            if error <= EXACT:
                return best, error
    return best, best_error


def desired_matrix_as_published(wanted: TopologyCoordinates, rows: int, columns: int) -> Floats:
    """(rows, columns) by rotation, translation and scaling, S(Tr(R(I, d), c), w).

    Values are spread onto the four cells around where they land; the square is mapped to the disc
    by max(|x|, |y|) / |(x, y)|.
    """
    x, y = _cells(rows), _cells(columns)
    start = np.zeros((rows, columns))
    middle = [columns // 2] if columns % 2 else [columns // 2 - 1, columns // 2]
    start[:, middle] = 1.0 / (rows * len(middle))
    turned = _rotated(start, wanted.density - 0.25 * pi)
    shift = np.zeros(2)
    matrix = turned
    for _ in range(50):
        matrix = _translated(turned, shift)
        total = np.abs(matrix).sum()
        if total < 1e-9:
            break
        matrix = matrix / total
        place = np.array([(matrix.sum(axis=1) @ x), (matrix.sum(axis=0) @ y)])
        error = np.array(wanted.centre) - place
        if np.abs(error).max() < 1e-4:
            break
        shift += error * np.array([rows, columns]) / 2.0
    return wanted.writhe * matrix


def round_trip_error(wanted: TopologyCoordinates, matrix: Floats) -> float:
    """The largest difference of a coordinate of `matrix` from the one wanted."""
    from writhe.topology.coordinates import density_difference

    found = matrix_coordinates(matrix)
    return max(
        abs(found.writhe - wanted.writhe),
        abs(found.centre[0] - wanted.centre[0]),
        abs(found.centre[1] - wanted.centre[1]),
        abs(density_difference(found.density, wanted.density)),
    )


def _cells(count: int) -> Floats:
    return (2.0 * np.arange(count) + 1.0 - count) / count


def _rotated(matrix: Floats, angle: float) -> Floats:
    rows, columns = matrix.shape
    x, y = np.meshgrid(_cells(rows), _cells(columns), indexing="ij")
    square = np.maximum(np.maximum(np.abs(x), np.abs(y)), 1e-300)
    disc = square / np.maximum(np.hypot(x, y), 1e-300)
    x, y = disc * x, disc * y
    # the axis turns from x towards y as the density falls
    c, s = np.cos(-angle), np.sin(-angle)
    x, y = c * x - s * y, s * x + c * y
    back = np.hypot(x, y) / np.maximum(np.maximum(np.abs(x), np.abs(y)), 1e-300)
    return _splat(matrix, back * x, back * y)


def _translated(matrix: Floats, cells: Floats) -> Floats:
    rows, columns = matrix.shape
    x, y = np.meshgrid(_cells(rows), _cells(columns), indexing="ij")
    return _splat(matrix, x + 2.0 * cells[0] / rows, y + 2.0 * cells[1] / columns)


def _splat(values: Floats, x: Floats, y: Floats) -> Floats:
    """Spread values at the places x, y onto the cells around them; what falls outside is lost."""
    rows, columns = values.shape
    i, j = (x * rows + rows - 1.0) / 2.0, (y * columns + columns - 1.0) / 2.0
    out = np.zeros_like(values)
    low_i, low_j = np.floor(i), np.floor(j)
    for di in (0, 1):
        for dj in (0, 1):
            weight = (1.0 - np.abs(i - low_i - di)) * (1.0 - np.abs(j - low_j - dj))
            at_i, at_j = (low_i + di).astype(int), (low_j + dj).astype(int)
            inside = (at_i >= 0) & (at_i < rows) & (at_j >= 0) & (at_j < columns)
            np.add.at(out, (at_i[inside], at_j[inside]), (weight * values)[inside])
    return out
