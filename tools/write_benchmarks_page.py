#!/usr/bin/env python
"""Copy the tables of the latest `make bench` into docs/benchmarks.md; its text is kept.

tools/write_benchmarks_page.py [REPORT]     default: out/peers/report.md
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
_TABLE = re.compile(r"^\|.*\|\n(?:\|.*\|\n)+", re.MULTILINE)
_HEADING = re.compile(r"^## ", re.MULTILINE)


def sections(text: str) -> list[str]:
    """The text split before each second-level heading."""
    cuts = [found.start() for found in _HEADING.finditer(text)]
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def title(section: str) -> str:
    """A section's heading without the part in brackets."""
    return section.partition("\n")[0].partition("(")[0].strip("# ")


def main(report: Path) -> None:
    """Replace the first table of every section that the report contains."""
    tables = {
        title(section): found[0]
        for section in sections(report.read_text(encoding="utf-8"))
        if (found := _TABLE.search(section))
    }
    page = sections(PAGE.read_text(encoding="utf-8"))
    for i, section in enumerate(page):
        table = tables.pop(title(section), None)
        if table is not None:
            page[i] = _TABLE.sub(lambda _, new=table: new, section, count=1)
    if tables:
        print(f"no section in {PAGE.name} for: {', '.join(tables)}", file=sys.stderr)
    PAGE.write_text("".join(page), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "peers" / "report.md")
