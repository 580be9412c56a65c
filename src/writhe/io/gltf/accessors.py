"""The typed arrays of a glTF file: dense, strided, sparse or compressed; ranges are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from writhe.io.file_size_limits import MAX_NUMBERS
from writhe.io.gltf.compression import meshopt_view

if TYPE_CHECKING:
    from writhe.io.gltf.container import Glb

COMPONENTS = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
# an accessor without a buffer view is all zeros; real files have these only as the base of sparse
# ones
MAX_ZEROS = 1 << 24


def accessor_values(glb: Glb, index: Any, kind: str, what: str) -> tuple[np.ndarray, bool]:
    """The values (count, width) of an accessor, and whether integers are normalised."""
    accessor = glb.item("accessors", index)
    if accessor.get("type") != kind:
        glb.fail(f"{what} should have type {kind}, not {str(accessor.get('type'))[:20]}")
    dtype = _component(glb, accessor, what)
    width = WIDTHS[kind]
    count = glb.index(accessor.get("count"), MAX_NUMBERS // width, "values allowed")
    if count == 0:
        glb.fail(f"{what} is empty")
    if "bufferView" in accessor:
        values = _view_values(glb, accessor, dtype, count, width, what)
    elif "sparse" in accessor and count * width <= MAX_ZEROS:
        values = np.zeros((count, width), dtype=dtype)
    else:
        needed = ", ".join(glb.required_extensions)
        glb.fail(f"{what} has no buffer view", f"export it without {needed}" if needed else "")
    if "sparse" in accessor:
        values = _with_sparse(glb, accessor["sparse"], values, what)
    return values, accessor.get("normalized") is True


def _component(glb: Glb, record: dict[str, Any], what: str) -> np.dtype[Any]:
    component = record.get("componentType")
    if not isinstance(component, int) or component not in COMPONENTS:
        glb.fail(f"{what} has the unknown component type {str(component)[:20]}")
    return COMPONENTS[component]


def _with_sparse(glb: Glb, entry: Any, values: np.ndarray, what: str) -> np.ndarray:
    """The values with some rows replaced: glTF 2.0, section 3.6.2.3."""
    sparse = glb.record(entry, f"the sparse part of {what}")
    count = glb.index(sparse.get("count"), len(values) + 1, f"rows of {what}")
    if count == 0:
        return values
    name = f"the sparse part of {what}"
    where = glb.record(sparse.get("indices"), name)
    given = glb.record(sparse.get("values"), name)
    kind = _component(glb, where, name)
    if kind.kind != "u":
        glb.fail(f"the indices of {name} should be unsigned integers")
    rows = _view_values(glb, where, kind, count, 1, name)[:, 0].astype(np.int64)
    if (np.diff(rows) <= 0).any() or int(rows[-1]) >= len(values):
        glb.fail(f"the indices of {name} do not increase, or exceed the array")
    out = values.copy()
    out[rows] = _view_values(glb, given, values.dtype, count, values.shape[1], name)
    return out


def _view_values(
    glb: Glb, record: dict[str, Any], dtype: np.dtype[Any], count: int, width: int, what: str
) -> np.ndarray:
    """(count, width) values from the buffer view that an accessor or sparse part refers to."""
    view = glb.item("bufferViews", record.get("bufferView"))
    content = meshopt_view(glb, view, what)
    if content is None:
        number = glb.index(view.get("buffer"), len(glb.items("buffers")), "buffers")
        content = glb.buffer(number)
        start = glb.index(view.get("byteOffset", 0), len(content) + 1, "bytes")
        left = len(content) - start
        length = glb.index(view.get("byteLength"), left + 1, "bytes left in the buffer")
    else:
        start, length = 0, len(content)
    inside = glb.index(record.get("byteOffset", 0), length + 1, "bytes of the view")
    element = width * dtype.itemsize
    stride = view.get("byteStride", element)
    if not isinstance(stride, int) or not element <= stride <= max(252, element):
        glb.fail(f"{what} has an invalid stride")
    if inside + stride * (count - 1) + element > length:
        glb.fail(f"{what} runs past the end of its buffer view", "is the file complete?")
    return np.ndarray(
        (count, width),
        dtype=dtype,
        buffer=content,
        offset=start + inside,
        strides=(stride, dtype.itemsize),
    )
