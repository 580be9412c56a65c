"""Reads glTF files and their buffers: the binary chunk, data URIs, files beside them."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote

from writhe.errors import FileFormatError
from writhe.io.file_size_limits import checked_size
from writhe.json_values import is_list, is_object
from writhe.skeleton.source_file import SourceFile

MAX_GLB_BYTES = 1 << 30
MAX_JSON_BYTES = 64 << 20  # of a .glb file
MAX_TEXT_BYTES = 256 << 20  # of a .gltf file, whose JSON may contain the buffers
MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
FORMAT = "gltf"
_REMEDY = "export it as one .glb file, or keep its files together"


def is_binary(data: bytes) -> bool:
    """Whether a file starts as binary glTF does."""
    return data[:4] == struct.pack("<I", MAGIC)


def read_source(path: Path) -> SourceFile:
    """A .glb, .gltf, .vrm or .vrma file with the files that it refers to.

    Only files in the folder of `path` and below are opened; absent ones are left out.
    """
    checked_size(path, MAX_GLB_BYTES)
    data = path.read_bytes()
    if is_binary(data):
        return SourceFile(FORMAT, path, data)
    document, _ = parse(path, data)
    attached: dict[str, bytes] = {}
    total = len(data)
    for uri in file_uris(document):
        found = _beside(path, uri)
        if found is not None:
            total += checked_size(found, MAX_GLB_BYTES)
            if total > MAX_GLB_BYTES:
                raise FileFormatError(path, "the file and those it refers to exceed 1 GiB")
            attached[uri] = found.read_bytes()
    return SourceFile(FORMAT, path, data, attached)


def file_uris(document: dict[str, Any]) -> list[str]:
    """The URIs of buffers and images that name files, not data."""
    found: list[str] = []
    for key in ("buffers", "images"):
        entries = document.get(key)
        for entry in entries if is_list(entries) else []:
            uri = entry.get("uri") if is_object(entry) else None
            if isinstance(uri, str) and not uri.startswith("data:") and uri not in found:
                found.append(uri)
    return found


def relative_name(uri: str) -> str:
    """The path that a relative URI names."""
    return unquote(uri)


def _beside(path: Path, uri: str) -> Path | None:
    """The file that a relative URI names, or None if it is absent or outside the folder."""
    name = relative_name(uri)
    if len(name) > 1000 or "\\" in name or "\0" in name or ":" in name or name.startswith("/"):
        return None
    folder = path.parent.resolve()
    try:
        found = (folder / name).resolve()
        inside = found.is_relative_to(folder) and found.is_file()
    except (OSError, ValueError):
        return None
    return found if inside else None


def parse(path: Path, data: bytes) -> tuple[dict[str, Any], bytes]:
    """The JSON document and the binary chunk of a file, which `path` names in messages."""
    if not is_binary(data):
        if data.lstrip()[:1] != b"{":
            _fail(path, "does not start with 'glTF' or '{'", "is it a glTF file?")
        return _json(path, data, MAX_TEXT_BYTES), b""
    if len(data) < 20:
        _fail(path, f"{len(data)} bytes are too few for a .glb file", "is it complete?")
    _, version, length = struct.unpack_from("<III", data)
    if version != 2:
        _fail(path, f"is glTF version {version}", "export it as glTF 2.0")
    if length > len(data):
        _fail(path, f"the file should have {length} bytes but has {len(data)}", "is it complete?")
    chunks: dict[int, bytes] = {}
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        if at + 8 + size > length:
            _fail(path, f"a chunk at byte {at} runs past the end of the file", "is it complete?")
        chunks.setdefault(kind, data[at + 8 : at + 8 + size])
        at += 8 + size + (-size % 4)
    if JSON_CHUNK not in chunks:
        _fail(path, "the file has no JSON chunk")
    return _json(path, chunks[JSON_CHUNK], MAX_JSON_BYTES), chunks.get(BINARY_CHUNK, b"")


def _json(path: Path, text: bytes, max_bytes: int) -> dict[str, Any]:
    if len(text) > max_bytes:
        _fail(path, f"the JSON part is larger than {max_bytes >> 20} MiB")
    try:
        document = json.loads(text.decode("utf-8"), parse_constant=_not_finite)
    except (ValueError, RecursionError) as error:
        _fail(path, f"the JSON part cannot be parsed: {str(error)[:100]}")
    if not is_object(document):
        _fail(path, "the JSON part should be a JSON object")
    return document


def buffer_bytes(source: SourceFile, binary: bytes, number: int, buffer: dict[str, Any]) -> bytes:
    """The content of a buffer of a parsed file."""
    uri = buffer.get("uri")
    if uri is None:
        if number != 0:
            _fail(source.path, f"buffer {number} has no data")
        return binary
    return uri_bytes(source, uri, f"buffer {number}")


def uri_bytes(source: SourceFile, uri: Any, what: str) -> bytes:
    """The bytes that a data URI holds, or those of an attached file."""
    if not isinstance(uri, str):
        _fail(source.path, f"the URI of {what} should be text")
    if uri.startswith("data:"):
        head, _, text = uri.partition(",")
        try:
            return base64.b64decode(text, validate=True) if head.endswith(";base64") else b""
        except (binascii.Error, ValueError):
            _fail(source.path, f"the data of {what} cannot be decoded")
    if uri not in source.attached:
        where = "outside the file" if is_binary(source.data) else "which is not beside the file"
        _fail(source.path, f"{what} lies in {uri[:80]!r}, {where}", _REMEDY)
    return source.attached[uri]


def _fail(path: Path, problem: str, remedy: str = "") -> NoReturn:
    raise FileFormatError(path, problem, remedy=remedy)


def _not_finite(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")
