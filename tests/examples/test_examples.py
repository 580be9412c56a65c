"""The scripts in `examples/` run, and print what their page shows (numbers may differ)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
_SHOWN = re.compile(r"\[`(\w+\.py)`\]\(\1\).*?```text\n(.*?)```", re.S)


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+(\.\d+)?", "#", text)


def test_the_page_shows_every_script():
    shown = dict(_SHOWN.findall((EXAMPLES / "README.md").read_text()))
    assert sorted(shown) == [script.name for script in SCRIPTS]
    for script in SCRIPTS:
        assert len(script.read_text().splitlines()) <= 60


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_prints_what_its_page_shows(script, tmp_path):
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    shown = dict(_SHOWN.findall((EXAMPLES / "README.md").read_text()))[script.name]
    assert _without_numbers(done.stdout) == _without_numbers(shown)
    assert list(tmp_path.glob("*.bvh"))
