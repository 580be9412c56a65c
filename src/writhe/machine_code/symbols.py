"""Gives kernels symbols that are the same in every process.

Numba numbers the functions of a process in the order in which it compiles them and puts the number
into the symbol. Here kernels get a number derived from their content, so that machine code that
calls a kernel by symbol can be linked with any compilation of that kernel. All other functions
(such as closures in Numba's own library) are numbered from a random start, so that equal symbols
from two processes never denote different functions.

Symbols also contain the compiler options, in which Numba lists the fast-math flags in the iteration
order of a set, which differs between processes.
"""

from __future__ import annotations

import hashlib
import itertools
import secrets
from collections.abc import Callable
from typing import Any

from numba.core import bytecode, cpu_options

Identity: Any = bytecode.FunctionIdentity
_names: dict[Any, Callable[[], str | None]] = {}
_numbered = Identity.from_function.__func__
Identity._unique_ids = itertools.count(secrets.randbits(40) << 20)


def number_by_content(function: Callable[..., Any], name: Callable[[], str | None]) -> None:
    """Number the function by a hash of `name()`; if that is None, Numba numbers it."""
    _names[function] = name


def _from_function(cls: Any, function: Any) -> Any:
    identity = _numbered(cls, function)
    name = _names.get(function, lambda: None)()
    if name is not None:
        digest = hashlib.sha256(name.encode()).digest()
        identity.unique_id = int.from_bytes(digest[:7])
        identity.unique_name = f"{identity.func_qualname}${identity.unique_id}"
    return identity


Identity.from_function = classmethod(_from_function)
cpu_options.FastMathOptions.encode = lambda self: str(sorted(self.flags))
