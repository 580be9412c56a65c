"""Messages between other programs and writhe: numbers, strings, lists, dicts, None and arrays.

A message is a line of JSON, in which an array is its place among the bytes that follow. No pickles:
the two sides may run different versions of Python and NumPy. This file imports nothing of writhe:
extensions carry a copy of it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

PROTOCOL = 1  # both sides must have the same; requests that change their data raise it

_HEAD = struct.Struct("<QQ")
_LONGEST = 2**33  # bytes of a message: more is no message
_ARRAY = "__array__"


def send(stream: BinaryIO, message: Any) -> None:
    """Write a message."""
    parts: list[bytes] = []
    size = 0

    def plain(value: Any) -> Any:
        nonlocal size
        if isinstance(value, np.ndarray):
            data = np.ascontiguousarray(cast("NDArray[Any]", value))
            place = {_ARRAY: [data.dtype.str, list(data.shape), size]}
            parts.append(data.tobytes())
            size += data.nbytes
            return place
        if isinstance(value, np.generic):
            return cast("np.generic[Any]", value).item()
        if isinstance(value, dict):
            table = cast("dict[Any, Any]", value)
            return {str(key): plain(item) for key, item in table.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [plain(item) for item in cast("Iterable[Any]", value)]
        return value

    text = json.dumps(plain(message)).encode()
    stream.write(_HEAD.pack(len(text), size))
    stream.write(text)
    for part in parts:
        stream.write(part)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read a message; raises EOFError when the other side has gone, ValueError if it is none."""
    length, size = _HEAD.unpack(_exactly(stream, _HEAD.size))
    if max(length, size) > _LONGEST:
        raise ValueError("not a message of writhe")
    text = _exactly(stream, length)
    data = _exactly(stream, size)

    def rich(value: Any) -> Any:
        if isinstance(value, dict):
            table = cast("dict[str, Any]", value)
            if _ARRAY in table:
                kind, shape, start = cast("tuple[str, list[int], int]", table[_ARRAY])
                dtype = np.dtype(str(kind))
                if dtype.kind not in "biufU":
                    raise ValueError(f"arrays of {dtype} are not sent")
                count = int(np.prod(shape, dtype=np.int64))
                return np.frombuffer(data, dtype, count, start).reshape(shape).copy()
            return {key: rich(item) for key, item in table.items()}
        if isinstance(value, list):
            return [rich(item) for item in cast("list[Any]", value)]
        return value

    return rich(json.loads(text))


def _exactly(stream: BinaryIO, count: int) -> bytes:
    out = bytearray()
    while len(out) < count:
        part = stream.read(count - len(out))
        if not part:
            raise EOFError
        out += part
    return bytes(out)
