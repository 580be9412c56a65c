"""Hooks of mkdocs (`mkdocs.yml`): pages of the repository outside `docs/`, and their links.

The README becomes the home page; CONTRIBUTING, CHANGELOG and the page of the examples are added.
Links are written for the repository; here those to pages are redirected to the page of the site,
and those to other files (source code) become plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
ADDED = {  # page of the site: file of the repository
    "index.md": "README.md",
    "examples.md": "examples/README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]+)(#[^)]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are not in `docs/`."""
    for page, source in ADDED.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Redirect the links of a page."""
    source = ADDED.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    here = (ROOT / source).parent

    def redirected(found: re.Match[str]) -> str:
        picture, text, target, anchor = (
            found.group(1),
            found.group(2),
            found.group(3),
            found.group(4),
        )
        if target.startswith(("http:", "https:", "mailto:")):
            return found.group(0)
        path = Path(os.path.normpath(here / target)).relative_to(ROOT).as_posix()
        by_source = {file: name for name, file in ADDED.items()}
        if path in by_source:
            return f"{picture}[{text}]({by_source[path]}{anchor or ''})"
        if path.startswith("docs/"):
            return f"{picture}[{text}]({path.removeprefix('docs/')}{anchor or ''})"
        return text

    return _LINK.sub(redirected, markdown)
