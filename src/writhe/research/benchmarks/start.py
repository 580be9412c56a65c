"""Time from installation to the first drag.

Every measurement starts new processes with an empty cache folder, except `cold_start_s`, `info_s`,
`certify_s` (kernels and bytecode cached) and `baseline_over_native`. Those of the wheel need a
wheel in `dist` (`make wheel`), which is installed into its own environment.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from writhe.errors import WritheError
from writhe.progress import Progress
from writhe.research.benchmarks import studio

_ROOT = Path(__file__).parents[4]
_WRITHE = "from writhe.cli import main; main()"
_FIRST_POSE = """
import writhe
human = writhe.figure("human")
poser = writhe.make_poser("default", human)
poser.step(human.skeleton.rest_configuration, [writhe.Target("left_wrist", (0.4, 1.2, 0.3))])
"""
_CLIP = """
import sys, numpy, writhe
skeleton = writhe.figure("human").skeleton
q = numpy.repeat(skeleton.rest_configuration[None], 30, axis=0)
writhe.save(writhe.Motion(skeleton, q, 30.0), sys.argv[1])
"""
_DRAG = """
import math, statistics, time, writhe
from writhe.postures.builtin import builtin_database
human = writhe.figure("human")
poser = writhe.make_poser("default", human, builtin_database())
q = human.skeleton.rest_configuration
feet = [writhe.pin_here(human.skeleton, q, f"{side}_ankle") for side in ("left", "right")]
times = []
for k in range(600):
    angle = 0.05 * k
    goal = (0.35 * math.cos(angle), 1.15 + 0.25 * math.sin(angle), 0.3)
    began = time.perf_counter()
    q = poser.step(q, [writhe.Target("left_wrist", goal)], feet).q
    times.append(time.perf_counter() - began)
print(1e3 * statistics.median(times[60:]))
"""
_ROUNDS = 3
_FIGURES = (
    *("wheel_first_drag_s", "wheel_first_certify_s", "checkout_page_s", "checkout_first_drag_s"),
    *("warmup_s", "cold_start_s", "baseline_over_native", "info_s", "info_without_bytecode_s"),
    *("certify_s", "site_packages_mb"),
)


def run(progress: Progress, *, quick: bool = False) -> dict[str, Any]:
    """Seconds to the first drag, certificate, page and pose; None where something is missing.

    Quick leaves out what compiles all kernels: the checkout with an empty cache and the warm-up.
    """
    result: dict[str, Any] = dict.fromkeys(_FIGURES)
    result["load_average"] = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    with tempfile.TemporaryDirectory(prefix="writhe-bench-") as name:
        folder = Path(name)
        progress(None, "the start with cached kernels")
        result |= _cached(folder)
        wheels = sorted(
            (_ROOT / "dist").glob("writhe-*-cp*.whl"), key=lambda one: one.stat().st_mtime
        )
        if wheels:
            progress(None, "the installed wheel")
            python = _installed(wheels[-1], folder / "environment")
            result |= _wheel(python, folder)
            result["site_packages_mb"] = _megabytes(Path(python).parents[1])
            progress(None, "the baseline processor against this one")
            result["baseline_over_native"] = _baseline_over_native(python, folder)
        if not quick:
            progress(None, "the checkout with an empty cache")
            result |= _checkout(folder)
            progress(None, "the warm-up")
            empty = {"WRITHE_CACHE_DIR": str(folder / "warmup"), "WRITHE_PREBUILT": "0"}
            result["warmup_s"] = _timed(sys.executable, "-c", _WRITHE, "warmup", **empty)
    return result


def _timed(*command: str, **environment: str) -> float:
    began = time.perf_counter()
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise WritheError(f"{' '.join(command)[:200]} failed: {done.stderr[-500:]}")
    return round(time.perf_counter() - began, 2)


def _cached(folder: Path) -> dict[str, float]:
    """Seconds of new processes with kernels and bytecode in caches, and one without bytecode."""
    clip = folder / "clip.bvh"
    bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    none = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": str(folder / "no bytecode")}
    _timed(sys.executable, "-c", _CLIP, str(clip), **bytecode)

    def best(*command: str, **environment: str) -> float:
        _timed(sys.executable, "-c", *command, **environment)
        return min(_timed(sys.executable, "-c", *command, **environment) for _ in range(_ROUNDS))

    return {
        "cold_start_s": best(_FIRST_POSE, **bytecode),
        "info_s": best(_WRITHE, "info", str(clip), **bytecode),
        "info_without_bytecode_s": best(_WRITHE, "info", str(clip), **none),
        "certify_s": best(_WRITHE, "certify", str(clip), **bytecode),
    }


def _installed(wheel: Path, environment: Path) -> str:
    """The Python of a new environment with the wheel and nothing else."""
    uv = (sys.executable, "-m", "uv")
    _timed(*uv, "venv", "--python", sys.executable, str(environment))
    place = "Scripts" if sys.platform == "win32" else "bin"
    python = str(environment / place / "python")
    _timed(*uv, "pip", "install", "--python", python, "--compile-bytecode", str(wheel))
    return python


def _megabytes(folder: Path) -> float:
    return round(sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / 1e6, 1)


def _wheel(python: str, folder: Path) -> dict[str, float]:
    clip = folder / "clip.bvh"
    alone = {"PYTHONPATH": "", "WRITHE_CACHE_DIR": str(folder / "wheel")}
    _timed(sys.executable, "-c", _CLIP, str(clip))
    certify = _timed(python, "-c", _WRITHE, "certify", str(clip), **alone)
    began = time.perf_counter()
    server, address = studio.start(
        folder, python, alone | {"WRITHE_CACHE_DIR": str(folder / "wheel2")}
    )
    try:
        asyncio.run(_first_drag(address))
        return {
            "wheel_first_drag_s": round(time.perf_counter() - began, 2),
            "wheel_first_certify_s": certify,
        }
    finally:
        server.terminate()
        server.wait(10)


def _checkout(folder: Path) -> dict[str, float]:
    empty = {"WRITHE_CACHE_DIR": str(folder / "checkout"), "WRITHE_PREBUILT": "0"}
    began = time.perf_counter()
    server, address = studio.start(folder, environment=empty)
    try:
        while True:
            try:
                urllib.request.urlopen(address).close()
                break
            except urllib.error.URLError:
                time.sleep(0.05)
        page = time.perf_counter() - began
        while not json.load(urllib.request.urlopen(address + "api/preparation"))["ready"]:
            time.sleep(0.2)
        asyncio.run(_first_drag(address))
        return {
            "checkout_page_s": round(page, 2),
            "checkout_first_drag_s": round(time.perf_counter() - began, 2),
        }
    finally:
        server.terminate()
        server.wait(10)


async def _first_drag(address: str) -> None:
    _, socket = await studio.open_session(address)
    await socket.close()


def _baseline_over_native(python: str, folder: Path) -> float:
    """Median time of a drag step with the machine code of the wheel, over natively compiled.

    The hand circles across the chest, through both sides of the other arm.
    """
    baseline = {"PYTHONPATH": "", "WRITHE_CACHE_DIR": str(folder / "wheel3")}
    native = {"PYTHONPATH": "", "WRITHE_PREBUILT": "0"}
    times: dict[str, list[float]] = {"baseline": [], "native": []}
    for _ in range(_ROUNDS):
        for name, environment in (("baseline", baseline), ("native", native)):
            done = subprocess.run(
                [python, "-c", _DRAG],
                env={**os.environ, **environment},
                capture_output=True,
                text=True,
                check=True,
            )
            times[name].append(float(done.stdout.strip().splitlines()[-1]))
    return round(min(times["baseline"]) / min(times["native"]), 3)  # the least disturbed rounds
