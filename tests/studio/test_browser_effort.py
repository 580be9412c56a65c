"""Everyday poses that take one drag, by mouse in a real browser."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from browser_user import OpenPage, position, wait_for, where


def drag_to(page: Any, *through: tuple[float, float]) -> None:
    """One drag through points of the page; at each the body has time to follow."""
    page.mouse.move(*through[0])
    page.mouse.down()
    for start, end in pairwise(through):
        for k in range(1, 21):
            page.mouse.move(*(a + (b - a) * k / 20 for a, b in zip(start, end, strict=True)))
            page.wait_for_timeout(25)
        page.wait_for_timeout(500)
    page.mouse.up()
    wait_for(page, "s.dragging === false")


def from_the_front(page: Any) -> None:
    """Turn the view, and wait until it stands still."""
    before = where(page, "left_wrist")
    page.keyboard.press("1")
    while (now := where(page, "left_wrist")) == before:
        page.wait_for_timeout(50)
    while now != before:
        page.wait_for_timeout(200)
        before, now = now, where(page, "left_wrist")


def test_hands_behind_the_head_are_one_symmetric_drag(open_page: OpenPage) -> None:
    page = open_page(size=(1000, 760))
    from_the_front(page)
    page.keyboard.press("x")
    head = where(page, "head")
    page.keyboard.down("Alt")
    beside = head[0] + 150, head[1] - 10
    drag_to(page, where(page, "left_wrist"), beside, (head[0] + 20, head[1] - 12))
    page.keyboard.up("Alt")
    middle = position(page, "head")
    for side in ("left", "right"):
        hand = np.subtract(position(page, f"{side}_wrist"), middle)
        assert hand[2] < -0.03, f"the {side} hand is not behind the head: {hand}"
        assert np.linalg.norm(hand) < 0.3
