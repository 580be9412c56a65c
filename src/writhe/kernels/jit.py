"""The one decorator of all kernels: compiled by Numba, cached on disk.

Numba notices an edited file but not an edited callee in *another* file, so the cache lives in a
folder named after a hash of the whole kernels package: any edit starts a fresh cache.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numba
import numpy as np
from numba.core import config

Function = TypeVar("Function", bound=Callable[..., Any])

# Reordering and fused multiply-add are welcome; infinities and NaN keep their meaning.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}


def cache_root() -> Path:
    """The folder that holds the kernel caches of all versions: $WRITHE_CACHE_DIR, or the user's."""
    chosen = os.environ.get("WRITHE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local")))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")))
    return base / "writhe"


def _source_hash() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


CACHE_DIR = cache_root() / f"kernels-{_source_hash()}"


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(
    *, parallel: bool = False, fast: bool = True, vector: bool = False, inline: bool = False
) -> Callable[[Function], Function]: ...
def kernel(
    function: Function | None = None,
    *,
    parallel: bool = False,
    fast: bool = True,
    vector: bool = False,
    inline: bool = False,
) -> Function | Callable[[Function], Function]:
    """Compile `function` with Numba and cache the machine code in `CACHE_DIR`.

    `vector`: dividing by zero gives an infinity instead of an exception, without which no loop
    that divides is vectorised. `inline`: small functions of inner loops are merged into their
    callers, since handing over a NamedTuple of arrays costs more than their arithmetic.
    """

    def compile_it(python: Function) -> Function:
        before: str = getattr(config, "CACHE_DIR")  # noqa: B009 - set by Numba at run time
        setattr(config, "CACHE_DIR", str(CACHE_DIR))  # noqa: B010
        try:
            compiled = numba.njit(
                cache=True,
                nogil=True,
                parallel=parallel,
                fastmath=FAST_MATH if fast else False,
                error_model="numpy" if vector else "python",
                forceinline=inline,
            )(python)
        finally:
            setattr(config, "CACHE_DIR", before)  # noqa: B010
        return cast(Function, compiled)

    return compile_it if function is None else compile_it(function)
