"""The cache of one kernel: finds its machine code, or compiles and stores it.

The cache key is the file name `MODULE-SOURCEHASH/FUNCTION-TYPESHASH-TARGETHASH`: the source of the
module and of the kernel modules it imports (`source_hash`), the argument types, and the processor.

Machine code is searched in the user's cache folder (compiled for this processor), then in the wheel
(`writhe.prebuilt`, compiled for a baseline processor); otherwise it is compiled. An unreadable file
is ignored.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, cast

import llvmlite.binding as llvm
from numba.core import caching

from writhe import prebuilt
from writhe.cache import cache_root, write_file
from writhe.machine_code.compile_locks import claimed
from writhe.machine_code.separate import call_of
from writhe.machine_code.source_hash import (
    PACKAGE,
    all_kernels_hash,
    compiler_versions,
    folder_name,
)
from writhe.machine_code.stored_kernel import from_bytes, to_bytes
from writhe.machine_code.symbols import number_by_content
from writhe.machine_code.threads import sleep_while_waiting

sleep_while_waiting()
log = logging.getLogger("writhe.kernels")

loaded: list[tuple[str, bytes]] = []
"""Name and stored bytes of the kernels loaded by this process, in order (`record_loads`)."""
_recording = False


def record_loads() -> None:
    """Keep in `loaded` what is loaded from now on."""
    global _recording
    _recording = True


class KernelCache(cast(Any, caching)._Cache):
    """The cache that a Numba dispatcher asks for machine code by signature."""

    def __init__(self, dispatcher: Any, inline: bool) -> None:
        self._function: Callable[..., Any] = dispatcher.py_func
        self._inline = inline
        self._compile = dispatcher._compiler.compile
        self._context = dispatcher.targetctx
        dispatcher._compiler.compile = self._compile_once
        number_by_content(self._function, lambda: self._content)

    @cached_property
    def _content(self) -> str | None:
        """The part of the cache key for the source; None if the kernel cannot be cached."""
        module, name = self._function.__module__, self._function.__qualname__
        if module.startswith(f"{PACKAGE}."):
            return f"{folder_name(module.removeprefix(f'{PACKAGE}.'))}/{name}"
        # a kernel outside the package may call any of ours: hash them all, and its own file
        try:
            source = Path(self._function.__code__.co_filename).read_bytes()
        except OSError:
            return None
        stamp = hashlib.sha256(source).hexdigest()[:16]
        return None if "<locals>" in name else f"elsewhere-{all_kernels_hash()}/{name}-{stamp}"

    def _name(self, signature: Any) -> str | None:
        if self._content is None:
            return None
        types = ",".join(_describe(one) for one in signature)
        return f"{self._content}-{hashlib.sha256(types.encode()).hexdigest()[:20]}"

    def _path(self, name: str) -> Path:
        return cache_root() / "kernels" / f"{name}-{_target(self._context)}"

    @property
    def cache_path(self) -> str:
        return str(cache_root() / "kernels")

    def load_overload(self, sig: Any, target_context: Any) -> Any | None:
        """The compile result for a signature; None if it is stored nowhere."""
        name = self._name(sig)
        if name is None:
            return None
        try:
            data = self._path(name).read_bytes()
        except OSError:
            data = None
        result = None if data is None else _rebuilt(name, data, target_context)
        if result is None and _runs_prebuilt_code():
            data = prebuilt.kernel(name)
            result = None if data is None else _rebuilt(name, data, target_context)
        if _recording and result is not None and data is not None:
            loaded.append((name, data))
        return result

    def _compile_once(self, args: Any, return_type: Any) -> Any:
        """Compile and store, unless another process has just done so."""
        name = self._name(args)
        if name is None:
            return self._fresh(args, return_type)
        path = self._path(name)
        with claimed(path.with_name(f"{path.name}.lock")) as waited:
            if waited:
                result = self.load_overload(args, self._context)
                if result is not None:
                    self._context.insert_user_function(
                        result.entry_point, result.fndesc, [result.library]
                    )
                    return result
            result = self._fresh(args, return_type)
            if not (result.lifted or result.library.has_dynamic_globals):
                write_file(path, to_bytes(result))
        return result

    def _fresh(self, args: Any, return_type: Any) -> Any:
        log.debug("compiling %s.%s", self._function.__module__, self._function.__qualname__)
        result = self._compile(args, return_type)
        separate = not self._inline and "<locals>" not in self._function.__qualname__
        result.library.writhe_call = call_of(self._function, result, args) if separate else None
        return result

    def save_overload(self, sig: Any, data: Any) -> None:
        """Does nothing: `_compile_once` has stored it."""

    def enable(self) -> None:
        """Does nothing: the cache is always on."""

    def disable(self) -> None:
        """Does nothing: the cache is always on."""

    def flush(self) -> None:
        """Does nothing: no state is kept in memory."""


def _rebuilt(name: str, data: bytes, context: Any) -> Any | None:
    """The compile result of stored bytes; None if they are damaged."""
    try:
        return from_bytes(data, context)
    except Exception:
        # damaged bytes may raise anything; the kernel is compiled again in every case
        log.warning("the stored machine code of %s is damaged; it is compiled again", name)
        log.debug("reading %s failed", name, exc_info=True)
        return None


@cache
def _describe(kind: Any) -> str:
    """A Numba type as text, including the fields of named tuples, which its name omits."""
    if not hasattr(kind, "fields") or not hasattr(kind, "instance_class"):
        inner = getattr(kind, "types", None)
        return str(kind) if inner is None else f"({','.join(map(_describe, inner))})"
    chosen = kind.instance_class
    fields = zip(kind.fields, kind.types, strict=True)
    inside = ",".join(f"{field}:{_describe(one)}" for field, one in fields)
    return f"{chosen.__module__}.{chosen.__qualname__}({inside})"


@cache
def _target(context: Any) -> str:
    """A name for the processor that code is compiled for."""
    target = repr(context.codegen().magic_tuple())
    return hashlib.sha256(target.encode()).hexdigest()[:12]


@cache
def _runs_prebuilt_code() -> bool:
    """Whether the code in the wheel runs here: same compiler, and all processor features."""
    made = prebuilt.manifest()
    if tuple(made.get("compilers", ())) != compiler_versions():
        return False
    here = llvm.get_host_cpu_features()
    lacking = [one for one in made.get("features", ()) if not here.get(one, False)]
    if lacking:
        log.info("the processor lacks %s; kernels are compiled here", ", ".join(lacking))
    return not lacking
