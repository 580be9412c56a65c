"""The name of machine code on disk changes with the sources it was compiled from."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from writhe.cache import code_hash
from writhe.kernels import jit
from writhe.machine_code import source_hash

FOLDER = Path(jit.__file__).parent
MODULES = [name for name in source_hash.kernel_modules() if not name.endswith("__init__")]


def _imports(module: str) -> set[str]:
    """The kernel modules that a module imports, found by parsing it."""
    found: set[str] = set()
    path = FOLDER.joinpath(*module.split(".")).with_suffix(".py")
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            named = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.removeprefix("writhe.kernels.") for name in named}
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
    before = source_hash.folder_name(module)
    original = source_hash._module_hash
    for edited in MODULES:
        monkeypatch.setattr(
            source_hash,
            "_module_hash",
            lambda name, edited=edited: original(name) + b"#" * (name == edited),
        )
        assert (source_hash.folder_name(module) != before) == (edited in reached), edited


def test_only_code_counts() -> None:
    plain = b"def f(x):\n    return x\n"
    worded = b'# why\ndef f(x):\n    """What."""\n    return x  # so\n'
    edited = b'def f(x):\n    """What."""\n    return x + 1\n'
    worded_too = worded.replace(b"What", b"Which")
    assert code_hash(worded) == code_hash(worded_too)
    assert code_hash(worded) != code_hash(edited)
    assert code_hash(plain) != code_hash(edited)
