"""A Markdown report with pictures, in a folder of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Report:
    """Collects headings, paragraphs, tables and pictures; `write` makes `report.md`."""

    def __init__(self, title: str, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._blocks = [f"# {title}"]

    def heading(self, text: str) -> None:
        """Start a section."""
        self._blocks.append(f"## {text}")

    def text(self, text: str) -> None:
        """Add a paragraph."""
        self._blocks.append(text)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Add a table; numbers have three significant digits."""
        lines = [header, ["---"] * len(header), *rows]
        self._blocks.append("\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in lines))

    def picture_path(self, name: str) -> Path:
        """The path for a picture that `picture` will include."""
        return self.folder / name

    def picture(self, path: str | Path, caption: str) -> None:
        """Include a picture of the report's folder."""
        relative = Path(path).resolve().relative_to(self.folder.resolve())
        self._blocks.append(f"![{caption}]({relative.as_posix()})\n\n*{caption}*")

    def write(self) -> Path:
        """Write the report and return its path."""
        path = self.folder / "report.md"
        path.write_text("\n\n".join(self._blocks) + "\n", encoding="utf-8")
        return path


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000.0 else f"{value:,.0f}"
    return str(value).replace("|", "\\|")
