"""kill -9 at any moment: every acknowledged command is there afterwards."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from writhe.studio.document import Document

KILLS = 50


def _write_commands(path: Path, acknowledge: int, start: int) -> None:
    """Rename the document again and again, telling each number once its command is done."""
    with Document.open(path) as document:
        number = start
        while True:
            number += 1
            with document.edit("Count", f"request-{number}") as edit:
                edit.setting("name", str(number))
                edit.setting("fps", float(1 + number % 100))
            os.write(acknowledge, f"{number}\n".encode())


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_fifty_kills_lose_nothing_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "killed.writhe"
    with Document.create(path, "0") as document:
        document.add_actor("human")
    rng = random.Random(7)
    told = 0
    for _ in range(KILLS):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                _write_commands(path, write, told)
            finally:
                os._exit(1)
        os.close(write)
        time.sleep(rng.uniform(0.002, 0.12))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(read) as answers:
            lines = [line for line in answers if line.endswith("\n")]
        told = int(lines[-1]) if lines else told
        with Document.open(path) as document:
            kept = int(document.name)
            assert kept >= told
            assert kept <= told + 1  # at most the command that was being acknowledged
            assert document.fps == 1 + kept % 100 or kept == 0  # never half a command
            assert document.carried_out(f"request-{kept}") or kept == 0
            assert len(document.actors()) == 1
            told = kept
    assert told > KILLS
