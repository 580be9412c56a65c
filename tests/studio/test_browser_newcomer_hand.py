"""What a newcomer's hand ran into: pins and rings under the pointer, keys under the playhead."""

from __future__ import annotations

import pytest
from person import drag, position, store, wait_for, where

from conftest import OpenPage


def test_the_middle_of_the_rings_moves_the_pinned_part(open_page: OpenPage) -> None:
    """A click pins the hand and puts rings around it; a drag on its mark still moves the hand."""
    page = open_page(size=(1000, 700))
    page.mouse.click(*where(page, "left_wrist"))
    wait_for(page, "s.state.actors[0].pins.length === 3 && s.selected !== null")
    assert page.get_by_text("Pinned the left hand").is_visible()
    x, y = where(page, "left_wrist")
    drag(page, "left_wrist", 50, -70)
    assert where(page, "left_wrist") == pytest.approx((x + 50, y - 70), abs=6)
    placed = position(page, "left_wrist")
    page.keyboard.press("Escape")
    drag(page, "head", 25, 10)
    assert position(page, "left_wrist") == pytest.approx(placed, abs=0.02)
    assert store(page, "state.actors[0].pins.length") == 3
