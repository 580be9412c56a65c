"""A compiled kernel as bytes, and back.

Numba stores the bitcode of every function for linking into callers and parses it whenever the
function is loaded. Here it is stored only for small kernels (`separate`), and parsed only when a
caller is compiled.
"""

from __future__ import annotations

import io
import pickle
import sys
from typing import Any, NamedTuple, cast

import llvmlite.binding as llvm
from numba.core import compiler, environment, serialize
from numba.core.runtime.nrt import rtsys

from writhe.machine_code.separate import Call, calls_of, library_of

_HASHES = b"_numba_hashsecret"  # symbols that Numba defines when it imports its hash functions


class StoredKernel(NamedTuple):
    """What is kept of a compiled kernel."""

    call: Call | None
    calls: tuple[Call, ...]  # separate kernels that the code calls
    name: str
    code: bytes  # an object file
    symbols: tuple[str, ...]  # defined in `code`
    bitcode: bytes | None  # of small kernels
    result: tuple[Any, ...]  # of Numba: descriptor, environment, signature and so on


def to_bytes(result: Any) -> bytes:
    """Store a fresh compile result."""
    library = result.library
    (name, _, (code, bitcode)), *rest = result._reduce()
    module = library._get_module_for_linking()
    symbols = tuple(
        value.name
        for values in (module.functions, module.global_variables)
        for value in values
        if not value.is_declaration
    )
    descriptor, own, signature, objectmode, lifted, _, reload, environments = rest
    call = library.writhe_call
    return serialize.dumps(
        StoredKernel(
            call,
            tuple(calls_of(library)),
            name,
            code,
            symbols,
            bitcode if call is None else None,
            (descriptor, own, signature, objectmode, lifted, reload, _with_constants(environments)),
        )
    )


def from_bytes(data: bytes, context: Any) -> Any | None:
    """The compile result; None if the symbol of a kernel that it calls has changed."""
    stored: StoredKernel = _Reader(io.BytesIO(data)).load()
    libraries = [library_of(call) for call in stored.calls]
    if None in libraries:
        return None
    descriptor, own, signature, objectmode, lifted, reload, environments = stored.result
    _define_symbols(stored, context)
    for again in reload:
        again()
    library = _library(context.codegen(), stored)
    library.writhe_call = stored.call
    library.writhe_calls = dict(zip(stored.calls, libraries, strict=True))
    result = compiler.CompileResult(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=own,
        entry_point=context.get_executable(library, descriptor, own),
        fndesc=descriptor,
        type_annotation="",
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=reload,
        referenced_envs=environments,
    )
    for one in _with_constants(environments):
        library.codegen.set_env(one.env_name, one)
    return result


def _with_constants(environments: Any) -> list[Any]:
    """The environments that machine code reads: it takes Python constants from them, if any.

    Every function that was linked into a kernel has one; almost all are empty.
    """
    return [one for one in environments if one.consts]


class _Reader(pickle.Unpickler):
    """Reads stored kernels without importing the modules of empty environments.

    These are Numba's implementations of arrays and strings for the most part, which only compiling
    needs.
    """

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) == ("numba.core.environment", "_rebuild_env"):
            return _environment
        return super().find_class(module_name, global_name)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """The environment of a function; a new one without globals if that is all it needs."""
    if constants or module in sys.modules:
        return cast(Any, environment)._rebuild_env(module, constants, name)
    empty = environment.Environment({"__name__": module})
    empty.env_name = name
    return empty


def _define_symbols(stored: StoredKernel, context: Any) -> None:
    """Define what machine code refers to.

    Numba does this by importing its implementations of NumPy and SciPy functions, which dominates
    the loading time; of these, only the module of hash functions defines symbols.
    """
    rtsys.initialize(context)
    if _HASHES in stored.code:
        context.refresh()


def _library(codegen: Any, stored: StoredKernel) -> Any:
    """Numba's library of machine code; its bitcode is parsed when a caller links it."""
    library = codegen.create_library(stored.name)
    library.enable_object_caching()
    library._set_compiled_object(stored.code)
    library._finalize_final_module()
    codegen._engine._defined_symbols.update(stored.symbols)

    def module_for_linking() -> Any:
        if library._shared_module is None:
            library._shared_module = llvm.parse_bitcode(stored.bitcode)
        return library._shared_module

    library._get_module_for_linking = module_for_linking
    return library
