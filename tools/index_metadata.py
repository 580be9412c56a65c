"""Metadata hook of the build: the README as a package index shows it, and the project's addresses.

An index shows the README without the files beside it, so relative links and pictures become
addresses in the repository. The address is not known to the sources: the workflow that publishes
sets `WRITHE_REPOSITORY` (such as https://example.org/owner/writhe) and `WRITHE_REVISION` (a tag).
Without them, as in a local build, links stay relative.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")


def absolute_links(text: str, repository: str, revision: str) -> str:
    """Markdown whose relative links lead to files of the repository, pictures to their contents."""

    def absolute(found: re.Match[str]) -> str:
        picture, label, path = found.groups()
        kind = "raw" if picture else "blob"
        return f"{picture}[{label}]({repository}/{kind}/{revision}/{path})"

    return _LINK.sub(absolute, text)


class IndexMetadata(MetadataHookInterface):
    """Sets `readme` and `urls` of the project."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Change the metadata that pyproject.toml leaves open."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = os.environ.get("WRITHE_REPOSITORY", "").rstrip("/")
        if repository:
            revision = os.environ.get("WRITHE_REVISION") or "main"
            text = absolute_links(text, repository, revision)
            metadata["urls"] = {
                "Repository": repository,
                "Documentation": f"{repository}/tree/{revision}/docs",
                "Changelog": f"{repository}/blob/{revision}/CHANGELOG.md",
                "Issues": f"{repository}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
