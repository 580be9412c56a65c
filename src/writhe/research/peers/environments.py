"""An environment for every peer: their versions of Python and NumPy clash.

`python -m writhe.research.peers.environments [NAME ...]` makes those that are missing (or the named
ones) and says which could not be made.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(".environments").resolve()


@dataclass(frozen=True)
class Environment:
    """What a peer is installed from; `bare` packages come without their dependencies."""

    python: str
    packages: tuple[str, ...]
    bare: tuple[str, ...] = ()
    check: str = ""


ENVIRONMENTS = {
    "momentum": Environment(
        "3.12",
        ("numpy>=2", "scipy"),
        bare=("pymomentum-core==0.1.114.post0",),  # its torch is not needed here
        check="import pymomentum.geometry, pymomentum.solver2",
    ),
    "mink": Environment("3.11", ("mink==1.3.0", "daqp"), check="import mink, mujoco"),
    "pink": Environment(
        "3.11", ("pin-pink==4.4.0", "qpsolvers[daqp]"), check="import pink, pinocchio"
    ),
    "blender": Environment("3.11", ("bpy==4.5.*", "numpy<2"), check="import bpy"),
    "ompl": Environment("3.11", ("ompl", "numpy"), check="import ompl"),
}


def python_of(name: str) -> Path | None:
    """The interpreter of an environment, or None where it was not made."""
    python = FOLDER / name / "bin" / "python"
    return python if python.exists() else None


def make(name: str) -> str | None:
    """Make an environment; None when it works, else the reason why it does not."""
    wanted, place = ENVIRONMENTS[name], FOLDER / name
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if uv is None:
        return "uv is missing (make install brings it)"
    python = place / "bin" / "python"
    install = [uv, "pip", "install", "-q", "-p", str(python)]
    steps = [
        [uv, "venv", "-q", "--clear", "-p", wanted.python, str(place)],
        [*install, *wanted.packages],
    ]
    if wanted.bare:
        steps.append([*install, "--no-deps", *wanted.bare])
    steps.append([str(python), "-c", wanted.check])
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(place, ignore_errors=True)
            said = (done.stderr or done.stdout).strip().splitlines()
            return said[-1] if said else f"{step[0]} ended with {done.returncode}"
    return None


def main(names: list[str]) -> int:
    """Make what is missing."""
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
