"""Compressed geometry: Draco meshes and meshopt buffer views, decoded by optional libraries."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from writhe.arrays import Ints
from writhe.io.file_size_limits import MAX_NUMBERS
from writhe.json_values import is_object

if TYPE_CHECKING:
    from writhe.io.gltf.container import Glb

DRACO = "KHR_draco_mesh_compression"
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")


def _library(glb: Glb, module: str, extension: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        glb.fail(
            f"its meshes are compressed with {extension}",
            f"install the decoder with pip install 'writhe[{extra}]', "
            "or export it without compression",
        )


def _extension(glb: Glb, record: dict[str, Any], *names: str) -> dict[str, Any] | None:
    given = record.get("extensions")
    found = [given[name] for name in names if name in given] if is_object(given) else []
    return glb.record(found[0], names[0]) if found else None


def _stored(glb: Glb, view: dict[str, Any]) -> bytes:
    content = glb.buffer(glb.index(view.get("buffer"), len(glb.items("buffers")), "buffers"))
    start = glb.index(view.get("byteOffset", 0), len(content) + 1, "bytes")
    length = glb.index(view.get("byteLength"), len(content) - start + 1, "bytes left")
    return content[start : start + length]


def meshopt_view(glb: Glb, view: dict[str, Any], what: str) -> bytes | None:
    """The decoded content of a buffer view, None if it is not compressed with meshopt."""
    packed = _extension(glb, view, *MESHOPT)
    if packed is None:
        return None
    library = _library(glb, "meshoptimizer", MESHOPT[0], "meshopt")
    count = glb.index(packed.get("count"), MAX_NUMBERS, "values allowed")
    stride = glb.index(packed.get("byteStride"), 257, "bytes per value")
    mode, kind = packed.get("mode"), packed.get("filter", "NONE")
    data = np.frombuffer(_stored(glb, packed), dtype=np.uint8)
    if mode not in ("ATTRIBUTES", "TRIANGLES", "INDICES"):
        glb.fail(f"{what} has the unknown compression mode {str(mode)[:20]!r}")
    try:
        if mode == "ATTRIBUTES":
            decoded = library.decode_vertex_buffer(count, stride, data).view(np.uint8)
            if kind in ("OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"):
                name = {"OCTAHEDRAL": "oct", "QUATERNION": "quat", "EXPONENTIAL": "exp"}[kind]
                decoded = getattr(library, f"decode_filter_{name}")(decoded, count, stride)
            return decoded.tobytes()
        name = "decode_index_buffer" if mode == "TRIANGLES" else "decode_index_sequence"
        decoded = getattr(library, name)(count, 4, data)
        return decoded.astype("<u2" if stride == 2 else "<u4").tobytes()
    except (ValueError, RuntimeError, MemoryError) as error:
        glb.fail(f"{what} cannot be decompressed: {str(error)[:100]}", "is the file complete?")


def draco_mesh(glb: Glb, primitive: dict[str, Any]) -> tuple[Ints, dict[str, np.ndarray]] | None:
    """Triangles (t, 3) and attributes (v, width) of a primitive, None if it is not compressed."""
    packed = _extension(glb, primitive, DRACO)
    if packed is None:
        return None
    library = _library(glb, "DracoPy", DRACO, "draco")
    try:
        mesh = library.decode(_stored(glb, glb.item("bufferViews", packed.get("bufferView"))))
        names = glb.record(packed.get("attributes"), "the attributes of a compressed mesh")
        attributes = {
            name: np.asarray(mesh.get_attribute_by_unique_id(number)["data"])
            for name, number in names.items()
        }
        return np.asarray(mesh.faces, dtype=np.int64).reshape(-1, 3), attributes
    except (ValueError, TypeError, KeyError, RuntimeError, MemoryError) as error:
        glb.fail(f"a mesh cannot be decompressed: {str(error)[:100]}", "is the file complete?")
