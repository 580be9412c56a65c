"""Parts of the Blender extension that need no Blender: its manifest, its process, its messages."""

from __future__ import annotations

import io
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import build_blender_extension as extension  # noqa: E402  # pyright: ignore[reportMissingImports]


def test_the_zip_has_a_valid_manifest_with_its_wheels(tmp_path):
    wheel = tmp_path / "writhe-0.1.0-cp311-cp311-manylinux_2_17_x86_64.whl"
    wheel.write_bytes(b"wheel")
    target = tmp_path / "out" / "writhe.zip"
    extension.build([wheel], target)
    with zipfile.ZipFile(target) as archive:
        names = set(archive.namelist())
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
    assert {"__init__.py", "process/wire.py", f"wheels/{wheel.name}"} <= names
    assert manifest["wheels"] == [f"./wheels/{wheel.name}"]
    assert manifest["platforms"] == [extension.blender_platform()]
    assert manifest["blender_version_min"] == "4.2.0"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('id = "writhe"', 'id = "Writhe!"', "identifier"),
        ('version = "0.1.0"', 'version = "1"', "semantic"),
        ("type = ", "kind = ", "type is missing"),
        ("files = ", "everything = ", "unknown permission"),
    ],
)
def test_a_wrong_manifest_is_refused(old, new, problem):
    text = extension.manifest_with([])
    assert not extension.problems(text)
    assert any(problem in said for said in extension.problems(text.replace(old, new, 1)))


def test_messages_keep_arrays_and_nested_data(process):
    wire = sys.modules[process.__name__.replace("client", "wire")]
    message: dict = {
        "a": np.arange(6.0).reshape(2, 3),
        "deep": [{"flags": np.array([True, False])}, None, "ü", 1.5],
        "empty": np.zeros((0, 3)),
    }
    stream = io.BytesIO()
    wire.send(stream, message)
    stream.seek(0)
    found = wire.receive(stream)
    assert np.array_equal(found["a"], message["a"])
    assert found["deep"][0]["flags"].tolist() == [True, False]
    assert found["deep"][1:] == [None, "ü", 1.5] and found["empty"].shape == (0, 3)
    with pytest.raises(EOFError):
        wire.receive(stream)


def test_what_is_no_message_is_refused(process):
    wire = sys.modules[process.__name__.replace("client", "wire")]
    with pytest.raises(ValueError, match="not a message"):
        wire.receive(io.BytesIO(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
    stream = io.BytesIO()
    wire.send(stream, {"names": np.array(["a", None], dtype=object)})
    stream.seek(0)
    with pytest.raises(ValueError, match="object"):
        wire.receive(stream)


def test_a_python_without_writhe_is_named(process):
    bare = Path(getattr(sys, "_base_executable", "") or sys.executable)
    run = [str(bare), "-P", "-c", "import writhe"]
    if subprocess.run(run, capture_output=True, check=False).returncode == 0:
        pytest.skip("the Python of this environment has writhe too")
    with pytest.raises(process.EngineError, match="pip install writhe"):
        process.ProcessClient(str(bare))


def test_another_process_answers_and_says_what_is_wrong(process):
    client = process.ProcessClient(sys.executable)
    try:
        assert client.about["version"]
        assert "stand" in " ".join(client.request("preset_names", {})["names"])
        with pytest.raises(process.EngineError, match="fly"):
            client.request("fly", {})
    finally:
        client.stop()
    assert not client.alive
    with pytest.raises(process.EngineError, match="ended"):
        client.request("preset_names", {})


def test_a_missing_python_is_named(process):
    with pytest.raises(process.EngineError, match="no-such-python"):
        process.ProcessClient("/no-such-python")
