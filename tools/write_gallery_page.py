#!/usr/bin/env python3
"""Write docs/gallery.md from reproductions: strips, movies, plots and certificates.

tools/write_gallery_page.py [FOLDER]     FOLDER holds one folder per paper, as `writhe reproduce`
writes
                                them (default: out/reproduce); papers without one are run first,
                                on built-in movements: run those with --clips yourself.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from writhe.research.experiments import EXPERIMENTS, run

DOCS = Path(__file__).resolve().parents[1] / "docs"
PICTURES = DOCS / "images" / "gallery"
WIDEST = 900
_PICTURE = re.compile(r"^!\[(?P<caption>[^\]]*)\]\((?P<file>[^)]+)\)", re.MULTILINE)
_SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)


def main(folder: Path) -> None:
    """Write the page and its pictures."""
    page = [
        "# Gallery",
        "Everything here was produced by `writhe reproduce NAME` and collected by"
        " `tools/write_gallery_page.py`. Overlapping parts are drawn in red. A motion is certified"
        " if the [certificate](certificate.md) proves it free of penetration, also between its"
        " frames.",
    ]
    for name, line in EXPERIMENTS.items():
        source_folder = folder / name
        if not (source_folder / "report.md").exists():
            run(name, source_folder, lambda what, name=name: print(f"{name}: {what}", flush=True))
        page.append(f"## {name}\n\n{line[0].upper()}{line[1:]}.")
        page += _certified(json.loads((source_folder / "figures.json").read_text(encoding="utf-8")))
        page += _pictures(name, source_folder)
    (DOCS / "gallery.md").write_text("\n\n".join(page) + "\n", encoding="utf-8")


def _certified(figures: dict[str, Any]) -> list[str]:
    """A table of overlaps and pass-throughs, by part and method."""
    cells: dict[str, dict[str, str]] = {}
    methods: list[str] = []
    for path, one in _leaves(figures, ()):
        passed = one.get("pass_throughs", one.get("penetrating_frames"))
        certified = one.get("certified", one.get("success_rate") or None)
        if passed is None or one.get("success_rate") == 0.0:
            continue
        part, method = path[0], " ".join(path[1:])
        if method not in methods:
            methods.append(method)
        deepest = one.get("penetration_m")
        words = f"{passed}" if deepest is None else f"{passed}, {1e3 * max(deepest, 0.0):.1f} mm"
        cells.setdefault(part, {})[method] = f"{words}{' ✓' if certified else ''}"
    if not cells:
        return []
    rows = [
        f"| {part} | {' | '.join(row.get(method, '–') for method in methods)} |"
        for part, row in cells.items()
    ]
    caption = "Pass-throughs" if "pass_throughs" in str(figures) else "Overlapping frames"
    text = "".join(rows)
    caption += " and the deepest overlap" if " mm" in text else ""
    caption += "; ✓: certified" if "✓" in text else ""
    caption += ". Methods that failed are left out." if "–" in text else "."
    head = f"| | {' | '.join(method or caption.partition(';')[0] for method in methods)} |"
    return [caption, "\n".join([head, "|---" * (len(methods) + 1) + "|", *rows])]


def _leaves(
    figures: dict[str, Any], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """The nested dictionaries that hold results, with their names."""
    if "pass_throughs" in figures or "penetrating_frames" in figures:
        yield path, figures
        return
    for key, value in figures.items():
        if isinstance(value, dict):
            plain = key in ("scenes", "scenarios", "experiments", "methods", "settings")
            yield from _leaves(value, path if plain else (*path, key))


def _pictures(name: str, source_folder: Path) -> list[str]:
    text = (source_folder / "report.md").read_text(encoding="utf-8")
    out: list[str] = []
    for found in _PICTURE.finditer(text):
        source = source_folder / found["file"]
        caption = found["caption"]
        titles = _SECTION.findall(text, 0, found.start())
        if titles and titles[-1] not in caption and not caption.startswith("Figure "):
            caption = f"{titles[-1]}. {caption}"
        moving = source.with_suffix(".gif")
        if moving != source and moving.exists():
            out.append(f"![{caption} (moving)]({_keep(name, moving)})")
        out.append(f"![{caption}]({_keep(name, source)})\n\n*{caption}*")
    return out


def _keep(name: str, source: Path) -> str:
    """Copy a picture, reduced in size; returns its path relative to the page."""
    target = PICTURES / name / source.name
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix.lower() == ".gif":
        target.write_bytes(source.read_bytes())
    else:
        target = target.with_suffix(".jpg")
        picture = Image.open(source).convert("RGB")
        picture.thumbnail((WIDEST, 2 * WIDEST))
        picture.save(target, quality=74, optimize=True)
    return target.relative_to(DOCS).as_posix()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/reproduce"))
