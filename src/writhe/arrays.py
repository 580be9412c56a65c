"""Array types shared by all layers, and checks of array arguments."""

from __future__ import annotations

import math
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from writhe.errors import WritheError

Floats: TypeAlias = NDArray[np.float64]
Floats32: TypeAlias = NDArray[np.float32]
Bytes: TypeAlias = NDArray[np.uint8]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Vector3: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]  # w, x, y, z


def floats(values: ArrayLike, shape: tuple[int | None, ...], what: str) -> Floats:
    """`values` as a contiguous float64 array of the given shape (None: any length).

    Raises WritheError, naming `what`, if these are not numbers, the shape differs or a value is not
    finite.
    """
    array: NDArray[Any] = array_of_numbers(values, what)
    if array.ndim != len(shape) or any(
        expected is not None and actual != expected
        for actual, expected in zip(array.shape, shape, strict=True)
    ):
        expected_shape = " x ".join("any" if n is None else str(n) for n in shape)
        raise WritheError(f"{what} must be an array of shape {expected_shape}, not {array.shape}")
    if not np.isfinite(array).all():
        raise WritheError(f"{what} holds values that are not finite")
    return array


MAX_COORDINATE_M = (
    1e4  # largest coordinate: beyond it, rounding errors would matter in a certificate
)


def lengths(values: ArrayLike, shape: tuple[int | None, ...], what: str) -> Floats:
    """`floats` in metres, each at most MAX_COORDINATE_M in magnitude."""
    array = floats(values, shape, what)
    if array.size and float(np.abs(array).max()) > MAX_COORDINATE_M:
        raise WritheError(
            f"{what} is {float(np.abs(array).max()):g} m from the origin; at most"
            f" {MAX_COORDINATE_M:g} m are supported: check the unit, or move everything nearer"
        )
    return array


def ints(values: ArrayLike, shape: tuple[int | None, ...], what: str) -> Ints:
    """`values` as a contiguous int64 array of the given shape; raises WritheError like `floats`."""
    array = floats(values, shape, what)
    if (np.abs(array) > 2**52).any() or (array != np.round(array)).any():
        raise WritheError(f"{what} must be whole numbers")
    return array.astype(np.int64)


def array_of_numbers(values: ArrayLike, what: str) -> Floats:
    """`values` as a contiguous float64 array; raises WritheError if these are not numbers."""
    try:
        if np.iscomplexobj(values):
            raise TypeError
        # not ascontiguousarray, which would turn a single number into an array of one
        return np.require(values, np.float64, "C")
    except (TypeError, ValueError, OverflowError):
        raise WritheError(f"{what} must be an array of numbers") from None


def number(
    value: object,
    what: str,
    *,
    above: float | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
) -> float:
    """`value` as a finite float within the bounds given; raises WritheError, naming `what`."""
    bounds = [
        f"{word} {bound:g}"
        for word, bound in (("above", above), ("at least", minimum), ("at most", maximum))
        if bound is not None
    ]
    expected = "a finite number" + (" " + " and ".join(bounds) if bounds else "")
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise WritheError(f"{what} must be {expected}, not {value!r}") from None
    if (
        not math.isfinite(found)
        or (above is not None and found <= above)
        or (minimum is not None and found < minimum)
        or (maximum is not None and found > maximum)
    ):
        raise WritheError(f"{what} must be {expected}, not {found:g}")
    return found


def unit(v: Floats) -> Floats:
    """Vectors (..., 3) scaled to unit length; a vector of length zero stays zero."""
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)


def vector3(values: ArrayLike, what: str = "a point") -> Vector3:
    """Three finite plain floats; raises WritheError, naming `what`, if they are not."""
    array = array_of_numbers(values, what)
    if array.shape != (3,):
        raise WritheError(f"{what} must have three numbers, not an array of shape {array.shape}")
    x, y, z = floats(array, (3,), what).tolist()
    return x, y, z


def identical(a: Floats, b: Floats) -> bool:
    """Whether two contiguous arrays are bitwise equal; several times as fast as array_equal."""
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def as_plain_data(value: Any) -> Any:
    """For `json.dumps(default=...)`: NumPy numbers and arrays as plain numbers and lists."""
    if isinstance(value, (np.generic, np.ndarray)):
        return cast(NDArray[Any], value).tolist()
    raise TypeError(f"cannot write {type(value).__name__} as JSON")
