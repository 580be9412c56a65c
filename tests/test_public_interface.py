"""The names of `import writhe`: they exist, and editors know their types."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import writhe

ROOT = Path(__file__).resolve().parents[1]
STUB = ROOT / "src" / "writhe" / "__init__.pyi"
NAMES = [name for name in dir(writhe) if name != "__version__"]


def test_the_stub_imports_every_public_name_from_where_it_is():
    imported = {
        str(name.asname): str(node.module)
        for node in ast.parse(STUB.read_text()).body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert sorted(imported) == NAMES
    for name, module in imported.items():
        assert getattr(importlib.import_module(module), name) is getattr(writhe, name)
    assert STUB.with_name("py.typed").exists()


def test_no_public_name_has_an_unknown_type(tmp_path):
    probe = tmp_path / "probe.py"
    probe.write_text("import writhe\n" + "".join(f"reveal_type(writhe.{n})\n" for n in NAMES))
    settings = {"extraPaths": [str(ROOT / "src")], "typeCheckingMode": "strict"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    said = [found["message"] for found in json.loads(done.stdout)["generalDiagnostics"]]
    types = [text for text in said if text.startswith("Type of")]
    assert len(types) == len(NAMES)
    # numpy's own ArrayLike and NDArray are spelled out: dtypes and shapes of any kind
    known = [re.sub(r"dtype\[Any\]|tuple\[Any, \.\.\.\]", "", text) for text in types]
    loose = [text for text in known if re.search(r"\b(Any|Unknown)\b", text)]
    assert loose == []
    assert [text for text in said if text not in types] == []


def test_a_module_of_the_same_name_does_not_replace_a_public_name():
    """`writhe.collision.certify` is a module too; importing it first must not hide the function."""
    code = (
        "import writhe.collision.certify, writhe.recognition.recognise\n"
        "from writhe.collision import certify\n"
        "from writhe.recognition import recognise\n"
        "print(certify.__name__, recognise.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["certify", "recognise"]
