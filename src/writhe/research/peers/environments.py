"""A virtual environment for every peer, since their versions of Python and NumPy conflict.

`python -m writhe.research.peers.environments [NAME ...]` creates those that are missing (or the
named ones) and reports which could not be created.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(".environments").resolve()


@dataclass(frozen=True)
class PeerEnvironment:
    """The packages of a peer; `bare` packages are installed without dependencies."""

    python: str
    packages: tuple[str, ...]
    bare: tuple[str, ...] = ()
    check: str = ""


ENVIRONMENTS = {
    "momentum": PeerEnvironment(
        "3.12",
        ("numpy>=2", "scipy"),
        bare=("pymomentum-core==0.1.114.post0",),  # without torch, which is not needed here
        check="import pymomentum.geometry, pymomentum.solver2",
    ),
    "mink": PeerEnvironment("3.11", ("mink==1.3.0", "daqp"), check="import mink, mujoco"),
    "pink": PeerEnvironment(
        "3.11", ("pin-pink==4.4.0", "qpsolvers[daqp]"), check="import pink, pinocchio"
    ),
    "blender": PeerEnvironment("3.11", ("bpy==4.5.*", "numpy<2"), check="import bpy"),
    "ompl": PeerEnvironment("3.11", ("ompl", "numpy"), check="import ompl"),
}


def python_of(name: str) -> Path | None:
    """The interpreter of an environment; None if it does not exist."""
    python = FOLDER / name / "bin" / "python"
    return python if python.exists() else None


def make(name: str) -> str | None:
    """Create an environment; None if it works, else the reason why not."""
    environment, folder = ENVIRONMENTS[name], FOLDER / name
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if uv is None:
        return "uv is not installed (run `make install`)"
    python = folder / "bin" / "python"
    install = [uv, "pip", "install", "-q", "-p", str(python)]
    steps = [
        [uv, "venv", "-q", "--clear", "-p", environment.python, str(folder)],
        [*install, *environment.packages],
    ]
    if environment.bare:
        steps.append([*install, "--no-deps", *environment.bare])
    steps.append([str(python), "-c", environment.check])
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            said = (done.stderr or done.stdout).strip().splitlines()
            return said[-1] if said else f"{step[0]} ended with {done.returncode}"
    return None


def main(names: list[str]) -> int:
    """Create the missing environments."""
    failed = 0
    for name in names or list(ENVIRONMENTS):
        if python_of(name) is not None:
            print(f"{name}: there")
            continue
        reason = make(name)
        failed += reason is not None
        print(f"{name}: {'made' if reason is None else f'left out, {reason}'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
