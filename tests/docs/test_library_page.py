"""The page about the library is a script that works, and no page names what is not there."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from writhe.cli.app import COMMANDS, build_app
from writhe.research.benchmarks import BENCHMARKS
from writhe.research.experiments import EXPERIMENTS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    ROOT / "src" / "writhe" / "research" / "peers" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
_PYTHON = re.compile(r"```python\n(.*?)```", re.S)
_COMMAND = re.compile(r"(?:`|bin/|^ {4}|^)writhe ([a-z]+\b[^`\n|#]*)", re.M)


def test_the_library_page_runs_from_top_to_bottom(tmp_path):
    script = "\n".join(_PYTHON.findall((ROOT / "docs" / "library.md").read_text()))
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^certified True 0\.\d+$", done.stdout, re.M)  # with this clearance
    assert re.search(r"^\w+, \d mm from the target$", done.stdout, re.M)
    assert (tmp_path / "strip.png").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_on_a_page_imports_what_exists(page):
    for block in _PYTHON.findall(page.read_text()):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom):
                module = importlib.import_module(str(node.module))
                for name in node.names:
                    assert hasattr(module, name.name), f"{node.module} has no {name.name}"
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "writhe":
                getattr(importlib.import_module("writhe"), node.attr)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_a_page_take_their_options(page):
    for found in _COMMAND.findall(page.read_text()):
        words = found.split()
        if words[0] not in COMMANDS:
            assert not found.startswith(tuple(COMMANDS)), found
            continue
        group: Any = typer.main.get_command(build_app(words[0]))
        command = group.commands[words[0]]
        if len(words) > 1 and hasattr(command, "commands"):
            command = command.commands[words[1]]
        known = {"bench": BENCHMARKS, "reproduce": EXPERIMENTS}.get(words[0], {})
        if known and len(words) > 1 and words[1] != "NAME":
            assert words[1] in known, found
        options = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
        for word in words:
            if word.startswith("-"):
                assert word.strip("[]).,;") in {*options, "--help"}, found
