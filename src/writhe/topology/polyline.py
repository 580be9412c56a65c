"""Linking of two polylines given as points: values and derivatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.kernels.topology import gauss_linking as kernels
from writhe.kernels.topology.strands import add_linking_gradient


def segment_linking(a: ArrayLike, b: ArrayLike, c: ArrayLike, d: ArrayLike) -> float:
    """The Gauss linking integral of the segments ab and cd, in (-1/2, 1/2).

    Zero if they lie in one plane or share an end point, or if one has no length.
    """
    return linking(np.array([a, b], dtype=np.float64), np.array([c, d], dtype=np.float64))


def linking(first: ArrayLike, second: ArrayLike) -> float:
    """The linking of two polylines (m + 1, 3) and (n + 1, 3); 1 is one full link."""
    one, two = _polyline(first), _polyline(second)
    return float(kernels.linking_sum(one, two, kernels.make_scratch()))


def linking_gradient(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """d linking / d vertex, (m + 1, 3) and (n + 1, 3); bounded where the polylines touch."""
    one, two = _polyline(first), _polyline(second)
    gradients = np.zeros_like(one), np.zeros_like(two)
    add_linking_gradient(one, two, *gradients)
    return gradients


def writhe_matrix(first: ArrayLike, second: ArrayLike) -> Floats:
    """(m, n): the linking of each segment of `first` with each segment of `second`."""
    one, two = _polyline(first), _polyline(second)
    out = np.empty((len(one) - 1, len(two) - 1))
    kernels.linking_matrix(one, two, kernels.make_scratch(), out)
    return out


def writhe_matrix_gradients(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """The writhe matrix (m, n) and the derivatives (4, 3, m, n) of its entries.

    gradients[0] and gradients[1] are the derivatives with respect to the start and end of the
    segment of `first`, gradients[2] and gradients[3] those of `second`.
    """
    one, two = _polyline(first), _polyline(second)
    out = np.empty((len(one) - 1, len(two) - 1))
    gradients = np.empty((4, 3, *out.shape))
    kernels.linking_matrix_gradients(one, two, kernels.make_scratch(), out, gradients)
    return out, gradients


def _polyline(points: ArrayLike) -> Floats:
    # a copy: Numba would compile a second version of the kernels for read-only arrays
    array = floats(points, (None, 3), "a polyline").copy()
    if len(array) < 2:
        raise WritheError(f"a polyline needs two points or more, not {len(array)}")
    return array
