"""Reads untrusted .npz archives: no pickles, no allocation before the header is checked."""

from __future__ import annotations

import io
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from writhe.errors import FileFormatError
from writhe.io.file_size_limits import checked_size

MAX_ARRAY_BYTES = 1 << 30
_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
    OverflowError,
    MemoryError,
    SyntaxError,
    struct.error,
    tokenize.TokenError,
)


def read_npz(path: Path, names: set[str]) -> dict[str, np.ndarray]:
    """The arrays of these names that the archive contains; raises for arrays of objects."""
    checked_size(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = {m.filename.removesuffix(".npy"): m for m in archive.infolist()}
            return {
                name: _read_array(path, name, archive, members[name])
                for name in sorted(names & members.keys())
            }
    except FileFormatError:
        raise
    except _FAULTS as error:
        raise FileFormatError(
            path, f"not a readable .npz archive: {str(error)[:120]}", remedy="is it complete?"
        ) from None


def _read_array(
    path: Path, name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo
) -> np.ndarray:
    if member.file_size > MAX_ARRAY_BYTES:
        raise FileFormatError(
            path,
            f"the array {name!r} is larger than {MAX_ARRAY_BYTES >> 20} MiB",
            remedy="split it",
        )
    with archive.open(member) as file:
        data = file.read(member.file_size)
    stream = io.BytesIO(data)
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise FileFormatError(path, f"the array {name!r} has the unknown version {version}")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read_header(stream)
    if dtype.hasobject:
        raise FileFormatError(
            path,
            f"the array {name!r} contains Python objects, which could run code when read",
            remedy="save it as plain numbers",
        )
    body = data[stream.tell() :]
    count = 1
    for length in shape:
        count *= int(length)
    if count < 0 or count * dtype.itemsize != len(body) or dtype.itemsize == 0:
        raise FileFormatError(
            path,
            f"the array {name!r} does not have the size that it claims",
            remedy="is it complete?",
        )
    array = np.frombuffer(body, dtype=dtype)
    return array.reshape(shape[::-1]).T if fortran else array.reshape(shape)
