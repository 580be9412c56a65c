"""Pins over time in a real browser: feet stay between keys, ranges are dragged on the timeline."""

from __future__ import annotations

import os

import numpy as np
from browser_user import OpenPage, go_to, position, squat, wait_for


def test_pinned_feet_stay_between_the_keys_of_a_squat(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    feet = {side: position(page, f"{side}_ankle") for side in ("left", "right")}
    hips = position(page, "hips")
    squat(page)
    assert position(page, "hips")[1] < hips[1] - 0.2
    for time_s in (0.25, 0.5, 0.75):
        go_to(page, time_s)
        for side, foot in feet.items():
            apart = np.subtract(position(page, f"{side}_ankle"), foot)
            assert np.linalg.norm(apart) < 3e-3, (time_s, side)
    page.wait_for_selector(".readout.certificate:not(.bad):not(.stale)")
    if folder := os.environ.get("WRITHE_TEST_PICTURES"):
        page.screenshot(path=f"{folder}/pins.png")


def test_the_range_of_a_pin_is_dragged_on_the_timeline(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    squat(page)
    bar = page.locator(".pin-bar").first
    end = bar.locator(".pin-handle.pin-end").bounding_box()
    ruler = page.locator(".ruler").bounding_box()
    page.mouse.move(end["x"] + 3, end["y"] + 5)
    page.mouse.down()
    page.mouse.move(ruler["x"] + ruler["width"] * 0.5, end["y"] + 5, steps=5)
    page.mouse.up()
    wait_for(page, "s.state.actors[0].pins.some(p => p.end_s && Math.abs(p.end_s - 2) < 0.05)")
    page.keyboard.press("Control+z")
    wait_for(page, "s.state.actors[0].pins.every(p => p.end_s === null)")
