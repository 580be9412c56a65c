"""The decorator of all kernels: compiled by Numba, machine code cached on disk by content.

Numba's own cache depends on the path and modification time of the file that holds a function, and
misses edits of a callee in another file. Here the machine code of a module is kept in a folder
named after a hash of the code of that module and of every kernel module it imports, directly or
not. Only code counts: editing a comment or a docstring recompiles nothing, and a copy of the
sources at another path finds the same machine code.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numba
import numpy as np
from numba.core import caching

from writhe.cache import cache_root, code_hash

Function = TypeVar("Function", bound=Callable[..., Any])

# Reordering and fused multiply-add are allowed; infinities and NaN keep their meaning.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}

_PACKAGE = "writhe.kernels"
_FOLDER = Path(__file__).parent
_IMPORT = re.compile(r"^\s*from writhe\.kernels\.([\w.]+) import", re.MULTILINE)


def kernel_modules() -> list[str]:
    """The dotted names of all kernel modules, relative to `writhe.kernels`."""
    paths = (path.relative_to(_FOLDER) for path in _FOLDER.rglob("*.py"))
    return sorted(".".join(path.with_suffix("").parts) for path in paths)


@cache
def _source(module: str) -> bytes:
    return _FOLDER.joinpath(*module.split(".")).with_suffix(".py").read_bytes()


@cache
def _imported(module: str) -> frozenset[str]:
    """The kernel modules that `module` imports, directly or not, and `module` itself."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _IMPORT.findall(_source(name).decode())
    return frozenset(found)


@cache
def _module_hash(module: str) -> bytes:
    return code_hash(_source(module))


def _hash_of(modules: Iterable[str]) -> str:
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for module in sorted(modules):
        digest.update(module.encode())
        digest.update(_module_hash(module))
    return digest.hexdigest()[:16]


def cache_folder(module: str) -> Path:
    """Where the machine code of a kernel module is kept; `module` is relative to writhe.kernels."""
    return cache_root() / "kernels" / f"{module}-{_hash_of(_imported(module))}"


def all_kernels_hash() -> str:
    """A hash that changes with any edit of the code of any kernel."""
    return _hash_of(kernel_modules())


class _ContentLocator(cast(Any, caching)._CacheLocator):
    """Tells Numba where to keep the machine code of a function: a folder named by content."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        package, _, rest = function.__module__.partition(f"{_PACKAGE}.")
        if package == "" and rest:
            self._folder, self._stamp = cache_folder(rest), ""
        else:
            # a kernel of a test or a user may call any of ours, and is known by its own file
            self._folder = cache_root() / "kernels" / f"elsewhere-{all_kernels_hash()}"
            self._stamp = hashlib.sha256(Path(file).read_bytes()).hexdigest()

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return "" if self._stamp == "" else self._stamp[:16]

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _ContentLocator:
        return cls(py_func, py_file)


class _ContentCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_ContentLocator]  # noqa: RUF012 - the attribute that Numba reads


class _ContentCache(caching.FunctionCache):
    _impl_class = _ContentCacheImpl


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
    """Compile `function` with Numba and cache its machine code by content.

    `vector`: dividing by zero gives an infinity instead of an exception, without which no loop
    that divides is vectorised. `inline`: small functions of inner loops are merged into their
    callers, since passing a NamedTuple of arrays costs more than their arithmetic.
    """

    def compile_it(python: Function) -> Function:
        compiled: Any = numba.njit(
            nogil=True,
            parallel=parallel,
            fastmath=FAST_MATH if fast else False,
            error_model="numpy" if vector else "python",
            forceinline=inline,
        )(python)
        compiled._cache = _ContentCache(python)
        return cast(Function, compiled)

    return compile_it if function is None else compile_it(function)


def machine_code(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The machine code of a kernel for arguments of these types.

    Most of the time of a call with a hundred arrays goes into finding their types. Calling the
    machine code skips that, 10 us for the poser's kernels, and with it every check: use it only
    for arrays that the caller made itself and keeps from call to call.
    """
    compiled = cast(Any, function)
    types = tuple(numba.typeof(argument) for argument in arguments)
    compiled.compile(types)
    return cast(Callable[..., Any], compiled.overloads[types].entry_point)
