"""Fuzzes the readers: any input must give a result or a `WritheError`.

`python -m writhe.research.fuzzing.fuzz_readers --seconds 600` runs every format for an equal share
of the time, each in a process of its own. atheris (libFuzzer, extra `fuzz`) guides the inputs by
the coverage of `writhe.io` and `writhe.scene`; without it, inputs are random edits of the seeds.
Found inputs are kept with their traceback under `--keep`, the corpus grows under `--keep`/corpus.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import numpy as np

NAMES = ("bvh", "glb", "npz", "scene", "mesh", "obj")
LONGEST_BYTES = 8192
_INSTRUMENTED = (
    "writhe.io.gltf.read",
    "writhe.io.gltf.skin",
    "writhe.io.bvh.read",
    "writhe.io.amass",
    "writhe.io.meshes",
    "writhe.io.figure_from_skeleton",
    "writhe.scene.reader",
)
_SLOW_S, _MEMORY_MB = 30, 4096
_TROUBLE = (
    *(b"-1", b"0", b"1e999", b"nan", b"99999999999999999999", b"{", b"}", b"[", b"null", b"true"),
    *(b"\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\r", b"-", b"1e-400", b'"'),
)


class Harness:
    """Reads one input after another; counts them and keeps those with a foreign exception."""

    def __init__(self, name: str, keep: Path) -> None:
        from writhe.errors import WritheError
        from writhe.research.fuzzing.fuzz_inputs import FORMATS

        suffix, self.make, self.read = FORMATS[name]
        self.name, self.keep, self.refusal = name, keep, WritheError
        memory = Path("/dev/shm")  # a file in memory, if the platform has this folder
        self.folder = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
        self.path = Path(self.folder.name) / f"input{suffix}"
        self.inputs = self.accepted = 0
        self.found: dict[str, int] = {}

    def __call__(self, data: bytes) -> None:
        """Read one input."""
        self.inputs += 1
        self.path.write_bytes(self.make(data))
        try:
            self.read(self.path)
            self.accepted += 1
        except self.refusal:
            pass
        except Exception as error:
            self._record(error, data)
        if self.inputs % 500 == 0:
            self.save()

    def _record(self, error: Exception, data: bytes) -> None:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
        self.found[where] = self.found.get(where, 0) + 1
        if self.found[where] > 1:
            return
        stem = self.keep / f"{self.name}-{len(self.found)}"
        stem.with_suffix(".input").write_bytes(data)
        stem.with_suffix(self.path.suffix).write_bytes(self.path.read_bytes())
        stem.with_suffix(".txt").write_text("".join(traceback.format_exception(error)))
        self.save()

    def save(self) -> None:
        """Write the counts where the parent process reads them."""
        counts = {"inputs": self.inputs, "accepted": self.accepted, "found": self.found}
        (self.keep / f"{self.name}.json").write_text(json.dumps(counts))


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """One to four random edits: flipped bytes, cuts, doublings, and extreme numbers."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        at = int(rng.integers(0, max(1, len(out))))
        match int(rng.integers(0, 6)):
            case 0 if out:
                out[at] = int(rng.integers(0, 256))
            case 1 if out:
                out[at] ^= 1 << int(rng.integers(0, 8))
            case 2:
                del out[at : at + int(rng.integers(1, 40))]
            case 3:
                out[at:at] = out[at : at + int(rng.integers(1, 60))]
            case 4:
                word = _TROUBLE[int(rng.integers(0, len(_TROUBLE)))]
                out[at : at + len(word)] = word
            case _:
                if rng.random() < 0.1:
                    del out[at:]
    return bytes(out)


def _fuzz(name: str, seconds: float, seed: int, keep: Path) -> None:
    """One format in this process."""
    if find_spec("atheris") is None:
        _fuzz_at_random(Harness(name, keep), name, seconds, seed)
        return
    atheris: Any = import_module("atheris")  # it has no types
    # only what is imported from here on is instrumented, and kernels must not be
    for module in walk_packages(import_module("writhe.kernels").__path__, "writhe.kernels."):
        import_module(module.name)
    with atheris.instrument_imports(include=["writhe"]):
        for module in _INSTRUMENTED:
            import_module(module)
    from writhe.research.fuzzing.fuzz_inputs import seeds

    harness = Harness(name, keep)
    corpus = keep / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds(name)):
        (corpus / f"seed{number}").write_bytes(data)
    words = keep / f"{name}.dict"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in _words(name)))
    options = [
        f"-max_total_time={max(1, round(seconds))}",
        f"-seed={seed}",
        f"-max_len={LONGEST_BYTES}",
        f"-timeout={_SLOW_S}",
        f"-rss_limit_mb={_MEMORY_MB}",
        f"-dict={words}",
        f"-artifact_prefix={keep}/{name}-",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], harness, enable_python_coverage=True)
    atheris.Fuzz()  # ends the process


def _fuzz_at_random(harness: Harness, name: str, seconds: float, seed: int) -> None:
    from writhe.research.fuzzing.fuzz_inputs import seeds

    rng, known = np.random.default_rng(seed), seeds(name)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        harness(mutated(known[int(rng.integers(len(known)))], rng))
    harness.save()


def _words(name: str) -> list[bytes]:
    own: dict[str, str] = {
        "bvh": "HIERARCHY ROOT JOINT End Site OFFSET CHANNELS MOTION Frames: Frame Time: Xposition"
        " Yrotation Zrotation Xrotation { }",
        "glb": "children translation rotation scale matrix mesh skin name joints primitives"
        " inverseBindMatrices attributes POSITION JOINTS_0 WEIGHTS_0 indices mode samplers channels"
        " input output interpolation STEP CUBICSPLINE LINEAR target node path sampler count type"
        " componentType bufferView byteOffset byteLength byteStride sparse extras kind axis hinge"
        " free normalized MAT4 VEC3 SCALAR",
        "scene": "actors objects contacts shapes type box ball capsule cylinder hull mesh keys"
        " half_space times_s positions_m rotations built_in ladder human octopus moved animated",
    }
    own["mesh"] = own["glb"]
    return [word.encode() for word in own.get(name, "").split()] + list(_TROUBLE)


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


def run(
    names: tuple[str, ...], seconds: float, seed: int, keep: Path, say: Callable[[str], None]
) -> dict[str, dict[str, Any]]:
    """Fuzz the formats one after the other; counts and found exceptions by format."""
    keep.mkdir(parents=True, exist_ok=True)
    results: dict[str, dict[str, Any]] = {}
    for name in names:
        counts = keep / f"{name}.json"
        counts.unlink(missing_ok=True)
        share = seconds / len(names)
        command = [sys.executable, "-m", __spec__.name if __spec__ else __name__, "--one", name]
        command += ["--seconds", str(share), "--seed", str(seed), "--keep", str(keep)]
        with (keep / f"{name}.log").open("w") as log:
            code = subprocess.run(command, stdout=log, stderr=log, check=False).returncode
        found: dict[str, Any] = {"inputs": 0, "found": {}}
        if counts.exists():
            found = json.loads(counts.read_text())
        if code != 0:  # a hang, too much memory, or a crash of the process
            found["found"][f"the process ended with {code}: see {keep / name}.log"] = 1
        results[name] = found
        say(f"{name}: {found['inputs']} inputs, {len(found['found'])} foreign exceptions")
    return results


def main() -> int:
    """The command line; exit code 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"))
    parser.add_argument("--formats", default=",".join(NAMES))
    parser.add_argument("--one", help="fuzz this format in this process", default="")
    given = parser.parse_args()
    if given.one:
        given.keep.mkdir(parents=True, exist_ok=True)
        _fuzz(given.one, given.seconds, given.seed, given.keep)
        return 0
    results = run(tuple(given.formats.split(",")), given.seconds, given.seed, given.keep, print)
    for name, result in results.items():
        for where in result["found"]:
            print(f"{name}: {where}")
    return 1 if any(result["found"] for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
