"""The site of `make docs` builds: no broken link, and an API reference of the public names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import writhe

ROOT = Path(__file__).resolve().parents[2]


def test_the_reference_has_every_public_name():
    page = (ROOT / "docs" / "api.md").read_text()
    listed = re.findall(r"^::: writhe\.(?:\w+\.)*(\w+)$", page, re.M)
    assert sorted(listed) == [name for name in dir(writhe) if name != "__version__"]


def test_the_site_builds_without_a_broken_link(tmp_path):
    pytest.importorskip("mkdocs", reason="needs the extra docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reference = (tmp_path / "site" / "api.html").read_text()
    assert 'id="writhe.collision.certify.certify"' in reference
    assert (tmp_path / "site" / "search" / "search_index.json").exists()
