"""writhe runs where nothing can be written, no program is on the path, and there is no home."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import writhe

CLIP = """HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 -45 0
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 90 0 0 0 0
0 90 1 0 0 0
"""
SCRIPT = """
import sys; sys.path.insert(0, sys.argv[1])
import writhe
from writhe.skeleton import Joint, JointKind, Skeleton
assert writhe.__file__.startswith(sys.argv[1]), writhe.__file__
skeleton = Skeleton([Joint("root", None, JointKind.FREE)])
print(writhe.forward(skeleton, skeleton.rest_configuration).position("root").tolist())
"""
INFO = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from writhe.cli import main; sys.exit(main())"
)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the package in a folder of its own, as in site-packages, without write access."""
    site = tmp_path / "site"
    package = Path(writhe.__file__).parent
    ignored = shutil.ignore_patterns("static", "__pycache__", "prebuilt")
    shutil.copytree(package, site / "writhe", ignore=ignored)
    for path in [site, *site.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    return site


def _run(script: str, site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home = site.parent / "home"
    home.write_text("a file, so that no folder can be made in it")
    nothing = {
        "PATH": "",
        "HOME": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "WRITHE_PREBUILT": "0",
    }
    return subprocess.run(
        [sys.executable, "-c", script, str(site), *arguments],
        env=nothing,
        cwd=site.parent,
        capture_output=True,
        text=True,
    )


def test_kernels_compile_without_a_compiler_a_home_or_a_writable_package(installed: Path) -> None:
    before = sorted(installed.rglob("*"))
    done = _run(SCRIPT, installed)
    assert done.stdout.strip() == "[0.0, 0.0, 0.0]", done.stderr
    assert sorted(installed.rglob("*")) == before


def test_the_command_line_runs_there_too(installed: Path) -> None:
    clip = installed.parent / "clip.bvh"
    clip.write_text(CLIP)
    done = _run(INFO, installed, "info", str(clip), "--json")
    assert done.returncode == 0, done.stderr
    assert '"frames": 2' in done.stdout
