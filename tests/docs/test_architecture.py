"""The picture of the layers follows the linted contract."""

from __future__ import annotations

import runpy
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "draw_layers.py"


def test_the_picture_shows_the_layers_of_the_contract() -> None:
    tool = runpy.run_path(str(TOOL))
    drawn = tool["PICTURE"].read_text(encoding="utf-8")
    assert drawn == tool["picture"](), "run tools/draw_layers.py"
