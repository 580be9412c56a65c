#!/usr/bin/env python
"""Draw docs/images/layers.svg from the contract of import-linter in pyproject.toml.

A layer is described by the first sentence of its package. A test compares the picture.
"""

from __future__ import annotations

import ast
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "images" / "layers.svg"
_PACKAGES = ROOT / "src" / "writhe"
_TINTS = ("#dbe7ff", "#e3f2e1", "#fff0d6", "#f3e3f5")  # of the groups, from top to bottom
_GROUPS = ("animation", "database", "skeleton")  # the first layer of each group but the first
_WIDTH, _ROW, _GAP, _EDGE = 940, 29, 5, 10
_LONGEST = 105  # characters of a description


def layers() -> list[list[str]]:
    """The packages of each layer, from top to bottom; modules at the bottom are one layer."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    listed = next(c["layers"] for c in contracts["contracts"] if c["type"] == "layers")
    rows = [[name.strip(" ()") for name in line.split("|")] for line in listed]
    modules = [row[0] for row in rows if (_PACKAGES / f"{row[0]}.py").exists()]
    return [row for row in rows if row[0] not in modules] + [modules]


def description(package: str) -> str:
    """The first sentence of a package's docstring."""
    source = (_PACKAGES / package / "__init__.py").read_text()
    text = " ".join((ast.get_docstring(ast.parse(source)) or "").split("\n\n")[0].split())
    first = text.split(". ")[0].rstrip(".")
    return first if len(first) <= _LONGEST else first[:_LONGEST].rsplit(" ", 1)[0] + " ..."


def picture() -> str:
    """The picture as SVG."""
    rows = layers()
    height = 2 * _EDGE + len(rows) * (_ROW + _GAP) - _GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        ' font-family="system-ui, sans-serif" font-size="13">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    group = 0
    for i, row in enumerate(rows):
        group += group < len(_GROUPS) and _GROUPS[group] in row
        y = _EDGE + i * (_ROW + _GAP)
        packages = i < len(rows) - 1
        about = "; ".join(map(description, row)) if packages else ""
        about = about if len(about) <= _LONGEST else description(row[0])
        lines += [
            f'<rect x="{_EDGE}" y="{y}" width="{_WIDTH - 2 * _EDGE}" height="{_ROW}" rx="6"'
            f' fill="{_TINTS[group]}"/>',
            f'<text x="24" y="{y + 19}" font-weight="600" fill="#1c2333">'
            f"{escape(' · '.join(row))}</text>",
            f'<text x="{_WIDTH - 24}" y="{y + 19}" text-anchor="end" fill="#4a5468">'
            f"{escape(about)}</text>",
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
