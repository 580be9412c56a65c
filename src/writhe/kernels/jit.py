"""The decorator of all kernels: compiled by Numba, machine code cached on disk by content.

Numba's own cache depends on the path and modification time of the file that holds a function, and
misses edits of a callee in another file. Here the machine code of a module is kept in a folder
named after a hash of the code of that module and of every kernel module it imports, directly or
not. Only code counts: editing a comment or a docstring recompiles nothing, and a copy of the
sources at another path finds the same machine code.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast, overload

import numba
import numpy as np
from numba.core import caching, codegen

from writhe.cache import cache_root, code_hash

Function = TypeVar("Function", bound=Callable[..., Any])

# Reordering and fused multiply-add are allowed; infinities and NaN keep their meaning.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}

# Kernels of more LLVM instructions are compiled once and called; smaller ones are copied into their
# callers, where LLVM may inline them. LLVM inlines functions of at most about a hundred.
LARGE = 300

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


class _Call(NamedTuple):
    """A call of a separately compiled kernel: where to find it, and its symbol."""

    module: str
    name: str
    signature: Any
    symbol: str


class _ContentCache(caching.FunctionCache):
    """Numba's cache of one function; also knows which separate kernels its machine code calls."""

    _impl_class = _ContentCacheImpl

    def __init__(self, function: Callable[..., Any], inline: bool) -> None:
        super().__init__(function)
        self._inline = inline

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        key = self._index_key(sig, target_context.codegen())
        stored = self._cache_file.load(key)
        if stored is None:
            return None
        call, calls, data = stored
        libraries = [_library_of(call) for call in calls]
        if None in libraries:
            return None  # a kernel that it calls was compiled again under another symbol
        result = self._impl.rebuild(target_context, data)
        result.library.writhe_call = call
        result.library.writhe_calls = dict(zip(calls, libraries, strict=True))
        return result

    def save_overload(self, sig: Any, data: Any) -> None:
        call = None if self._inline else self._call_of(data, sig)
        data.library.writhe_call = call
        if not self._impl.check_cachable(data):
            return
        self._impl.locator.ensure_cache_path()
        key = self._index_key(sig, data.codegen)
        calls = tuple(_calls_of(data.library))
        self._cache_file.save(key, (call, calls, self._impl.reduce(data)))

    def _call_of(self, result: Any, signature: Any) -> _Call | None:
        """How callers call this kernel; None when it is small and they link a copy of it."""
        symbol = result.fndesc.mangled_name
        body = result.library.get_function(symbol)
        instructions = (one for block in body.blocks for one in block.instructions)
        if next(islice(instructions, LARGE, None), None) is None:
            return None
        return _Call(self._py_func.__module__, self._py_func.__qualname__, signature, symbol)


def _calls_of(library: Any) -> dict[_Call, Any]:
    """The separate kernels that the machine code of a library calls, and their libraries."""
    if not hasattr(library, "writhe_calls"):
        library.writhe_calls = {}
    return library.writhe_calls


def _library_of(call: _Call) -> Any | None:
    """The library of a separate kernel, loaded or compiled; None if its symbol is another one."""
    dispatcher = getattr(importlib.import_module(call.module), call.name)
    dispatcher.compile(call.signature)
    result = dispatcher.overloads.get(call.signature)
    if result is None or result.fndesc.mangled_name != call.symbol:
        return None
    return result.library


def _add_linking_library(self: Any, library: Any) -> None:
    call = getattr(library, "writhe_call", None)
    if call is None:
        _calls_of(self).update(_calls_of(library))
        _link_copy(self, library)
    else:
        library._ensure_finalized()
        self._reload_init.update(library._reload_init)
        _calls_of(self)[call] = library


_link_copy = codegen.CPUCodeLibrary.add_linking_library
codegen.CPUCodeLibrary.add_linking_library = _add_linking_library


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
    callers, since passing a NamedTuple of arrays costs more than their arithmetic. A kernel whose
    name starts with an underscore can be called by kernels only.
    """

    def compile_it(python: Function) -> Function:
        compiled: Any = numba.njit(
            nogil=True,
            parallel=parallel,
            fastmath=FAST_MATH if fast else False,
            error_model="numpy" if vector else "python",
            forceinline=inline,
            no_cfunc_wrapper=True,
            no_cpython_wrapper=_only_called_by_kernels(python),
        )(python)
        compiled._cache = _ContentCache(python, inline)
        return cast(Function, compiled)

    return compile_it if function is None else compile_it(function)


def _only_called_by_kernels(function: Callable[..., Any]) -> bool:
    """Whether Python never calls this kernel: it is private to a module of kernels.

    Such a kernel is compiled without the code that unpacks its arguments from Python objects, which
    for a hundred arrays is most of it. Calling it from Python would crash.
    """
    return function.__name__.startswith("_") and function.__module__.startswith(f"{_PACKAGE}.")


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
