"""Scripts in Blender's Python, which print one line RESULT with JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable


def result_of(command: list[str]) -> dict:
    """What a script found; fails with its output if it found nothing.

    Its Python finds what is installed there and nothing else.
    """
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=own)
    found = [line[7:] for line in run.stdout.splitlines() if line.startswith("RESULT ")]
    assert found, (run.stdout + run.stderr)[-3000:]
    return json.loads(found[-1])


def drag_to(
    drag, goal, steps: int, start=None, after_first: Callable[[], None] | None = None
) -> tuple[dict, float]:
    """Drag evenly to a goal (targets, 3): the last answer, and the median time of a step (ms)."""
    here, times = drag.start if start is None else start, []
    answer: dict = {}
    for step in range(1, steps + 1):
        began = time.perf_counter()
        answer = drag.move(here + step / steps * (goal - here))
        times.append(1e3 * (time.perf_counter() - began))
        if step == 1 and after_first is not None:
            after_first()
    return answer, sorted(times)[len(times) // 2]


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
