"""Run a benchmark or an experiment by name."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any

from writhe.errors import UnknownNameError, WritheError
from writhe.progress import Progress, no_progress


def run_named(
    kind: str,
    package: str,
    known: Mapping[str, str],
    name: str,
    progress: Progress | None,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Call `run(progress, **options)` of the module `name` in `package`.

    Dashes in a name are underscores in its module. Options that are None are not passed; unknown
    options raise an error.
    """
    if name not in known:
        raise UnknownNameError(kind, name, sorted(known))
    module = importlib.import_module(f"{package}.{name.replace('-', '_')}")
    given = {key: value for key, value in options.items() if value is not None}
    takes = set(inspect.signature(module.run).parameters) - {"progress"}
    for key in given:
        if key not in takes:
            listed = ", ".join(sorted(takes)) or "none"
            raise WritheError(f"the {kind} {name!r} takes no --{key} (it takes: {listed})")
    return module.run(progress or no_progress, **given)
