"""Scripts in Blender's Python, which print one line RESULT with JSON."""

from __future__ import annotations

import json
import subprocess


def result_of(command: list[str]) -> dict:
    """What a script found; fails with its output if it found nothing."""
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    found = [line[7:] for line in run.stdout.splitlines() if line.startswith("RESULT ")]
    assert found, (run.stdout + run.stderr)[-3000:]
    return json.loads(found[-1])
