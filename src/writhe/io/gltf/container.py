"""A parsed glTF 2.0 file (.glb, .gltf, .vrm, .vrma) with all references checked."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import FileFormatError
from writhe.io.gltf.accessors import accessor_values
from writhe.io.gltf.buffers import (
    BINARY_CHUNK,
    JSON_CHUNK,
    MAGIC,
    buffer_bytes,
    parse,
    read_source,
)
from writhe.json_values import is_list, is_object
from writhe.skeleton.source_file import SourceFile


def write_container(path: Path, document: dict[str, Any], binary: bytes) -> None:
    """Write a .glb file."""
    path.write_bytes(container_bytes(document, binary))


def container_bytes(document: dict[str, Any], binary: bytes) -> bytes:
    """The content of a .glb file."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
    if binary:
        chunks += struct.pack("<II", len(binary), BINARY_CHUNK) + binary
    return struct.pack("<III", MAGIC, 2, 12 + len(chunks)) + chunks


class Glb:
    """A parsed glTF file: the JSON document and the arrays that it describes."""

    def __init__(self, source: Path | SourceFile) -> None:
        self.source = source if isinstance(source, SourceFile) else read_source(source)
        self.path = self.source.path
        self.document, self.binary = parse(self.path, self.source.data)
        self._buffers: dict[int, bytes] = {}
        asset = self.record(self.document.get("asset"), "asset")
        if not str(asset.get("version", "")).startswith("2."):
            self.fail("only glTF version 2 can be read", "export it as glTF 2.0")

    def fail(self, problem: str, remedy: str = "") -> NoReturn:
        """Raise a FileFormatError about this file."""
        raise FileFormatError(self.path, problem, remedy=remedy)

    @property
    def required_extensions(self) -> list[str]:
        """The extensions that a reader must support to read the file (`extensionsRequired`)."""
        names = self.sequence(self.document.get("extensionsRequired", []), "extensionsRequired")
        return [str(name) for name in names]

    def buffer(self, number: int) -> bytes:
        """The content of a buffer."""
        if number not in self._buffers:
            entry = self.item("buffers", number)
            self._buffers[number] = buffer_bytes(self.source, self.binary, number, entry)
        return self._buffers[number]

    def record(self, value: Any, what: str) -> dict[str, Any]:
        """`value`, which must be a JSON object."""
        if not is_object(value):
            self.fail(f"{what} should be a JSON object")
        return value

    def items(self, key: str) -> list[Any]:
        """A top-level list of the document; empty if absent."""
        return self.sequence(self.document.get(key, []), key)

    def sequence(self, value: Any, what: str) -> list[Any]:
        """`value`, which must be a JSON list."""
        if not is_list(value):
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
        fine = is_list(value) and len(value) == count
        if not fine or not all(
            isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e30 for x in value
        ):
            self.fail(f"{what} should be {count} numbers")
        return np.array(value, dtype=np.float64)

    def array(self, index: Any, kind: str, what: str) -> Floats:
        """An accessor as floats (count, width), normalised integers decoded; all finite."""
        raw, normalised = accessor_values(self, index, kind, what)
        with np.errstate(invalid="ignore"):  # a signalling NaN is rejected below
            values = raw.astype(np.float64)
        if normalised and raw.dtype.kind in "iu":
            values = np.maximum(values / float(np.iinfo(raw.dtype).max), -1.0)
        elif raw.dtype.kind == "f" and not np.isfinite(values).all():
            self.fail(f"{what} has values that are not finite")
        return values

    def integers(self, index: Any, kind: str, what: str) -> Ints:
        """An accessor of unsigned integers (count, width)."""
        raw, _ = accessor_values(self, index, kind, what)
        if raw.dtype.kind != "u":
            self.fail(f"{what} should be unsigned integers")
        return raw.astype(np.int64)
