"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from writhe.cli.app import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


def test_the_script_prints_what_the_readme_says(tmp_path):
    text = (ROOT / "README.md").read_text()
    found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.S)
    assert found is not None
    script, shown = found.groups()
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown
    assert (tmp_path / "reach.bvh").exists()


def test_every_command_of_the_readme_exists():
    table = (ROOT / "README.md").read_text().split("## On the command line")[1].split("##")[0]
    named = set(re.findall(r"^\| `writhe (\w+)", table, re.M))
    assert named and named <= set(COMMANDS)


def test_links_in_the_documentation_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md")]:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
            if not target.startswith(("http:", "https:")):
                assert (page.parent / target).exists(), f"{page.name}: {target}"
