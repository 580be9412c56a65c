"""A process of `writhe.warmup.processes`: calls the functions named on its standard input.

One line per function, "module:function". Writes one JSON object per line: `compiling` a kernel,
`done` with a function, or `error`. With `--nice` it runs at low priority.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import sys
from typing import IO


class _ProgressHandler(logging.Handler):
    """Reports each kernel that is compiled."""

    def __init__(self, output: IO[str]) -> None:
        super().__init__()
        self._output = output

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line for one kernel."""
        _write(self._output, {"compiling": record.getMessage()})


def main() -> None:
    """Serve until standard input ends."""
    if "--nice" in sys.argv and hasattr(os, "nice"):
        os.nice(5)
    output, sys.stdout = sys.stdout, sys.stderr
    log = logging.getLogger("writhe.kernels")
    log.setLevel(logging.DEBUG)
    log.propagate = False
    log.addHandler(_ProgressHandler(output))
    for line in sys.stdin:
        module, _, name = line.strip().partition(":")
        try:
            getattr(importlib.import_module(module), name)()
        except Exception as error:
            _write(output, {"error": f"{type(error).__name__}: {error}"})
        else:
            _write(output, {"done": name})


def _write(output: IO[str], event: dict[str, str]) -> None:
    output.write(json.dumps(event) + "\n")
    output.flush()


if __name__ == "__main__":
    main()
