"""Machine code on disk is found, shared between processes, and never trusted when damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from writhe import prebuilt
from writhe.machine_code.source_hash import compiler_versions

# `_large` has more instructions than are copied into a caller, so that it is called by symbol
KERNELS = """
import logging, sys
logging.basicConfig(stream=sys.stderr, format="%(message)s")
logging.getLogger("writhe.kernels").setLevel(logging.DEBUG)
import numpy as np
from writhe.kernels.jit import kernel

@kernel
def _large(x):
    total = 0.0
    for i in range(x.size):
        y = x[i]
LINES
        total += y
    return total

@kernel
def twice(x):
    return 2.0 * _large(x)
""".replace(
    "LINES", "\n".join(f"        y = np.sin(y) * np.cos({k}.5 * y) + {k}.0" for k in range(150))
)
USE = (
    "import sys; sys.path.insert(0, sys.argv[1]); import theirs;"
    "print(theirs.twice(theirs.np.ones(3)))"
)
SYMBOL = USE + "; print([one.fndesc.mangled_name for one in theirs._large.overloads.values()])"


class Place:
    """A folder with a module of kernels, and a cache folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        (folder / "theirs.py").write_text(KERNELS)

    def start(self, script: str = USE, **environment: str) -> subprocess.Popen[str]:
        """A process that calls the kernels."""
        chosen = {"WRITHE_CACHE_DIR": str(self.cache), "WRITHE_PREBUILT": "0", **environment}
        return subprocess.Popen(
            [sys.executable, "-c", script, str(self.folder)],
            env={**os.environ, **chosen},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def use(self, script: str = USE, **environment: str) -> tuple[str, int]:
        """What a process prints, and the number of kernels that it compiled."""
        return finish(self.start(script, **environment))

    def stored(self) -> list[Path]:
        return [path for path in self.cache.glob("kernels/*/*") if path.suffix != ".lock"]


def finish(process: subprocess.Popen[str]) -> tuple[str, int]:
    printed, log = process.communicate(timeout=300)
    assert process.returncode == 0, log
    return printed, log.count("compiling ")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A cache that a process has filled; tests leave it as it is."""
    made = Place(tmp_path_factory.mktemp("filled"))
    assert made.use()[1] == 2
    return made


def pack_of(filled: Place, folder: Path, **changes: Any) -> str:
    """What a wheel would carry of these kernels; returns its path."""
    folder.mkdir()
    index: dict[str, tuple[int, int, int]] = {}
    data = b""
    for path in filled.stored():
        name = f"{path.parent.name}/{path.name.rpartition('-')[0]}"
        stored = path.read_bytes()
        index[name] = (len(data), len(stored), zlib.crc32(stored))
        data += stored
    (folder / "kernels.bin").write_bytes(data)
    manifest = {
        "format": prebuilt.FORMAT,
        "python": prebuilt.python_tag(),
        "platform": prebuilt.platform_tag(),
        "compilers": compiler_versions(),
        "features": [],
        "kernels": index,
        **changes,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return str(folder)


def elsewhere(filled: Place, folder: Path) -> Place:
    """The same kernels in another folder, with an empty cache."""
    folder.mkdir()
    return Place(folder)


def test_another_process_compiles_nothing(filled: Place) -> None:
    answer, compiled = filled.use()
    assert compiled == 0
    assert float(answer) != 0.0


def test_symbols_are_the_same_in_every_process(filled: Place, place: Place) -> None:
    loaded, _ = filled.use(SYMBOL)
    fresh, compiled = place.use(SYMBOL)
    assert compiled == 2
    assert fresh == loaded


def test_a_caller_works_with_a_callee_that_was_compiled_again(filled: Place, place: Place) -> None:
    answer, _ = place.use()
    (callee,) = [path for path in place.stored() if path.name.startswith("_large")]
    callee.unlink()
    assert place.use() == (answer, 1)


def test_damaged_files_are_compiled_again(place: Place) -> None:
    answer, _ = place.use()
    for path in place.stored():
        path.write_bytes(path.read_bytes()[: len(path.read_bytes()) // 2])
    assert place.use() == (answer, 2)
    assert place.use() == (answer, 0)


def test_a_cache_folder_that_cannot_be_written_costs_time_only(filled: Place, place: Place) -> None:
    (place.folder / "file").touch()
    answer, compiled = place.use(WRITHE_CACHE_DIR=str(place.folder / "file" / "cache"))
    assert (answer, compiled) == (filled.use()[0], 2)


def test_processes_that_start_at_once_share_the_work(filled: Place, place: Place) -> None:
    both = [finish(process) for process in [place.start(), place.start()]]
    assert {answer for answer, _ in both} == {filled.use()[0]}
    assert sum(compiled for _, compiled in both) == 2


def test_a_killed_process_leaves_nothing_to_trip_over(filled: Place, place: Place) -> None:
    process = place.start()
    while not list(place.cache.glob("kernels/*/*.lock")):
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert place.use()[0] == filled.use()[0]


def test_a_pack_is_used_from_an_empty_cache(filled: Place, tmp_path: Path) -> None:
    other = elsewhere(filled, tmp_path / "other")
    answer, compiled = other.use(WRITHE_PREBUILT=pack_of(filled, tmp_path / "pack"))
    assert (answer, compiled) == (filled.use()[0], 0)
    assert not other.stored()  # nothing is copied


def test_kernels_of_a_user_call_those_of_a_pack(filled: Place, tmp_path: Path) -> None:
    other = elsewhere(filled, tmp_path / "other")
    pack = Path(pack_of(filled, tmp_path / "pack"))
    manifest = json.loads((pack / "manifest.json").read_text())
    for name in [name for name in manifest["kernels"] if "twice" in name]:
        del manifest["kernels"][name]
    (pack / "manifest.json").write_text(json.dumps(manifest))
    assert other.use(WRITHE_PREBUILT=str(pack)) == (filled.use()[0], 1)


@pytest.mark.parametrize(
    "foreign",
    [
        {"python": "cpython-27"},
        {"platform": "plan9-vax"},
        {"format": -1},
        {"compilers": ["0.1", "0.1"]},
        {"features": ["a-feature-of-no-processor"]},
        {"kernels": {}},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_foreign_pack_is_ignored(filled: Place, tmp_path: Path, foreign: dict[str, Any]) -> None:
    other = elsewhere(filled, tmp_path / "other")
    pack = pack_of(filled, tmp_path / "pack", **foreign)
    assert other.use(WRITHE_PREBUILT=pack) == (filled.use()[0], 2)


@pytest.mark.parametrize("damaged", ["kernels.bin", "manifest.json", "missing"])
def test_a_damaged_pack_is_ignored(filled: Place, tmp_path: Path, damaged: str) -> None:
    other = elsewhere(filled, tmp_path / "other")
    pack = Path(pack_of(filled, tmp_path / "pack"))
    if damaged == "missing":
        (pack / "kernels.bin").unlink()
    else:
        data = (pack / damaged).read_bytes()
        (pack / damaged).write_bytes(data[: len(data) // 3])
    answer, compiled = other.use(WRITHE_PREBUILT=str(pack))
    assert answer == filled.use()[0]
    assert compiled > 0
