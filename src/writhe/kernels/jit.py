"""The one decorator of all kernels: compiled by Numba, cached on disk.

Numba notices an edited file but not an edited callee in *another* file, so the machine code of
each module lives in a folder named after a hash of that module and of every kernel module it
imports, however indirectly: an edit recompiles exactly what it can change.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
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


_IMPORT = re.compile(r"^\s*from writhe\.kernels\.(\w+) import", re.MULTILINE)
_FOLDER = Path(__file__).parent


@cache
def _source(name: str) -> bytes:
    return (_FOLDER / f"{name}.py").read_bytes()


@cache
def _imported(name: str) -> frozenset[str]:
    """The kernel modules that module `name` imports, itself and the indirect ones included."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += _IMPORT.findall(_source(module).decode())
    return frozenset(found)


def _hash_of(modules: Iterable[str]) -> str:
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for name in sorted(modules):
        digest.update(name.encode())
        digest.update(_source(name))
    return digest.hexdigest()[:16]


def cache_folder(name: str) -> Path:
    """Where the machine code of the kernel module `name` is kept."""
    return cache_root() / "kernels" / f"{name}-{_hash_of(_imported(name))}"


def _folder_of(function: Callable[..., Any]) -> Path:
    package, _, name = function.__module__.rpartition(".")
    if package == __package__:
        return cache_folder(name)
    # a kernel of a test or a user: Numba watches its own file, this the kernels that it may call
    return cache_root() / "kernels" / f"elsewhere-{all_kernels_hash()}"


def all_kernels_hash() -> str:
    """Changes with any edit of any kernel."""
    return _hash_of(source.stem for source in _FOLDER.glob("*.py"))


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
    """Compile `function` with Numba and cache the machine code in its module's `cache_folder`.

    `vector`: dividing by zero gives an infinity instead of an exception, without which no loop
    that divides is vectorised. `inline`: small functions of inner loops are merged into their
    callers, since handing over a NamedTuple of arrays costs more than their arithmetic.
    """

    def compile_it(python: Function) -> Function:
        before: str = getattr(config, "CACHE_DIR")  # noqa: B009 - set by Numba at run time
        setattr(config, "CACHE_DIR", str(_folder_of(python)))  # noqa: B010
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
