"""The scripts and the key file of the page on animating work as printed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from writhe.cli.app import build_app

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "animating.md").read_text()


def test_the_scripts_run_from_top_to_bottom(tmp_path: Path):
    script = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.S))
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^done certified$", done.stdout, re.M)
    assert re.search(r"^pins within 0\.0\d mm$", done.stdout, re.M)
    assert (tmp_path / "squat.bvh").exists()


def test_the_key_file_is_animated_by_the_command(tmp_path: Path):
    (found,) = re.findall(r"```json\n(.*?)```", PAGE, re.S)
    keys, out = tmp_path / "keys.json", tmp_path / "squat.bvh"
    keys.write_text(found)
    result = CliRunner().invoke(
        build_app("animate"), ["animate", str(keys), "-o", str(out), "--json"]
    )
    report = json.loads(result.stdout.strip().splitlines()[-1])
    assert result.exit_code == 0, report
    assert report["pin_error_m"] < 1e-3
