"""The binary container of glTF 2.0 and its typed arrays, with all ranges checked.

Only the named file is opened: buffers with a URI are rejected.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import FileFormatError
from writhe.io.file_size_limits import MAX_NUMBERS, checked_size

MAX_GLB_BYTES = 1 << 30
MAX_JSON_BYTES = 64 << 20
MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
COMPONENTS = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def write_container(path: Path, document: dict[str, Any], binary: bytes) -> None:
    """Write a .glb file."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
    if binary:
        chunks += struct.pack("<II", len(binary), BINARY_CHUNK) + binary
    path.write_bytes(struct.pack("<III", MAGIC, 2, 12 + len(chunks)) + chunks)


class Glb:
    """A parsed .glb file: the JSON document and the arrays that it describes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        checked_size(path, MAX_GLB_BYTES)
        data = path.read_bytes()
        self.document, self.binary = self._chunks(data)
        asset = self.record(self.document.get("asset"), "asset")
        if not str(asset.get("version", "")).startswith("2."):
            self.fail("only glTF version 2 can be read", "export it as glTF 2.0")
        needed = self.document.get("extensionsRequired", [])
        if needed:
            self.fail(
                f"needs the glTF extensions {str(needed)[:80]}", "export it without compression"
            )

    def fail(self, problem: str, remedy: str = "") -> NoReturn:
        """Raise a FileFormatError about this file."""
        raise FileFormatError(self.path, problem, remedy=remedy)

    def _chunks(self, data: bytes) -> tuple[dict[str, Any], bytes]:
        if len(data) < 20:
            self.fail(f"{len(data)} bytes are too few for a .glb file", "is it complete?")
        magic, version, length = struct.unpack_from("<III", data)
        if magic != MAGIC:
            self.fail("does not start with 'glTF'", "is it a binary glTF (.glb) file?")
        if version != 2:
            self.fail(f"is glTF version {version}", "export it as glTF 2.0")
        if length > len(data):
            self.fail(f"the file should have {length} bytes but has {len(data)}", "is it complete?")
        chunks: dict[int, bytes] = {}
        at = 12
        while at + 8 <= length:
            size, kind = struct.unpack_from("<II", data, at)
            if at + 8 + size > length:
                self.fail(f"a chunk at byte {at} runs past the end of the file", "is it complete?")
            chunks.setdefault(kind, data[at + 8 : at + 8 + size])
            at += 8 + size + (-size % 4)
        if JSON_CHUNK not in chunks:
            self.fail("the file has no JSON chunk")
        text = chunks[JSON_CHUNK]
        if len(text) > MAX_JSON_BYTES:
            self.fail(f"the JSON part is larger than {MAX_JSON_BYTES >> 20} MiB")
        try:
            document = json.loads(text.decode("utf-8"), parse_constant=_not_finite)
        except (ValueError, RecursionError) as error:
            self.fail(f"the JSON part cannot be parsed: {str(error)[:100]}")
        return self.record(document, "the JSON part"), chunks.get(BINARY_CHUNK, b"")

    def record(self, value: Any, what: str) -> dict[str, Any]:
        """`value`, which must be a JSON object."""
        if not isinstance(value, dict):
            self.fail(f"{what} should be a JSON object")
        return value

    def items(self, key: str) -> list[Any]:
        """A top-level list of the document; empty if absent."""
        return self.sequence(self.document.get(key, []), key)

    def sequence(self, value: Any, what: str) -> list[Any]:
        """`value`, which must be a JSON list."""
        if not isinstance(value, list):
            self.fail(f"{what} should be a JSON list")
        return value

    def item(self, key: str, index: Any) -> dict[str, Any]:
        """Entry `index` of a top-level list."""
        entries = self.items(key)
        at = self.index(index, len(entries), key)
        return self.record(entries[at], f"{key}[{at}]")

    def index(self, value: Any, below: int, what: str) -> int:
        """`value`, which must be an integer in 0 ... below - 1."""
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < below:
            self.fail(f"{str(value)[:40]} is not in the range 0 to {below - 1} ({what})")
        return value

    def numbers(self, value: Any, count: int, what: str) -> Floats:
        """`value` (count,), which must be a list of `count` numbers below 1e30."""
        fine = isinstance(value, list) and len(value) == count
        if not fine or not all(
            isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e30 for x in value
        ):
            self.fail(f"{what} should be {count} numbers")
        return np.array(value, dtype=np.float64)

    def array(self, index: Any, kind: str, what: str) -> Floats:
        """An accessor as floats (count, width), normalised integers decoded; all finite."""
        raw, normalised = self._accessor(index, kind, what)
        with np.errstate(invalid="ignore"):  # a signalling NaN is rejected below
            values = raw.astype(np.float64)
        if normalised and raw.dtype.kind in "iu":
            values = np.maximum(values / float(np.iinfo(raw.dtype).max), -1.0)
        elif raw.dtype.kind == "f" and not np.isfinite(values).all():
            self.fail(f"{what} has values that are not finite")
        return values

    def integers(self, index: Any, kind: str, what: str) -> Ints:
        """An accessor of unsigned integers (count, width)."""
        raw, _ = self._accessor(index, kind, what)
        if raw.dtype.kind != "u":
            self.fail(f"{what} should be unsigned integers")
        return raw.astype(np.int64)

    def _accessor(self, index: Any, kind: str, what: str) -> tuple[np.ndarray, bool]:
        accessor = self.item("accessors", index)
        if "sparse" in accessor:
            self.fail(
                f"{what} is a sparse array, which is not supported", "export it as a dense one"
            )
        if accessor.get("type") != kind:
            self.fail(f"{what} should have type {kind}, not {str(accessor.get('type'))[:20]}")
        component = accessor.get("componentType")
        if not isinstance(component, int) or component not in COMPONENTS:
            self.fail(f"{what} has the unknown component type {str(component)[:20]}")
        dtype, width = COMPONENTS[component], WIDTHS[kind]
        count = self.index(accessor.get("count"), MAX_NUMBERS // width, "values allowed")
        if count == 0:
            self.fail(f"{what} is empty")
        if "bufferView" not in accessor:
            self.fail(f"{what} has no buffer view")
        view = self.item("bufferViews", accessor["bufferView"])
        buffer = self.item("buffers", view.get("buffer"))
        if view["buffer"] != 0 or "uri" in buffer:
            self.fail(f"{what} lies outside the file", "export it as one self-contained .glb file")
        size = len(self.binary)
        start = self.index(view.get("byteOffset", 0), size + 1, "bytes")
        length = self.index(view.get("byteLength"), size - start + 1, "bytes left in the buffer")
        inside = self.index(accessor.get("byteOffset", 0), length + 1, "bytes of the view")
        element = width * dtype.itemsize
        stride = view.get("byteStride", element)
        if not isinstance(stride, int) or not element <= stride <= max(252, element):
            self.fail(f"{what} has an invalid stride")
        if inside + stride * (count - 1) + element > length:
            self.fail(f"{what} runs past the end of its buffer view", "is the file complete?")
        values = np.ndarray(
            (count, width),
            dtype=dtype,
            buffer=self.binary,
            offset=start + inside,
            strides=(stride, dtype.itemsize),
        )
        return values, accessor.get("normalized") is True


def _not_finite(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")
