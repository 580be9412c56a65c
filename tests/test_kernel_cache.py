"""The machine code kept on disk is never older than the sources it was compiled from."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from writhe.kernels import jit

FOLDER = Path(jit.__file__).parent
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def _imports(module: str) -> set[str]:
    """The kernel modules named in the imports of one, as the language itself reads them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((FOLDER / f"{module}.py").read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            named = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[2] for name in named if name.startswith("writhe.kernels.")}
    return found & set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_a_modules_folder_changes_with_everything_it_imports(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, reached = [module], {module}
    while waiting:
        new = _imports(waiting.pop()) - reached
        reached |= new
        waiting += new
    before = jit.cache_folder(module)
    original = jit._source
    for edited in MODULES:
        monkeypatch.setattr(
            jit, "_source", lambda name, edited=edited: original(name) + b"#" * (name == edited)
        )
        assert (jit.cache_folder(module) != before) == (edited in reached), edited
