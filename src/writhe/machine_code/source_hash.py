"""The part of a kernel's cache key that follows its source: hashes of kernel modules.

`kernel_cache` adds the argument types and the processor. Comments and docstrings are not hashed, so
editing them recompiles nothing; nor are paths, so a copy of the sources elsewhere finds the same
machine code.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

from writhe.cache import code_hash
from writhe.prebuilt import python_tag

PACKAGE = "writhe.kernels"
_FOLDER = Path(__file__).parents[1] / "kernels"
_IMPORT = re.compile(r"^\s*from writhe\.kernels\.([\w.]+) import", re.MULTILINE)


def kernel_modules() -> list[str]:
    """The dotted names of all kernel modules, relative to `writhe.kernels`."""
    paths = (path.relative_to(_FOLDER) for path in _FOLDER.rglob("*.py"))
    return sorted(".".join(path.with_suffix("").parts) for path in paths)


@cache
def compiler_versions() -> tuple[str, str]:
    """The versions of Numba and llvmlite."""
    import llvmlite

    numba = sys.modules.get("numba")  # quicker than package metadata, if it is already imported
    return version("numba") if numba is None else numba.__version__, llvmlite.__version__


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


@cache
def _storage_hash() -> bytes:
    """A hash of the code that stores machine code: stored kernels refer to its modules by name."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.stem.encode() + code_hash(path.read_bytes()))
    return digest.digest()


def _hash_of(modules: Iterable[str]) -> str:
    made_with = (python_tag(), *compiler_versions())
    digest = hashlib.sha256(" ".join(made_with).encode() + _storage_hash())
    for module in sorted(modules):
        digest.update(module.encode())
        digest.update(_module_hash(module))
    return digest.hexdigest()[:16]


def folder_name(module: str) -> str:
    """The folder of a kernel module's machine code; `module` is relative to writhe.kernels.

    Its name contains a hash of the code of that module and of every kernel module it imports,
    directly or not, of the code that stores them, and of the versions of Python, Numba and
    llvmlite.
    """
    return f"{module}-{_hash_of(_imported(module))}"


@cache
def all_kernels_hash() -> str:
    """A hash that changes with any edit of the code of any kernel."""
    return _hash_of(kernel_modules())
