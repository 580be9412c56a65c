"""Names of a package that import their module when they are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package; `homes` maps names to the modules that define them.

    A name may be that of a module in the package: importing that module does not change what the
    name stands for.
    """
    here = sys.modules[package]
    if any(f"{package}.{name}" in homes.values() for name in homes):
        here.__class__ = _package_with(frozenset(homes))

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(here, name, value)  # later lookups do not call this function
        return value

    return load


def _package_with(names: frozenset[str]) -> type[ModuleType]:
    """The class of a package in which `names` never stand for modules."""

    class Package(ModuleType):
        def __setattr__(self, name: str, value: Any) -> None:
            # the import system sets every imported module as an attribute of its package
            if not (name in names and isinstance(value, ModuleType)):
                super().__setattr__(name, value)

    return Package
