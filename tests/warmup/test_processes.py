"""Work in parallel processes: done in full, reported, and failing loudly."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from writhe.errors import WritheError
from writhe.warmup.processes import CompileTask, run_all

MODULE = """
import logging, os
from pathlib import Path

HERE = Path(__file__).parent
LOG = logging.getLogger("writhe.kernels")

def one():
    print("printing must not disturb the reports")
    (HERE / "one.done").write_text(str(os.getpid()))

def two():
    for k in range(3):
        LOG.debug("compiling %d", k)
    (HERE / "two.done").write_text(str(os.getpid()))

def fails():
    raise ValueError("no such luck")

def ends():
    os._exit(3)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "works.py").write_text(MODULE)
    known = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{known}")
    return tmp_path


def test_all_work_is_done_and_reported(folder: Path) -> None:
    works = {"the first": CompileTask("works:one", 2), "the second": CompileTask("works:two", 10)}
    told: list[tuple[float | None, str]] = []
    finished: list[str] = []
    run_all(works, lambda share, what="": told.append((share, what)), finished.append, processes=2)
    assert sorted(finished) == ["the first", "the second"]
    assert (folder / "one.done").exists() and (folder / "two.done").exists()
    done = [now[0] for now in told if now[0] is not None]
    assert done == sorted(done)
    assert told[0][1] == "the first and the second"
    assert told[-1][0] == 1.0
    assert any(0 < share < 1 for share in done)


def test_one_process_does_everything_in_order(folder: Path) -> None:
    finished: list[str] = []
    works = {"the second": CompileTask("works:two", 1), "the first": CompileTask("works:one", 1)}
    run_all(works, None, finished.append, processes=1)
    assert finished == ["the second", "the first"]
    assert (folder / "one.done").read_text() == (folder / "two.done").read_text()


@pytest.mark.parametrize(("work", "said"), [("fails", "no such luck"), ("ends", "process ended")])
def test_failed_work_is_named(folder: Path, work: str, said: str) -> None:
    with pytest.raises(WritheError, match=f"preparing it failed.*{said}"):
        run_all({"it": CompileTask(f"works:{work}", 1)})
