"""The linking loops in C, compiled by the system's compiler at run time."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.kernels.topology import gauss_linking
from writhe.kernels.topology.gauss_linking import Scratch

# The same fast-math flags as kernels.jit.FAST_MATH, and those for a vectorised square root.
FLAGS = [
    "-O3",
    "-march=native",
    "-ffp-contract=fast",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-signed-zeros",
    "-fassociative-math",
    "-freciprocal-math",
]


class CLinking:
    """`linking_matrix` and `linking_matrix_gradients` of the kernels, in C."""

    def __init__(self) -> None:
        self.compiler = find_compiler()
        if self.compiler is None:
            raise WritheError("no C compiler was found; install gcc or clang, or set CC")
        names = ("ROW", "TILE", "TILE_COLUMNS", "LANES", "COINCIDENT", "EDGE_FLOOR")
        defines = [f"-D{name}={getattr(gauss_linking, name)!r}" for name in names]
        with tempfile.TemporaryDirectory() as folder:
            source, library = Path(folder) / "linking.c", Path(folder) / "linking.so"
            source.write_text(
                files("writhe.research.benchmarks.reference_linking")
                .joinpath("linking.c")
                .read_text()
            )
            command = [self.compiler, *FLAGS, *defines, "-shared", "-fPIC"]
            done = subprocess.run(
                [*command, str(source), "-o", str(library), "-lm"], capture_output=True, text=True
            )
            if done.returncode:
                raise WritheError(f"{self.compiler} failed: {done.stderr.strip()[:500]}")
            self._call: Any = ctypes.CDLL(str(library)).linking_matrix
        self._call.argtypes = [
            ctypes.c_void_p if k not in (1, 3) else ctypes.c_long for k in range(9)
        ]
        self._call.restype = None

    def linking_matrix(
        self,
        first: Floats,
        second: Floats,
        scratch: Scratch,
        out: Floats,
        gradients: Floats | None = None,
    ) -> None:
        """Fill out (m, n) and, if given, gradients (4, 3, m, n)."""
        m, n = out.shape
        arrays = (scratch.tile, scratch.values, scratch.gradients, out)
        pointers = [array.ctypes.data for array in arrays]
        last = None if gradients is None else gradients.ctypes.data
        self._call(first.ctypes.data, m, second.ctypes.data, n, *pointers, last)


def find_compiler() -> str | None:
    """Path of the C compiler: $CC, else the first of cc, gcc, clang; None if absent."""
    for name in (os.environ.get("CC"), "cc", "gcc", "clang"):
        if name and (path := shutil.which(name)):
            return path
    return None
