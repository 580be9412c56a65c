"""The decorator of all kernels: compiled by Numba, machine code cached on disk by content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

import numba

from writhe.machine_code.kernel_cache import KernelCache

Function = TypeVar("Function", bound=Callable[..., Any])

# Reordering and fused multiply-add are allowed; infinities and NaN keep their meaning.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}

PACKAGE = "writhe.kernels."


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

    `vector`: division by zero gives infinity instead of an exception, so that loops with divisions
    can be vectorised. `inline`: small functions of inner loops are merged into their
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
        if not numba.config.DISABLE_JIT:  # pyright: ignore[reportPrivateImportUsage, reportAttributeAccessIssue]
            compiled._cache = KernelCache(compiled, inline)
        return cast(Function, compiled)

    return compile_it if function is None else compile_it(function)


def _only_called_by_kernels(function: Callable[..., Any]) -> bool:
    """Whether Python never calls this kernel: it is private to a module of kernels.

    Such a kernel is compiled without the code that unpacks its arguments from Python objects, which
    for a hundred arrays is most of it. Calling it from Python would crash.
    """
    return function.__name__.startswith("_") and function.__module__.startswith(PACKAGE)


def machine_code(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The machine code of a kernel for arguments of these types.

    Most of the time of a call with a hundred arrays goes into finding their types. Calling the
    machine code saves that (10 us for the poser's kernels) but skips all type checks: use it only
    for arrays that the caller made itself and keeps from call to call.
    """
    compiled = cast(Any, function)
    types = tuple(numba.typeof(argument) for argument in arguments)
    compiled.compile(types)
    return cast(Callable[..., Any], compiled.overloads[types].entry_point)
