"""The picture of the layers follows the linted contract."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "pictures" / "draw_layers.py"


def test_the_picture_shows_the_layers_of_the_contract() -> None:
    tool = runpy.run_path(str(TOOL))
    drawn = re.findall(r'font-weight="600"[^>]*>([^<]*)<', tool["PICTURE"].read_text("utf-8"))
    assert drawn == [" · ".join(row) for row in tool["layers"]()], (
        "run tools/pictures/draw_layers.py"
    )
