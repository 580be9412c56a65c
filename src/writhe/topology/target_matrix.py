"""The writhe matrix that two strands should have, for given topology coordinates.

`published_target_matrix` follows section 3.1 and appendix 2 of Ho and Komura (2009): starting from
a matrix that is zero except for its middle column, the entries are rotated about the centre (on the
disc to which the square is mapped), translated and scaled. If the matrix has few rows and columns,
the result does not have the requested coordinates. The result of `target_matrix` does: it solves
for the angle and position of a Gaussian ridge, that is, of entries concentrated along a line.
"""

from __future__ import annotations

from functools import lru_cache
from math import pi

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.kernels.topology.topology_coordinates import ridge_matrix
from writhe.topology.coordinates import TopologyCoordinates, matrix_coordinates

_TOLERANCE = 1e-9  # on the density error of a ridge, radians
# lengths of the ridge, and widths in cells, tried in this order: long and narrow ridges can have
# centres near the border of the matrix, wide ones cannot
_LENGTHS = (0.55, 0.4, 1.0, 3.0)
_WIDTHS = (0.8, 0.5, 0.3, 1.2)


def target_matrix(target: TopologyCoordinates, rows: int, columns: int) -> Floats:
    """A matrix (rows, columns) with the coordinates `target`, within 1e-9; all signs are equal.

    Raises if no matrix of this size is found: if the centre lies beyond the centres of the
    outermost entries, or too near the border for this density.
    """
    cx, cy = target.centre
    found, error = _ridge(float(cx), float(cy), float(target.density) % pi, rows, columns)
    if error > _TOLERANCE:
        raise WritheError(
            f"no writhe matrix of {rows} x {columns} segments has the centre ({cx:.3g}, {cy:.3g})"
            f" and the density {target.density:.3g}: move the centre towards (0, 0), or subdivide"
            " the strands"
        )
    return target.writhe * found


@lru_cache(maxsize=4096)
def _ridge(cx: float, cy: float, density: float, rows: int, columns: int) -> tuple[Floats, float]:
    """A matrix (rows, columns) of writhe 1 with this centre, and the error of its density.

    The error is infinite if no ridge has this centre.
    """
    out, cell = np.empty((rows, columns)), 2.0 / min(rows, columns)
    best, best_error = out.copy(), np.inf
    for width in _WIDTHS:
        for length in _LENGTHS:
            error = ridge_matrix(1.0, cx, cy, density, max(length, width * cell), width * cell, out)
            if error < best_error:
                best, best_error = out.copy(), error
            if error <= _TOLERANCE:
                return best, error
    return best, best_error


def published_target_matrix(target: TopologyCoordinates, rows: int, columns: int) -> Floats:
    """(rows, columns) by rotation, translation and scaling, S(Tr(R(I, d), c), w).

    Transformed values are distributed bilinearly to four cells; the square is mapped to the disc by
    max(|x|, |y|) / |(x, y)|.
    """
    x, y = _cells(rows), _cells(columns)
    start = np.zeros((rows, columns))
    middle = [columns // 2] if columns % 2 else [columns // 2 - 1, columns // 2]
    start[:, middle] = 1.0 / (rows * len(middle))
    rotated = _rotated(start, target.density - 0.25 * pi)
    shift = np.zeros(2)
    matrix = rotated
    for _ in range(50):
        matrix = _translated(rotated, shift)
        total = np.abs(matrix).sum()
        if total < 1e-9:
            break
        matrix = matrix / total
        centre = np.array([(matrix.sum(axis=1) @ x), (matrix.sum(axis=0) @ y)])
        error = np.array(target.centre) - centre
        if np.abs(error).max() < 1e-4:
            break
        shift += error * np.array([rows, columns]) / 2.0
    return target.writhe * matrix


def round_trip_error(target: TopologyCoordinates, matrix: Floats) -> float:
    """The largest difference of a coordinate of `matrix` from its target."""
    from writhe.topology.coordinates import density_difference

    found = matrix_coordinates(matrix)
    return max(
        abs(found.writhe - target.writhe),
        abs(found.centre[0] - target.centre[0]),
        abs(found.centre[1] - target.centre[1]),
        abs(density_difference(found.density, target.density)),
    )


def _cells(count: int) -> Floats:
    return (2.0 * np.arange(count) + 1.0 - count) / count


def _rotated(matrix: Floats, angle: float) -> Floats:
    rows, columns = matrix.shape
    x, y = np.meshgrid(_cells(rows), _cells(columns), indexing="ij")
    square = np.maximum(np.maximum(np.abs(x), np.abs(y)), 1e-300)
    disc = square / np.maximum(np.hypot(x, y), 1e-300)
    x, y = disc * x, disc * y
    # the axis rotates from x towards y as the density decreases
    c, s = np.cos(-angle), np.sin(-angle)
    x, y = c * x - s * y, s * x + c * y
    back = np.hypot(x, y) / np.maximum(np.maximum(np.abs(x), np.abs(y)), 1e-300)
    return _splat(matrix, back * x, back * y)


def _translated(matrix: Floats, cells: Floats) -> Floats:
    rows, columns = matrix.shape
    x, y = np.meshgrid(_cells(rows), _cells(columns), indexing="ij")
    return _splat(matrix, x + 2.0 * cells[0] / rows, y + 2.0 * cells[1] / columns)


def _splat(values: Floats, x: Floats, y: Floats) -> Floats:
    """Distribute values at positions x, y bilinearly to cells; values outside are dropped."""
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
