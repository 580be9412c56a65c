"""Scripts in Blender's Python, which print one line RESULT with JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable


def result_of(command: list[str]) -> dict:
    """What a script found; fails with its output if it found nothing."""
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    found = [line[7:] for line in run.stdout.splitlines() if line.startswith("RESULT ")]
    assert found, (run.stdout + run.stderr)[-3000:]
    return json.loads(found[-1])


def print_result(main: Callable[[], dict]) -> None:
    """Called by the script: print what `main` returns, and end the process."""
    try:
        print("RESULT " + json.dumps(main()), flush=True)
    except BaseException:
        traceback.print_exc()
    finally:  # bpy may hang when the interpreter ends
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
