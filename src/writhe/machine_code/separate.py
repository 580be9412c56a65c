"""Large kernels are compiled once and called by symbol instead of being linked into each caller.

Numba links the code of every callee, and of its callees, into each caller and optimises it again.
"""

from __future__ import annotations

import importlib
from itertools import islice
from typing import Any, NamedTuple

from numba.core import codegen

# Kernels of more LLVM instructions are compiled once and called; smaller ones are copied into their
# callers, where LLVM may inline them. LLVM inlines functions of at most about a hundred.
LARGE = 300


class Call(NamedTuple):
    """A call of a separately compiled kernel: where to find it, and its symbol."""

    module: str
    name: str
    signature: Any
    symbol: str


def call_of(function: Any, result: Any, signature: Any) -> Call | None:
    """The `Call` of a large kernel; None for a small one, which is linked into its callers."""
    symbol = result.fndesc.mangled_name
    body = result.library.get_function(symbol)
    instructions = (one for block in body.blocks for one in block.instructions)
    if next(islice(instructions, LARGE, None), None) is None:
        return None
    return Call(function.__module__, function.__qualname__, signature, symbol)


def calls_of(library: Any) -> dict[Call, Any]:
    """The separate kernels that the machine code of a library calls, and their libraries."""
    if not hasattr(library, "writhe_calls"):
        library.writhe_calls = {}
    return library.writhe_calls


def library_of(call: Call) -> Any | None:
    """The library of a separate kernel, loaded or compiled; None if there is none."""
    dispatcher = getattr(importlib.import_module(call.module), call.name, None)
    if dispatcher is None:
        return None
    dispatcher.compile(call.signature)
    result = dispatcher.overloads.get(call.signature)
    if result is None or result.fndesc.mangled_name != call.symbol:
        return None
    return result.library


def _add_linking_library(self: Any, library: Any) -> None:
    call = getattr(library, "writhe_call", None)
    if call is None:
        calls_of(self).update(calls_of(library))
        _link_copy(self, library)
    else:
        library._ensure_finalized()
        self._reload_init.update(library._reload_init)
        calls_of(self)[call] = library


_link_copy = codegen.CPUCodeLibrary.add_linking_library
codegen.CPUCodeLibrary.add_linking_library = _add_linking_library
