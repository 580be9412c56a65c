"""Array types shared by all layers, and checks of array arguments."""

from __future__ import annotations

from typing import Any, TypeAlias

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

    Raises WritheError, naming `what`, when the shape differs or a value is not finite.
    """
    array: NDArray[Any] = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != len(shape) or any(
        expected is not None and actual != expected
        for actual, expected in zip(array.shape, shape, strict=True)
    ):
        expected_shape = " x ".join("any" if n is None else str(n) for n in shape)
        raise WritheError(f"{what} must be an array of shape {expected_shape}, not {array.shape}")
    if not np.isfinite(array).all():
        raise WritheError(f"{what} holds values that are not finite")
    return array


def vector3(values: ArrayLike, what: str = "a point") -> Vector3:
    """Three plain floats; raises WritheError, naming `what`, if there are more or fewer."""
    array: Floats = np.asarray(values, dtype=np.float64)
    if array.shape != (3,):
        raise WritheError(f"{what} must have three numbers, not an array of shape {array.shape}")
    x, y, z = array.tolist()
    return x, y, z


def identical(a: Floats, b: Floats) -> bool:
    """Whether two contiguous arrays are bitwise equal; several times as fast as array_equal."""
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def as_plain_data(value: Any) -> Any:
    """For `json.dumps(default=...)`: plain numbers and lists for those of NumPy."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        array: NDArray[Any] = value
        return array.tolist()
    raise TypeError(f"cannot write {type(value).__name__} as JSON")
