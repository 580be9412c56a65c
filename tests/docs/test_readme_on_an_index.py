"""The README as a package index shows it: without the files beside it."""

from __future__ import annotations

import re
from pathlib import Path

from tools.index_metadata import absolute_links

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://example.org/owner/writhe"


def test_links_and_pictures_of_the_readme_lead_to_the_repository():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = absolute_links(readme, REPOSITORY, "v1")
    assert f"]({REPOSITORY}/raw/v1/docs/images/studio.png)" in shown
    assert f"]({REPOSITORY}/blob/v1/docs/characters.md)" in shown
    targets = re.findall(r"\]\(([^)]+)\)", shown)
    assert targets and all(target.startswith(("https://", "#")) for target in targets)
    for target in targets:
        if target.startswith(REPOSITORY):
            assert (ROOT / target.split("/v1/")[1].partition("#")[0]).exists()
    assert readme.count("](") == shown.count("](")
